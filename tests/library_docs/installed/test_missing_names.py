"""Names that were not found: said not to exist only where that can be seen, and otherwise said to be unknown."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from sightline.library_docs.installed.package_docs import PackageDocs, TopicPassages
from sightline.library_docs.libraries import LibraryId
from tests.library_docs.installed.handmade import docs_of, make_distribution, make_node_package, site_packages

WIDGET = LibraryId("pypi", "widget")
X = LibraryId("npm", "x")
COMPILED = "widget/fast.cpython-312-x86_64-linux-gnu.so"


def widget(root: Path, files: Mapping[str, str]) -> PackageDocs:
    make_distribution(root, "widget", "1.0", files)
    return docs_of(root)


def asked(root: Path, files: Mapping[str, str], name: str) -> TopicPassages:
    return widget(root, files).topic(WIDGET, name)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("from .fast import *\n", "widget.spin"),
        ("from .fast import spin\n", "widget.spin"),
        ("def __getattr__(name):\n    return LAZY[name]\nLAZY = {}\n", "widget.spin"),
        ("def __getattr__(name):\n    if name == 'spin':\n        return 1\n    raise AttributeError\n", "widget.spin"),
        ("import sys\nsys.modules[__name__] = Lazy('spin')\n", "widget.spin"),
        ("for name in ['sp', 'tu']:\n    globals()[name + 'in'] = 1\n", "widget.spin"),
        ("for name in ['spin']:\n    globals()[name] = 1\n", "widget.spin"),
        ("from collections import namedtuple\nPoint = namedtuple('Point', 'x y')\n", "widget.Point.x"),
        ("from .fast import Base\nclass Model(Base):\n    pass\n", "widget.Model.objects"),
        ("class Meta(type): ...\nclass Model(metaclass=Meta): ...\n", "widget.Model.objects"),
        ("class Model:\n    def __getattr__(self, name): ...\n", "widget.Model.objects"),
        ("class Model: ...\nModel.objects = 1\n", "widget.Model.objects"),
        ("from .plugin import extended\n@extended\nclass Model: ...\n", "widget.Model.objects"),
        ("class Oops(Exception): ...\n", "widget.Oops.with_traceback"),
        ("def run(max_results): ...\n", "max_results"),
    ],
)
def test_what_may_be_there_at_run_time_is_not_denied(tmp_path: Path, source: str, name: str) -> None:
    found = asked(tmp_path, {"widget/__init__.py": source, COMPILED: ""}, name)

    assert found.is_name_found is None
    assert found.unseen


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("def __getattr__(name):\n    if name == 'turn':\n        return 1\n    raise AttributeError\n", "widget.spin"),
        (
            "def __getattr__(name):\n    if name in LAZY:\n        return getattr(x, name)\n    raise AttributeError\n",
            "widget.spin",
        ),
        ("for name in ['turn']:\n    globals()[name] = 1\n", "widget.spin"),
        ("class Oops(Exception): ...\n", "widget.Oops.objects"),
        ("from abc import ABCMeta\nclass Model(metaclass=ABCMeta): ...\n", "widget.Model.objects"),
        ("from dataclasses import dataclass\n@dataclass\nclass Model:\n    x: int\n", "widget.Model.objects"),
        ("def turn(): ...\n", "SpinTwice"),
    ],
)
def test_what_nothing_speaks_for_is_said_not_to_exist(tmp_path: Path, source: str, name: str) -> None:
    found = asked(tmp_path, {"widget/__init__.py": source}, name)

    assert (found.is_name_found, found.unseen) == (False, None)


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"widget/a.py": "class Client:\n    def send_twice(self): ...\n"}, "send_twice"),
        ({"widget/a.py": "MAX_SPEED: int = 3\n"}, "MAX_SPEED"),
        ({"widget/a.py": "if True:\n    class Engine: ...\n"}, "Engine"),
        ({"widget/a.py": "class Options:\n    max_speed: int = 3\n"}, "max_speed"),
    ],
)
def test_a_bare_name_is_found_wherever_it_is_defined(tmp_path: Path, files: Mapping[str, str], name: str) -> None:
    found = asked(tmp_path, {"widget/__init__.py": "", **files}, name)

    assert found.is_name_found is True
    assert found.passages[0].title.endswith(f".{name}")


def test_a_base_class_in_a_module_beside_is_found(tmp_path: Path) -> None:
    files = {
        "widget/__init__.py": "from widget import parts\n\nclass Client(parts.Base): ...\n",
        "widget/parts.py": "class Base:\n    def send(self, data: bytes) -> None: ...\n",
    }
    found = asked(tmp_path, files, "widget.Client.send")

    assert found.is_name_found is True
    assert "Inherited from `widget.parts.Base`" in found.passages[0].text


def test_a_file_that_is_changed_behind_its_times_is_read_again(tmp_path: Path) -> None:
    docs = widget(tmp_path, {"widget/__init__.py": "def spin(a): ...\n"})
    assert docs.topic(WIDGET, "widget.spin").is_name_found
    source = site_packages(tmp_path) / "widget" / "__init__.py"
    seen = source.stat()
    source.write_text("def turn(a): ...\n")
    os.utime(source, ns=(seen.st_atime_ns, seen.st_mtime_ns))

    assert docs.topic(WIDGET, "widget.spin").is_name_found is False
    assert docs.topic(WIDGET, "widget.turn").is_name_found


def of_types(root: Path, text: str, name: str, **more: str) -> TopicPassages:
    files = {"index.d.ts": text, **{key.replace("_", "/") + ".d.ts": value for key, value in more.items()}}
    make_node_package(root / "node_modules", "x", "1.0.0", files, types="index.d.ts")
    return docs_of(root).topic(X, name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("export interface App { get: string; set(a: 1): void; static?: 1; }", "App.get"),
        ("export interface App { get: string; set(a: 1): void; static?: 1; }", "App.set"),
        ("export declare class App { static readonly get: string; get size(): number; }", "App.get"),
        ("export declare class App { static readonly get: string; get size(): number; }", "App.size"),
        ("interface Base<T> { run(a: T): void; }\nexport interface App extends Base<string>, Other {}", "App.run"),
        (
            "declare class Base { run(): void; }\nexport class App<T = () => void> extends Base implements I {}",
            "App.run",
        ),
        ("interface Static { run(): void; }\ndeclare const x: Static;\nexport default x;", "x.run"),
        ("interface Static { runIt(): void; }\ndeclare const x: Static;\nexport = x;", "runIt"),
        ("declare namespace x { function runIt(): void; }\nexport = x;", "x.runIt"),
    ],
)
def test_members_of_types_are_found_through_all_that_leads_to_them(tmp_path: Path, text: str, name: str) -> None:
    found = of_types(tmp_path, text, name)

    assert found.is_name_found is True, found.unseen
    assert name.rpartition(".")[2] in found.passages[0].text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import { Base } from 'absent';\nexport interface App extends Base {}", "App.run"),
        ("export type App = Pick<Base, 'run'>;", "App.run"),
        ("export declare const app: { run(): void };", "app.run"),
        ("export interface App { [key: string]: unknown; run(): void; }", "App.stop"),
        ("export * as all from './more';", "all.stop"),
        ("export * from 'absent';", "runIt"),
        ("export { runIt } from 'absent';", "runIt"),
    ],
)
def test_types_that_cannot_be_followed_deny_nothing(tmp_path: Path, text: str, name: str) -> None:
    found = of_types(tmp_path, text + "\nexport declare const other: 1;", name, more="export * from 'absent';")

    assert found.is_name_found is None
    assert found.unseen


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("export interface App { run(): void; }", "App.stop"),
        ("interface Base { run(): void; }\nexport interface App extends Base {}", "App.stop"),
        ("export * as all from './more';", "all.stop"),
        ("export declare function run(): void;", "stopNow"),
    ],
)
def test_types_that_are_wholly_seen_have_nothing_else(tmp_path: Path, text: str, name: str) -> None:
    found = of_types(tmp_path, text, name, more="export declare const one: 1;")

    assert (found.is_name_found, found.unseen) == (False, None)


def test_members_that_other_files_add_to_an_interface_are_found(tmp_path: Path) -> None:
    index = '/// <reference path="./common/array.d.ts" />\nexport = _;\ndeclare const _: _.Static;\n'
    added = (
        "import _ = require('../index');\ndeclare module '../index' {\n  interface Static { chunk(a: 1): void; }\n}\n"
    )
    text = index + "declare namespace _ { interface Static { each(): void; } }\n"
    found = of_types(tmp_path, text, "Static.chunk", common_array=added)

    assert found.is_name_found is True


def test_entry_points_beyond_the_first_hundred_and_by_pattern_are_found(tmp_path: Path) -> None:
    files = {f"e{number}.d.ts": f"export declare const name{number}: 1;" for number in range(120)}
    files |= {
        "lib/deep.d.ts": "export { inner } from '#own/inner';",
        "own/inner.d.ts": "export declare const inner: 1;",
    }
    exports = {f"./e{number}": f"./e{number}.js" for number in range(120)} | {"./lib/*": "./lib/*.js"}
    make_node_package(tmp_path / "node_modules", "x", "1.0.0", files, exports=exports, imports={"#own/*": "./own/*.js"})
    docs = docs_of(tmp_path)

    assert docs.topic(X, "e119:name119").is_name_found is True
    assert docs.topic(X, "name119").passages[0].title == "e119:name119"
    assert docs.topic(X, "lib/deep:inner").is_name_found is True
