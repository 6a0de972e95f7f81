"""The API of Python packages from their text: names as users import them, signatures, docstrings, honest gaps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from sightline.library_docs.documents import Document
from sightline.library_docs.installed.package_docs import PackageDocs
from sightline.library_docs.installed.packages import PartNotFound
from sightline.library_docs.libraries import LibraryId
from tests.library_docs.installed.handmade import docs_of, environment, make_distribution, site_packages, write_files

WIDGET = LibraryId("pypi", "widget")
CORE = '''
from typing import overload
from ._parts import Part as _Part

class Base:
    """The base."""

    def inherited(self, x: int) -> str:
        """Comes from the base."""

class Widget(Base):
    """A widget.

    Args:
        size: How big.
    """

    def __init__(self, size: int = 3, *, colour: str | None = None) -> None: ...

    async def send(self, data: bytes, /, *more: bytes, timeout: float = 1.5, **options: object) -> None:
        """Send data.

        Parameters
        ----------
        data : bytes
            What to send.

        Examples
        --------
        >>> w.send(b"x")
        """

    @property
    def area(self) -> int:
        """Its area."""

def make(kind):
    """Make one.

    :param str kind: which :class:`~widget.Widget`
    :returns: a widget
    """

def _private(): ...
LIMIT: int = 10
'''


def widget(root: Path, files: Mapping[str, str]) -> PackageDocs:
    make_distribution(root, "widget", "1.0", files)
    return docs_of(root)


def page(docs: PackageDocs, name: str) -> Document:
    return docs.api_object(WIDGET, name)


@pytest.fixture
def docs(tmp_path: Path) -> PackageDocs:
    return widget(
        tmp_path,
        {
            "widget/__init__.py": '"""Widgets."""\nfrom ._core import *\nfrom ._core import Widget\n'
            '__all__ = ["Widget", "make", "LIMIT"]\n',
            "widget/_core.py": CORE,
            "widget/_parts.py": "class Part: ...\n",
            "widget/extra.py": '"""More."""\ndef more(): "Even more."\n',
            "widget/tests/test_x.py": "def test_x(): ...\n",
        },
    )


def test_an_object_is_found_where_users_import_it_and_says_where_it_is_defined(docs: PackageDocs) -> None:
    found = page(docs, "widget.Widget")

    assert found.address == "pkg:pypi/widget@1.0#api/widget.Widget"
    assert found.version == "1.0"
    assert "Defined as `widget._core.Widget`. Source: `widget/_core.py:11`." in found.text
    assert (
        "class Widget(Base):\n    def __init__(self, size: int = 3, *, colour: str | None = None) -> None" in found.text
    )
    assert "- `size`: How big." in found.text
    assert "- `widget.Widget.area` (property): Its area." in found.text
    assert "- `widget.Widget.inherited(self, x)`: Comes from the base." in found.text


def test_a_signature_keeps_every_kind_of_parameter(docs: PackageDocs) -> None:
    text = page(docs, "widget.Widget.send").text

    assert (
        "async def send(self, data: bytes, /, *more: bytes, timeout: float = 1.5, **options: object) -> None"
    ) in text
    assert "- `data` (bytes):\n  What to send." in text
    assert '```pycon\n>>> w.send(b"x")\n```' in text


def test_an_inherited_member_is_found_and_says_so(docs: PackageDocs) -> None:
    text = page(docs, "widget.Widget.inherited").text

    assert "Inherited from `widget._core.Base`" in text
    assert "Comes from the base." in text


def test_sphinx_fields_become_a_list(docs: PackageDocs) -> None:
    text = page(docs, "widget.make").text

    assert "- `kind` (str): which `widget.Widget`" in text
    assert "- returns: a widget" in text


@pytest.mark.parametrize("name", ["Widget.send", "make", "extra.more", "widget.extra.more", "more", "Base"])
def test_a_short_name_is_enough(docs: PackageDocs, name: str) -> None:
    assert page(docs, name).title.endswith(name)


def test_the_outline_has_public_names_only_and_modules_without_tests(docs: PackageDocs) -> None:
    paths = [entry.path for entry in docs.outline(WIDGET).entries]

    assert paths == ["widget", "widget.Widget", "widget.make", "widget.LIMIT", "widget.extra", "widget.extra.more"]


def test_a_name_that_does_not_exist_is_said_not_to(docs: PackageDocs) -> None:
    with pytest.raises(PartNotFound) as failure:
        page(docs, "widget.Gadget")
    assert "`widget` has no `Gadget` that its text shows" in failure.value.message


def test_a_module_page_lists_what_is_in_it(docs: PackageDocs) -> None:
    text = page(docs, "widget").text

    assert "Widgets." in text
    assert "- `widget.make(kind)`: Make one." in text
    assert "- `widget.extra` (module)" in text


def test_an_answer_follows_a_change_on_disk(tmp_path: Path) -> None:
    docs = widget(tmp_path, {"widget/__init__.py": "def one(): 'First.'\n"})
    assert "First." in page(docs, "widget.one").text

    write_files(site_packages(tmp_path), {"widget/__init__.py": "def one(a): 'Second text.'\ndef two(): ...\n"})

    assert "Second text." in page(docs, "widget.one").text
    assert page(docs, "widget.two")


def test_types_come_from_a_stub_and_words_from_the_source(tmp_path: Path) -> None:
    docs = widget(
        tmp_path,
        {
            "widget/__init__.py": "def f(a, b=1):\n    'Does f.'\ndef g(*args): ...\n",
            "widget/__init__.pyi": "def f(a: int, b: int = ..., c: str = ...) -> str: ...\n"
            "def g(x: int) -> str: ...\nclass OnlyInStub: ...\n",
        },
    )

    text = page(docs, "widget.f").text

    assert "def f(a: int, b: int = 1) -> str" in text  # the source decides which parameters there are
    assert "def g(x: int) -> str" in page(docs, "widget.g").text
    assert "Does f." in text
    assert "types from the stub `widget/__init__.pyi`" in text
    assert page(docs, "widget.OnlyInStub")


def test_a_function_of_overloads_only_is_found_with_all_of_them(tmp_path: Path) -> None:
    stub = (
        "from typing import overload\n@overload\ndef f(a: int) -> int: ...\n@overload\ndef f(a: str) -> str: ...\n"
        "class C:\n    @overload\n    def g(self, a: int) -> int: ...\n"
        "    @overload\n    def g(self, a: str) -> str: ...\n"
    )
    docs = widget(tmp_path, {"widget/__init__.pyi": stub, "widget/__init__.cpython-312.so": ""})

    assert "def f(a: int) -> int" in page(docs, "widget.f").text
    assert "def f(a: str) -> str" in page(docs, "widget.f").text
    assert "def g(self, a: str) -> str" in page(docs, "widget.C.g").text


def test_a_stub_package_of_another_distribution_gives_types(tmp_path: Path) -> None:
    make_distribution(tmp_path, "types-widget", "9.9", {"widget-stubs/__init__.pyi": "def f(a: int) -> str: ...\n"})
    docs = widget(tmp_path, {"widget/__init__.py": "def f(a):\n    'Does f.'\n"})

    text = page(docs, "widget.f").text

    assert "def f(a: int) -> str" in text
    assert "widget-stubs/__init__.pyi" in text


def test_a_compiled_module_is_said_to_be_one(tmp_path: Path) -> None:
    docs = widget(tmp_path, {"widget.cpython-312-x86_64-linux-gnu.so": ""})

    with pytest.raises(PartNotFound) as failure:
        page(docs, "widget.f")

    assert "is compiled: there is neither source nor stub" in failure.value.message
    assert "is compiled" in docs.outline(WIDGET).warnings[0]


def test_a_name_made_at_run_time_is_said_to_be_invisible(tmp_path: Path) -> None:
    docs = widget(tmp_path, {"widget/__init__.py": "def __getattr__(name): ...\n"})

    with pytest.raises(PartNotFound) as failure:
        page(docs, "widget.lazy")

    assert "makes names when it runs" in failure.value.message


def test_an_object_that_cannot_be_followed_spoils_only_its_own_line(tmp_path: Path) -> None:
    text = (
        "from absent import Gone\nfrom .loop import round_trip\ndef here(): 'Is here.'\n"
        "__all__ = ['Gone', 'round_trip', 'here']\n"
    )
    docs = widget(tmp_path, {"widget/__init__.py": text, "widget/loop.py": "from . import round_trip as round_trip\n"})

    entries = {entry.path: entry for entry in docs.outline(WIDGET).entries}

    assert entries["widget.Gone"].kind == "unresolved"
    assert "absent" in entries["widget.Gone"].summary
    assert entries["widget.round_trip"].kind == "unresolved"
    assert entries["widget.here"].summary == "Is here."


def test_a_syntax_error_is_a_problem_of_one_file(tmp_path: Path) -> None:
    docs = widget(tmp_path, {"widget/__init__.py": "def ok(): 'Fine.'\n", "widget/broken.py": "def (:\n"})

    outline = docs.outline(WIDGET)

    assert "widget.ok" in [entry.path for entry in outline.entries]
    assert any("`widget/broken.py` cannot be parsed" in warning for warning in outline.warnings)


def test_a_module_and_a_function_of_one_name_are_told_apart(tmp_path: Path) -> None:
    docs = widget(
        tmp_path,
        {
            "widget/__init__.py": "from .fence import fence, rule\n",
            "widget/fence.py": "def fence(): 'The function.'\ndef rule(): 'The rule.'\n",
        },
    )

    assert "The function." in page(docs, "widget.fence").text
    assert "The rule." in page(docs, "widget.rule").text
    assert "The rule." in page(docs, "widget.fence.rule").text


def test_star_imports_in_a_circle_end(tmp_path: Path) -> None:
    names = [f"m{number}" for number in range(8)]
    files = {f"widget/{name}.py": "".join(f"from .{other} import *\n" for other in names) for name in names}
    files["widget/__init__.py"] = "".join(f"from .{name} import *\n" for name in names)
    files["widget/m7.py"] += "def deep(): 'Found.'\n"
    docs = widget(tmp_path, files)

    assert "Found." in page(docs, "widget.deep").text
    with pytest.raises(PartNotFound):
        page(docs, "widget.absent")


def test_a_class_that_inherits_from_itself_ends(tmp_path: Path) -> None:
    docs = widget(tmp_path, {"widget/__init__.py": "class A(B): ...\nclass B(A): ...\nclass C(C): ...\n"})

    with pytest.raises(PartNotFound):
        page(docs, "widget.A.x")
    assert page(docs, "widget.C")


def test_an_outline_stops_when_its_time_is_over_and_says_so(tmp_path: Path) -> None:
    from sightline.library_docs.installed.python_api import PythonApi

    docs = widget(tmp_path, {"widget/__init__.py": "", "widget/a.py": "x = 1\n", "widget/b.py": "y = 1\n"})
    ticks = iter(range(0, 1_000, 3))
    api = PythonApi([site_packages(tmp_path)], lambda: float(next(ticks)))

    outline = api.outline(docs.package(WIDGET))

    assert outline.modules == ("widget.a", "widget.b")
    assert outline.warnings == ("2 modules and what is in them were not looked into",)


def test_a_module_of_the_standard_library_is_read_at_the_interpreters_version(tmp_path: Path) -> None:
    import json as real

    library = Path(real.__file__).parents[1]
    docs = docs_of(tmp_path, environment(tmp_path, standard_library=library, version="3.12.4"))

    found = docs.api_object(LibraryId("python", "json"), "json.dumps")

    assert found.address == "pkg:python/json@3.12.4#api/json.dumps"
    assert "Serialize" in found.text
    assert docs.read(found.address) == found
    overview = docs.overview(LibraryId("python", "asyncio"))
    assert "asyncio.TaskGroup" in overview.document.text
    assert "posixpath" in docs.api_object(LibraryId("python", "os"), "os.path.join").text


def test_a_module_that_is_built_in_is_said_to_have_no_source(tmp_path: Path) -> None:
    import json as real

    docs = docs_of(tmp_path, environment(tmp_path, standard_library=Path(real.__file__).parents[1]))

    with pytest.raises(PartNotFound):
        docs.api_object(LibraryId("python", "sys"), "sys.exit")
    with pytest.raises(Exception, match="no such module"):
        docs.package(LibraryId("python", "numpy"))


def test_nothing_of_a_package_is_executed(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    code = f"open({str(marker)!r}, 'w').write('x')\nraise SystemExit\ndef f(): 'Documented.'\n"
    docs = widget(tmp_path, {"widget/__init__.py": code, "widget/__main__.py": code})

    assert "Documented." in page(docs, "widget.f").text
    docs.outline(WIDGET)
    docs.topic(WIDGET, "documented things")

    assert not marker.exists()


def test_what_a_stub_declares_for_an_import_does_not_hide_the_source(tmp_path: Path) -> None:
    docs = widget(
        tmp_path,
        {
            "widget/__init__.py": "from ._impl import f, gone\nfrom ._impl import *\n",
            "widget/_impl.py": "def f(a, b=1):\n    'Does f.'\ndef starred(x):\n    'By a star.'\n",
            "widget/__init__.pyi": "def f(a: int, b: int = ..., extra: str = ...) -> str: ...\n"
            "def gone(a: int) -> str: ...\ndef starred(x: int) -> str: ...\n",
        },
    )

    text = page(docs, "widget.f").text

    assert "def f(a: int, b: int = 1) -> str" in text
    assert "Does f." in text
    assert "def gone(a: int) -> str" in page(docs, "widget.gone").text
    assert "By a star." in page(docs, "widget.starred").text


def test_all_overloads_are_shown_with_and_without_an_implementation(tmp_path: Path) -> None:
    source = (
        "from typing import overload\n"
        "@overload\ndef turn(a: int) -> int: ...\n@overload\ndef turn(a: str, b: int = 1) -> str: ...\n"
        "def turn(a, b=1): return a\n\ndef spin(data, stream=None, **more): ...\n"
        "class Wheel:\n    @overload\n    def __init__(self, a: int) -> None: ...\n"
        "    @overload\n    def __init__(self, *, b: str) -> None: ...\n    def __init__(self, *a, **b): ...\n"
    )
    stub = (
        "from typing import overload\n@overload\ndef spin(data: object, stream: str) -> None: ...\n"
        "@overload\ndef spin(data: object, stream: None = None) -> str: ...\n"
    )
    docs = widget(tmp_path, {"widget/__init__.py": source, "widget-stubs/__init__.pyi": stub})

    turn, spin, wheel = (page(docs, f"widget.{name}").text for name in ("turn", "spin", "Wheel"))
    assert "def turn(a: int) -> int" in turn
    assert "def turn(a: str, b: int = 1) -> str" in turn
    assert "def spin(data: object, stream: str) -> None" in spin
    assert "def spin(data: object, stream: None = None) -> str" in spin
    assert "def __init__(self, a: int) -> None" in wheel
    assert "def __init__(self, *, b: str) -> None" in wheel


def test_a_stub_that_lacks_a_parameter_does_not_hide_it(tmp_path: Path) -> None:
    files = {
        "widget/__init__.py": "def make(name, body=None, **options): ...\n",
        "widget/__init__.pyi": "def make(name: str, size: int = ...) -> None: ...\n",
    }
    assert "def make(name: str, body=None, **options) -> None" in page(widget(tmp_path, files), "widget.make").text
