"""What `package.json` and the lock files of the npm clients declare, read from real files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sightline.library_docs.resolving.declared import Declared, DeclaredPackages
from sightline.library_docs.resolving.manifests import declared_near

PNPM_5 = """lockfileVersion: 5.4
specifiers:
  react: ^18.0.0
  '@types/node': '20'
dependencies:
  react: 18.2.0
devDependencies:
  '@types/node': 20.1.0_abc@1.0.0
packages:
  /react/18.2.0:
    dependencies:
      loose-envify: 1.4.0
"""
PNPM_6 = """lockfileVersion: '6.0'
dependencies:
  react:
    specifier: ^18.0.0
    version: 18.2.0
devDependencies:
  '@types/node':
    specifier: '20'
    version: 20.1.0
"""
PNPM_9 = """lockfileVersion: '9.0'

settings:
  autoInstallPeers: true

importers:

  .:
    dependencies:
      react:
        specifier: ^18.0.0
        version: 18.2.0(peer@1.0.0)
    devDependencies:
      '@types/node':
        specifier: '20'
        version: 20.1.0

  packages/a:
    dependencies:
      react:
        specifier: ^17.0.0
        version: 17.0.2
      inner:
        specifier: workspace:*
        version: link:../inner

packages:

  react@18.2.0:
    resolution: {integrity: sha512-x}
"""
YARN_1 = """# yarn lockfile v1


"@types/node@20", "@types/node@>=18":
  version "20.1.0"
  resolved "https://example.com/x.tgz#abc"

react@^17.0.0:
  version "17.0.2"

react@^18.0.0:
  version "18.2.0"
  dependencies:
    loose-envify "^1.1.0"
"""
YARN_2 = """__metadata:
  version: 8
  cacheKey: 10

"@types/node@npm:20, @types/node@npm:>=18":
  version: 20.1.0
  resolution: "@types/node@npm:20.1.0"

"react@npm:^18.0.0":
  version: 18.2.0

"react@npm:^17.0.0":
  version: 17.0.2

"shop@workspace:.":
  version: 0.0.0-use.local
"""
NPM_3 = json.dumps(
    {
        "lockfileVersion": 3,
        "packages": {
            "": {"name": "shop"},
            "node_modules/react": {"version": "18.2.0"},
            "node_modules/@types/node": {"version": "20.1.0"},
            "node_modules/react/node_modules/react": {"version": "1.0.0"},
        },
    }
)
NPM_1 = json.dumps(
    {
        "lockfileVersion": 1,
        "dependencies": {
            "react": {"version": "18.2.0", "dependencies": {"react": {"version": "1.0.0"}}},
            "@types/node": {"version": "20.1.0"},
            "fork": {"version": "git+ssh://example.com/fork.git#abc"},
        },
    }
)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def package_json(folder: Path, **tables: object) -> None:
    write(folder / "package.json", json.dumps({"name": "shop", **tables}))


def versions(found: DeclaredPackages) -> dict[str, str | None]:
    return {package.name: package.locked_version for package in found.packages}


def test_all_four_tables_are_read_and_the_first_wins(tmp_path: Path) -> None:
    package_json(
        tmp_path,
        dependencies={"react": "^18", "odd": 3},
        devDependencies={"vite": "5", "react": "^17"},
        peerDependencies={"zod": "*"},
        optionalDependencies={"fsevents": "2"},
    )

    found = declared_near(tmp_path, tmp_path)

    specifiers = {package.name: package.specifier for package in found.packages}
    assert specifiers == {"react": "^18", "vite": "5", "zod": "*", "fsevents": "2"}
    assert found.kinds == ("npm",)


def test_an_alias_is_declared_as_the_package_that_it_stands_for(tmp_path: Path) -> None:
    package_json(tmp_path, dependencies={"old": "npm:@scope/thing@^1", "bare": "npm:thing"})
    lock = {"packages": {"node_modules/old": {"version": "1.4.0"}}}
    write(tmp_path / "package-lock.json", json.dumps(lock))

    found = declared_near(tmp_path, tmp_path)

    assert found.packages == (
        Declared("npm", "@scope/thing", "^1", "1.4.0", "package.json", known_as="old"),
        Declared("npm", "thing", None, None, "package.json", known_as="bare"),
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("package-lock.json", NPM_3),
        ("package-lock.json", NPM_1),
        ("npm-shrinkwrap.json", NPM_3),
        ("pnpm-lock.yaml", PNPM_5),
        ("pnpm-lock.yaml", PNPM_6),
        ("pnpm-lock.yaml", PNPM_9),
        ("yarn.lock", YARN_1),
        ("yarn.lock", YARN_2),
    ],
    ids=["npm 3", "npm 1", "shrinkwrap", "pnpm 5", "pnpm 6", "pnpm 9", "yarn 1", "yarn 2"],
)
def test_each_lock_file_says_the_version_of_what_is_declared(tmp_path: Path, name: str, text: str) -> None:
    package_json(tmp_path, dependencies={"react": "^18.0.0"}, devDependencies={"@types/node": "20"})
    write(tmp_path / name, text)

    found = declared_near(tmp_path, tmp_path)

    assert versions(found) == {"react": "18.2.0", "@types/node": "20.1.0"}
    assert found.files == ("package.json", name)
    assert found.warnings == ()


def test_a_workspace_sees_its_own_version_before_the_one_above(tmp_path: Path) -> None:
    package_json(tmp_path)
    lock = {
        "packages": {
            "packages/a": {"name": "a"},
            "packages/a/node_modules/react": {"version": "17.0.2"},
            "node_modules/react": {"version": "18.2.0"},
            "node_modules/zod": {"version": "4.0.0"},
        }
    }
    write(tmp_path / "package-lock.json", json.dumps(lock))
    package_json(tmp_path / "packages" / "a", dependencies={"react": "*"})
    package_json(tmp_path / "examples" / "b", dependencies={"react": "*"})

    assert versions(declared_near(tmp_path / "packages" / "a", tmp_path)) == {"react": "17.0.2", "zod": "4.0.0"}
    assert versions(declared_near(tmp_path / "examples" / "b", tmp_path)) == {"react": None}


def test_a_pnpm_workspace_gets_the_versions_of_its_importer(tmp_path: Path) -> None:
    package_json(tmp_path)
    write(tmp_path / "pnpm-lock.yaml", PNPM_9)
    package_json(tmp_path / "packages" / "a", dependencies={"react": "^17.0.0", "inner": "workspace:*"})

    assert versions(declared_near(tmp_path / "packages" / "a", tmp_path)) == {"react": "17.0.2", "inner": None}


def test_a_yarn_lock_with_several_versions_answers_only_for_the_exact_request(tmp_path: Path) -> None:
    package_json(tmp_path, dependencies={"react": "^16", "@types/node": "19"})
    write(tmp_path / "yarn.lock", YARN_1)

    assert versions(declared_near(tmp_path, tmp_path)) == {"react": None, "@types/node": "20.1.0"}


def test_a_file_that_only_marks_a_folder_is_no_manifest(tmp_path: Path) -> None:
    package_json(tmp_path, dependencies={"react": "18"})
    write(tmp_path / "dist" / "package.json", '{"type": "module"}')

    assert "react" in versions(declared_near(tmp_path / "dist" / "x.js", tmp_path))


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("package-lock.json", '{\n  "packages": {\n', 3),
        ("package-lock.json", "[]", 1),
        ("package-lock.json", "{\n<<<<<<< HEAD\n", 2),
        ("pnpm-lock.yaml", "hello: world\n", 1),
        ("yarn.lock", "# yarn lockfile v1\n\nrubbish\n", 3),
    ],
)
def test_a_malformed_lock_is_named_with_the_line_and_the_manifest_is_read(
    tmp_path: Path, name: str, text: str, line: int
) -> None:
    package_json(tmp_path, dependencies={"react": "18"})
    write(tmp_path / name, text)

    found = declared_near(tmp_path, tmp_path)

    assert versions(found) == {"react": None}
    assert [(warning.file, warning.line) for warning in found.warnings] == [(name, line)]


def test_a_malformed_package_json_is_named_and_python_is_read(tmp_path: Path) -> None:
    write(tmp_path / "package.json", '{"dependencies": {"react": }}')
    write(tmp_path / "requirements.txt", "click\n")

    found = declared_near(tmp_path, tmp_path)

    assert [warning.file for warning in found.warnings] == ["package.json"]
    assert found.kinds == ("pypi",)


def test_json_that_is_nested_without_end_is_refused(tmp_path: Path) -> None:
    package_json(tmp_path, dependencies={"react": "18"})
    write(tmp_path / "package-lock.json", '{"a":' * 100_000)

    assert "nested" in declared_near(tmp_path, tmp_path).warnings[0].message


@pytest.mark.parametrize(
    ("written", "version"),
    [
        ("18.2.0-rc.1", "18.2.0-rc.1"),
        ("thing@1.4.0", "1.4.0"),
        ("/@scope/thing@1.4.0(x@2.0.0)", "1.4.0"),
        ("/thing/1.4.0", "1.4.0"),
        ("https://example.com/x-1.2.3.tgz", None),
        ("link:../react-18.0.0", None),
    ],
)
def test_a_pnpm_version_is_read_in_all_its_forms(tmp_path: Path, written: str, version: str | None) -> None:
    package_json(tmp_path, dependencies={"react": "*"})
    write(
        tmp_path / "pnpm-lock.yaml",
        f"lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      react:\n        version: {written}\n",
    )

    assert versions(declared_near(tmp_path, tmp_path)) == {"react": version}
