"""What Python manifests and lock files declare, read from real files."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.library_docs.resolving.declared import Declared, DeclaredPackages
from sightline.library_docs.resolving.manifests import declared_near


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def specifiers(found: DeclaredPackages) -> dict[str, str | None]:
    return {package.name: package.specifier for package in found.packages}


def test_a_standard_pyproject_gives_dependencies_extras_and_groups(tmp_path: Path) -> None:
    write(
        tmp_path / "pyproject.toml",
        """
        [project]
        name = "shop"
        dependencies = ["Flask>=3", 'typing_extensions ; python_version < "3.12"', "zope.interface"]
        [project.optional-dependencies]
        docs = ["sphinx~=8.0"]
        [dependency-groups]
        dev = ["pytest>=8", {include-group = "lint"}]
        lint = ["ruff"]
        """,
    )

    found = declared_near(tmp_path, tmp_path)

    assert specifiers(found) == {
        "flask": ">=3",
        "typing-extensions": None,
        "zope-interface": None,
        "sphinx": "~=8.0",
        "pytest": ">=8",
        "ruff": None,
    }
    assert (found.kinds, found.files, found.warnings) == (("pypi",), ("pyproject.toml",), ())


def test_poetry_pdm_and_uv_tables_are_read(tmp_path: Path) -> None:
    write(
        tmp_path / "pyproject.toml",
        """
        [tool.poetry.dependencies]
        python = "^3.11"
        requests = "^2.28"
        django = {version = "5.0", extras = ["argon2"]}
        inner = {path = "../inner"}
        torch = [{version = "1", python = "<3.12"}, {version = "2", python = ">=3.12"}]
        [tool.poetry.dev-dependencies]
        black = "*"
        [tool.poetry.group.test.dependencies]
        pytest = "8.0"
        [tool.pdm.dev-dependencies]
        lint = ["flake8>=6", "-e file:///x#egg=y"]
        [tool.uv]
        dev-dependencies = ["mypy"]
        """,
    )

    assert specifiers(declared_near(tmp_path, tmp_path)) == {
        "flake8": ">=6",
        "mypy": None,
        "requests": "^2.28",
        "django": "5.0",
        "inner": "../inner",
        "torch": None,
        "black": "*",
        "pytest": "8.0",
    }


def test_setup_cfg_and_pipfile_are_read(tmp_path: Path) -> None:
    write(
        tmp_path / "setup.cfg",
        "[options]\ninstall_requires =\n    click>=8\n    # why\n    rich\n"
        "[options.extras_require]\ndev =\n    tox==4\n",
    )
    write(tmp_path / "Pipfile", '[packages]\nflask = "*"\n[dev-packages]\npytest = {version = ">=8"}\n')

    expected = {"click": ">=8", "rich": None, "tox": "==4", "flask": "*", "pytest": ">=8"}
    assert specifiers(declared_near(tmp_path, tmp_path)) == expected


def test_requirements_with_includes_continuations_and_options(tmp_path: Path) -> None:
    write(
        tmp_path / "requirements.txt",
        "--index-url https://example.com/simple\n-r more/extra.txt\nrequests[socks]==2.31.0 \\\n    --hash=sha256:ab\n"
        "flask>=2  # web\ngit+https://example.com/x.git#egg=From_Egg\n-e ./local\nhttps://example.com/y.whl\n",
    )
    write(tmp_path / "more" / "extra.txt", "-r ../requirements.txt\nattrs===23.1\n")
    write(tmp_path / "requirements-dev.txt", "pytest\n")

    found = declared_near(tmp_path, tmp_path)

    assert specifiers(found) == {
        "requests": "==2.31.0",
        "flask": ">=2",
        "from-egg": None,
        "attrs": "===23.1",
        "pytest": None,
    }
    assert found.warnings == ()
    pinned = {package.name: package.locked_version for package in found.packages if package.locked_version}
    assert pinned == {"requests": "2.31.0", "attrs": "23.1"}


def test_an_include_outside_the_root_is_not_read(tmp_path: Path) -> None:
    write(tmp_path / "secret.txt", "password\n")
    root = tmp_path / "project"
    write(root / "requirements.txt", "-r ../secret.txt\n-r none.txt\nclick\n")
    (root / "requirements-link.txt").symlink_to(tmp_path / "secret.txt")

    found = declared_near(root, root)

    assert specifiers(found) == {"click": None}
    assert len(found.warnings) >= 2
    assert any("out of the project" in warning.message for warning in found.warnings)
    assert any((warning.line, "does not exist" in warning.message) == (2, True) for warning in found.warnings)


def test_only_the_pip_part_of_a_conda_environment_is_read(tmp_path: Path) -> None:
    write(
        tmp_path / "environment.yml",
        "name: x\ndependencies:\n  - python=3.11\n  - pytorch=2.1\n  - pip:\n      - requests==2.31\n"
        '      - "rich>=13"\n      - -r requirements.txt\n  - numpy\n',
    )

    assert specifiers(declared_near(tmp_path, tmp_path)) == {"requests": "==2.31", "rich": ">=13"}


LOCKS = {
    "uv.lock": 'version = 1\n[[package]]\nname = "click"\nversion = "8.1.7"\nsource = { registry = "x" }\n'
    '[[package]]\nname = "colorama"\nversion = "0.4.6"\n[package.metadata]\nname = "not-this"\nversion = "9"\n',
    "poetry.lock": '[[package]]\nname = "click"\nversion = "8.1.7"\noptional = false\nfiles = [\n'
    '    {file = "a", hash = "b"},\n]\n[[package]]\nname = "Colorama"\nversion = "0.4.6"\n[metadata]\nname = "x"\n',
    "pdm.lock": "[[package]]\nname = 'click'\nversion = '8.1.7'\n\n"
    '[[package]]\nname = "colorama"\nversion = "0.4.6"\n',
    "pylock.toml": 'lock-version = "1.0"\n[[packages]]\nname = "click"\nversion = "8.1.7"\n'
    '[[packages]]\nname = "colorama"\nversion = "0.4.6"\n',
    "Pipfile.lock": '{"default": {"click": {"version": "==8.1.7"}}, "develop": {"colorama": {"version": "==0.4.6"}}}',
}


@pytest.mark.parametrize("lock", LOCKS)
def test_each_lock_file_says_the_version_of_direct_and_indirect_packages(tmp_path: Path, lock: str) -> None:
    write(tmp_path / "pyproject.toml", '[project]\ndependencies = ["click>=8"]\n')
    write(tmp_path / lock, LOCKS[lock])

    found = declared_near(tmp_path / "src" / "module.py", tmp_path)

    assert found.packages == (
        Declared("pypi", "click", ">=8", "8.1.7", "pyproject.toml"),
        Declared("pypi", "colorama", None, "0.4.6", lock, is_direct=False),
    )


def test_a_package_locked_at_several_versions_has_none(tmp_path: Path) -> None:
    package = '[[package]]\nname = "numpy"\nversion = "{}"\n'
    write(tmp_path / "uv.lock", package.format("1.26") + package.format("2.1") + package.format("2.1"))

    found = declared_near(tmp_path, tmp_path)

    assert [(package.name, package.locked_version) for package in found.packages] == [("numpy", None)]


def test_the_nearest_manifest_decides(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[project]\ndependencies = ["flask"]\n')
    write(tmp_path / "service" / "pyproject.toml", '[project]\ndependencies = ["django"]\n')
    write(tmp_path / "service" / "tools" / "pyproject.toml", "[tool.ruff]\nline-length = 100\n")

    assert specifiers(declared_near(tmp_path / "service" / "tools" / "x.py", tmp_path)) == {"django": None}
    assert specifiers(declared_near(tmp_path / "other" / "x.py", tmp_path)) == {"flask": None}


def test_nothing_above_the_root_is_looked_at(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[project]\ndependencies = ["flask"]\n')
    root = tmp_path / "project"
    root.mkdir()

    assert declared_near(root, root) == DeclaredPackages()
    assert declared_near(tmp_path, root) == DeclaredPackages()


def test_a_lock_above_counts_only_for_members_of_its_workspace(tmp_path: Path) -> None:
    member = '[[package]]\nname = "a"\nversion = "0"\nsource = { editable = "packages/a" }\n'
    write(tmp_path / "uv.lock", '[[package]]\nname = "click"\nversion = "8.1"\n' + member)
    for name in ("packages/a", "packages/b"):
        write(tmp_path / name / "pyproject.toml", '[project]\ndependencies = ["click"]\n')

    inside = declared_near(tmp_path / "packages" / "a", tmp_path).of("pypi", "click")
    outside = declared_near(tmp_path / "packages" / "b", tmp_path).of("pypi", "click")

    assert inside
    assert outside
    assert (inside.locked_version, outside.locked_version) == ("8.1", None)
    assert declared_near(tmp_path / "packages" / "a", tmp_path).of("pypi", "a") is None


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("pyproject.toml", '[project]\nname = "x"\ndependencies = [\n', 4),
        ("pyproject.toml", "[project\n", 1),
        ("setup.cfg", "stray\n[options]\n", 1),
        ("setup.cfg", "[options]\n= 3\n", 2),
        ("Pipfile.lock", '{\n"default": {,}\n}', 2),
        ("uv.lock", 'version = 1\n<<<<<<< HEAD\n[[package]]\nname = "x"\nversion = "1"\n', 2),
        ("poetry.lock", '[[package]]\nname = "x\nversion = "1"\n', 2),
        ("requirements-bad.txt", "ok\n===\n", 2),
        ("pdm.lock", "\n\xff", 2),
    ],
)
def test_a_malformed_file_is_named_with_the_line_and_the_others_are_read(
    tmp_path: Path, name: str, text: str, line: int
) -> None:
    (tmp_path / name).write_bytes(text.encode("latin-1"))
    write(tmp_path / "requirements.txt", "click\n")

    found = declared_near(tmp_path, tmp_path)

    assert "click" in specifiers(found)
    assert [(warning.file, warning.line) for warning in found.warnings] == [(name, line)]
    assert str(found.warnings[0]).startswith(f"`{name}:{line}`: ")


def test_a_file_over_the_limit_is_not_read(tmp_path: Path) -> None:
    write(tmp_path / "requirements.txt", "click\n" + "#" * 2_000_000)

    found = declared_near(tmp_path, tmp_path)

    assert found.packages == ()
    assert "larger than" in found.warnings[0].message


def test_a_chain_of_includes_is_cut(tmp_path: Path) -> None:
    for number in range(40):
        write(tmp_path / "chain" / f"r{number}.txt", f"-r r{number + 1}.txt\np{number}\n")
    write(tmp_path / "requirements.txt", "-r chain/r0.txt\n")

    found = declared_near(tmp_path, tmp_path)

    assert len(found.packages) == 29
    assert "the rest is not read" in found.warnings[-1].message


def test_what_is_no_requirement_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[project]\ndependencies = ["click", "!!", "rich"]\n')

    found = declared_near(tmp_path, tmp_path)

    assert specifiers(found) == {"click": None, "rich": None}
    assert [str(warning) for warning in found.warnings] == ["`pyproject.toml`: not a requirement: !!"]


def test_a_folder_where_a_manifest_should_be_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").mkdir()
    write(tmp_path / "requirements.txt", "click\n")

    assert specifiers(declared_near(tmp_path, tmp_path)) == {"click": None}


def test_windows_line_ends_and_a_byte_order_mark_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_bytes(b"\xef\xbb\xbfclick==8.1\r\nrich\r\n")

    assert specifiers(declared_near(tmp_path, tmp_path)) == {"click": "==8.1", "rich": None}
