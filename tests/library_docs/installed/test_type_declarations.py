"""The API of npm packages from their declaration files: exports followed across files, comments kept, gaps said."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from sightline.library_docs.installed.declaration_scanner import scan, scan_members
from sightline.library_docs.installed.package_docs import PackageDocs
from sightline.library_docs.installed.packages import PartNotFound
from sightline.library_docs.installed.type_declarations import comment_to_markdown
from sightline.library_docs.libraries import LibraryId
from tests.library_docs.installed.handmade import docs_of, make_node_package

X = LibraryId("npm", "x")


def package(root: Path, files: Mapping[str, str], **manifest: object) -> PackageDocs:
    make_node_package(root / "node_modules", "x", "1.0.0", files, **manifest)
    return docs_of(root)


def names(docs: PackageDocs) -> dict[str, str]:
    return {entry.path: entry.kind for entry in docs.outline(X).entries}


def test_every_kind_of_declaration_is_scanned() -> None:
    text = """
/** Adds. */
export declare function add(a: number, b: number): number;
export declare function add(a: string): string;
export declare abstract class Base<T extends { a: 1 }> implements I { run(): void; }
export interface Options { a?: string; b: () => void }
export type Fn = (a: { b: string; }) => void | {
  c: 1;
};
export declare const one: number, two: string;
export declare const enum Colour { Red, Green }
declare enum Hidden { A }
export declare namespace NS { const inside: 1; }
export default function main(): void;
export { Hidden as Shown };
export * from './more';
export * as all from "./more";
export = NS;
import type { Other } from './other';
"""
    scope = scan(text)

    assert list(scope.exports) == [
        "add",
        "Base",
        "Options",
        "Fn",
        "one",
        "two",
        "Colour",
        "NS",
        "default",
        "Shown",
        "all",
    ]
    assert len(scope.declarations["add"]) == 2
    assert scope.declarations["add"][0].doc == "/** Adds. */"
    assert scope.declarations["add"][0].line == 3
    assert scope.stars == ["./more"]
    assert scope.assigned == "NS"
    assert scope.imports["Other"] == ("./other", "Other")
    assert scope.exports["Shown"] == (None, "Hidden")
    assert scope.unreadable == 0


def test_statements_without_semicolons_are_told_apart() -> None:
    text = (
        "export type A =\n  | 'x;{'\n  | 'y'\n"
        "export interface B {\n  f(a: string): void\n  g: number\n}\nexport const c: A\n"
    )

    scope = scan(text)

    assert list(scope.declarations) == ["A", "B", "c"]
    declaration = scope.declarations["B"][0]
    assert declaration.body
    assert [member.name for member in scan_members(text, declaration.body)] == ["f", "g"]


def test_members_are_split_and_private_ones_left_out() -> None:
    text = """declare class C {
  private secret: string;
  static of<T>(a: T, b: { c: 1; d: 2 }): C;
  /** Reads. */
  readonly value: Map<string, () => void>;
  get size(): number;
  [key: string]: unknown;
  "quoted-name"(): void;
  constructor(a: string);
}"""
    body = scan(text).declarations["C"][0].body
    assert body

    members = scan_members(text, body)

    assert [member.name for member in members] == ["of", "value", "size", "[", "quoted-name", "constructor"]
    assert members[1].doc == "/** Reads. */"


def test_exports_are_followed_from_file_to_file(tmp_path: Path) -> None:
    docs = package(
        tmp_path,
        {
            "dist/index.d.ts": "export * from './a.js';\nexport { inner as outer } from './b';\n"
            "export * as ns from './b';\n"
            "import { Late } from './b';\nexport { Late };\n",
            "dist/a.d.ts": "/** Makes an A. */\nexport declare function makeA(): void;\n",
            "dist/b/index.d.ts": "export declare const inner: 1;\nexport interface Late { /** When. */ when: Date }\n",
        },
        types="./dist/index.d.ts",
    )

    assert names(docs) == {"outer": "const", "ns": "namespace", "Late": "interface", "makeA": "function"}
    page = docs.api_object(X, "makeA")
    assert page.address == "pkg:npm/x@1.0.0#api/makeA"
    assert "Makes an A." in page.text
    assert "Source: `dist/a.d.ts:2`" in page.text
    assert "export declare const inner: 1" in docs.api_object(X, "ns.inner").text
    assert "When." in docs.api_object(X, "Late.when").text
    assert "- `when: Date`: When." in docs.api_object(X, "Late").text


def test_entry_points_of_an_exports_map_are_named_by_subpath(tmp_path: Path) -> None:
    docs = package(
        tmp_path,
        {
            "index.d.ts": "export const a: 1;\n",
            "s.d.mts": "export const b: 2;\n",
            "u.js": "",
            "u.d.ts": "export const c: 3;\n",
        },
        exports={
            ".": {"import": {"types": "./index.d.ts", "default": "./index.js"}},
            "./server": {"types": "./s.d.mts"},
            "./u": "./u.js",
            "./*": "./any/*.js",
            "./package.json": "./package.json",
        },
    )

    assert names(docs) == {"a": "const", "server:b": "const", "u:c": "const"}
    found = docs.api_object(X, "server:b")
    assert docs.read(found.address) == found
    assert docs.api_object(X, "b").title == "server:b"


def test_a_namespace_that_is_the_export_gives_its_members(tmp_path: Path) -> None:
    docs = package(
        tmp_path,
        {
            "index.d.ts": "import { T } from './t';\ndeclare function x(a: T): void;\ndeclare namespace x {\n"
            "  interface Opt { a: 1 }\n  export { T };\n}\nexport = x;\n",
            "t.d.ts": "interface T { deep: 1 }\n",
        },
        types="index.d.ts",
    )

    assert names(docs) == {"x": "function", "Opt": "interface", "T": "interface"}
    assert "deep: 1" in docs.api_object(X, "T").text


def test_modules_declared_by_name_are_entry_points(tmp_path: Path) -> None:
    docs = package(
        tmp_path,
        {
            "index.d.ts": '/// <reference path="fs.d.ts" />\n',
            "fs.d.ts": 'declare module "node:fs" {\n  /** Reads. */\n  function read(): void;\n}\n'
            'declare module "fs" { export * from "node:fs"; }\n',
        },
        types="index.d.ts",
    )

    assert "Reads." in docs.api_object(X, "fs:read").text


def test_types_of_another_package_are_labelled(tmp_path: Path) -> None:
    make_node_package(
        tmp_path / "node_modules",
        "@types/x",
        "0.9.0",
        {"index.d.ts": "export function f(): void;\n"},
        types="index.d.ts",
    )
    docs = package(tmp_path, {"index.js": ""}, main="index.js")

    text = docs.api_object(X, "f").text

    assert "types from `@types/x` 0.9.0, which is another package with its own version" in text
    assert docs.api_object(X, "f").version == "1.0.0"


def test_a_re_export_from_another_package_is_followed_in_its_own_surroundings(tmp_path: Path) -> None:
    docs = package(
        tmp_path, {"index.d.ts": "export * from '@y/core';\nexport { z } from 'absent';\n"}, types="index.d.ts"
    )
    make_node_package(
        tmp_path / "node_modules/x/node_modules", "@y/core", "2.0.0", {"index.d.ts": "export const nested: 1;\n"}
    )
    make_node_package(tmp_path / "node_modules", "@y/core", "1.0.0", {"index.d.ts": "export const hoisted: 1;\n"})

    assert names(docs) == {"z": "unresolved", "nested": "const"}


def test_a_package_without_types_says_so(tmp_path: Path) -> None:
    docs = package(tmp_path, {"index.js": "", "README.md": "# X\n" + "words " * 100})

    assert docs.outline(X).warnings == ("the package has no type declarations, and none are installed for it",)
    with pytest.raises(PartNotFound):
        docs.api_object(X, "f")


def test_a_missing_name_points_to_the_file(tmp_path: Path) -> None:
    docs = package(tmp_path, {"index.d.ts": "export const a: 1;\n"}, types="index.d.ts")

    with pytest.raises(PartNotFound) as failure:
        docs.api_object(X, "absent")

    address = (failure.value.next_steps[0].arguments or {})["url"]
    assert address == "pkg:npm/x@1.0.0#index.d.ts"
    assert "export const a: 1;" in docs.read(address).text


def test_files_that_export_each_other_end(tmp_path: Path) -> None:
    docs = package(
        tmp_path,
        {
            "index.d.ts": "export * from './b';\nexport { q } from './b';\n",
            "b.d.ts": "export * from './index';\nexport { q } from './index';\nexport const a: 1;\n",
        },
        types="index.d.ts",
    )

    assert names(docs) == {"q": "unresolved", "a": "const"}


def test_a_comment_becomes_markdown() -> None:
    comment = (
        "/**\n * Adds {@link Thing|things}.\n *\n * @param a - first\n * @example\n * ```ts\n * add(1)\n * ```\n */"
    )

    assert comment_to_markdown(comment) == "Adds `Thing`.\n\n**param** a - first\n**example** \n```ts\nadd(1)\n```"
