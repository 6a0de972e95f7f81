"""A small package in TypeScript, made for the renames: classes, interfaces, functions, re-exports, two mistakes."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

from tests.oracle.edit_oracle import Texts
from tests.oracle.rename_oracle import Symbol

_REPOSITORY = Path(__file__).resolve().parent.parent.parent
_NEEDED = ("typescript-language-server", "tsc")
_PARTS = 6
_DEFINED = {
    "class": r"\bclass (\w+)",
    "interface": r"\binterface (\w+)",
    "type": r"\btype (\w+)",
    "enum": r"\benum (\w+)",
    "function": r"\bfunction (\w+)",
    "variable": r"\b(?:const|let) (\w+)",
    "method": r"^  (?!constructor|return|const|if)(\w+)\(",
    "property": r"^  (?:readonly )?(\w+): ",
    "parameter": r"\(([a-z]\w*): ",
}


def typescript_folder() -> Path | None:
    """Where the server and the compiler are: below `.servers`, or on the PATH."""
    places = [*sorted(_REPOSITORY.glob(".servers/**/.bin")), *map(Path, os.environ["PATH"].split(os.pathsep))]
    return next((place for place in places if all((place / name).exists() for name in _NEEDED)), None)


def make_texts() -> Texts:
    texts = {
        "tsconfig.json": '{"compilerOptions": {"strict": true, "target": "es2022", "module": "es2022", '
        '"moduleResolution": "bundler", "types": []}, "include": ["src"]}\n',
        "src/index.ts": "".join(f'export * from "./part{n}";\n' for n in range(_PARTS)),
    }
    return texts | {f"src/part{n}.ts": _part(n) for n in range(_PARTS)}


def _part(n: int) -> str:
    other = (n + 1) % _PARTS
    return f"""import {{ Shelf{other}, makeShelf{other}, type Item{other} as Other }} from "./part{other}";

/** An Item{n} lies on a Shelf{n}. */
export interface Item{n} {{
  label{n}: string;
  readonly cents{n}: number;
}}

export type Found{n} = Item{n} | undefined;

export enum Size{n} {{ Small = 1, Large = 2 }}

export const limit{n} = {n} * 10;

export class Shelf{n} {{
  items{n}: Item{n}[] = [];
  size{n}: Size{n} = Size{n}.Small;

  put{n}(item: Item{n}): Shelf{n} {{
    const {{ label{n}, cents{n} }} = item;
    this.items{n}.push({{ label{n}, cents{n} }});
    return this;
  }}

  find{n}(wanted: string): Found{n} {{
    return this.items{n}.find((each) => each.label{n} === wanted);
  }}
}}

export function makeShelf{n}(first: Item{n}): Shelf{n} {{
  const shelf = new Shelf{n}();
  return shelf.put{n}(first);
}}

export function borrow{n}(lender: Shelf{other}): Other | undefined {{
  const spare = makeShelf{other}({{ label{other}: "é😀", cents{other}: limit{n} }});
  return lender.find{other}("x") ?? spare.find{other}("Item{n}");
}}

let wrong{n}: string = limit{n};
export const told{n} = `${{wrong{n}}} of ${{limit{n}}}`; export const length{n}: number = told{n}.size{n};
"""


def choose_symbols(texts: Texts, rng: random.Random, count: int) -> list[Symbol]:
    found: list[Symbol] = []
    for file, text in texts.items():
        if not file.endswith(".ts"):
            continue
        for number, line in enumerate(text.split("\n"), 1):
            for kind, pattern in _DEFINED.items():
                found += [
                    Symbol(kind, file, number, match.start(1) + 1, match[1]) for match in re.finditer(pattern, line)
                ]
    return rng.sample(found, min(count, len(found)))
