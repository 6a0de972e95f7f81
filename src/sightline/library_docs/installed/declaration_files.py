"""Where the type declarations of an npm package are: its entry points, and what a module name in one leads to."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

from sightline.library_docs.installed.contained_files import FileRefused, is_plain_name, real_path_inside
from sightline.library_docs.installed.node_packages import read_manifest

_TYPES = (".d.ts", ".d.mts", ".d.cts")
_CODE = {".js": ".d.ts", ".mjs": ".d.mts", ".cjs": ".d.cts", ".jsx": ".d.ts", ".ts": ".d.ts", ".tsx": ".d.ts"}
_MOST_ENTRIES = 1_000
_DEEPEST = 8


def is_declaration_file(name: str) -> bool:
    return name.endswith(_TYPES)


def entry_points(folder: Path) -> dict[str, str]:
    """Declaration files by import subpath: `""` for the package itself, `server` for `name/server`."""
    manifest = read_manifest(folder) or {}
    found: dict[str, str] = {}
    for subpath, target in _declared(manifest):
        if len(found) >= _MOST_ENTRIES:
            break
        file = declaration_file(folder, target)
        if file and subpath not in found:
            found[subpath] = file
    return found


def subpath_file(folder: Path, subpath: str) -> str | None:
    """The declaration file of one import; a package without an `exports` map offers all its files."""
    manifest = read_manifest(folder) or {}
    found = entry_points(folder).get(subpath)
    if found or not subpath or not is_plain_name(subpath):
        return found
    if "exports" not in manifest:
        return declaration_file(folder, subpath)
    return _by_pattern(folder, manifest.get("exports"), f"./{subpath}")


def inner_file(folder: Path, name: str) -> str | None:
    """The declaration file of a name that the package gives to its own modules, such as `#internal/x`."""
    imports: object = (read_manifest(folder) or {}).get("imports")
    known = cast("dict[str, object]", imports) if isinstance(imports, dict) else {}
    for target in _targets(known.get(name), _DEEPEST):
        if found := declaration_file(folder, target):
            return found
    return _by_pattern(folder, known, name)


def _by_pattern(folder: Path, patterns: object, name: str) -> str | None:
    """The file behind a key with a star, which stands for the same text on both sides."""
    for key, value in cast("dict[str, object]", patterns).items() if isinstance(patterns, dict) else ():
        before, star, after = key.partition("*")
        if not star or not name.startswith(before) or not name.endswith(after) or len(name) < len(key) - 1:
            continue
        middle = name[len(before) : len(name) - len(after)]
        for target in _targets(value, _DEEPEST):
            if is_plain_name(middle) and (found := declaration_file(folder, target.replace("*", middle))):
                return found
    return None


def declaration_file(folder: Path, target: str) -> str | None:
    """The declaration file that a path in the package stands for; None if there is none."""
    path = posixpath.normpath(target.removeprefix("./"))
    stem, ending = posixpath.splitext(path)
    candidates = [path] if path.endswith(_TYPES) else []
    candidates += [stem + _CODE[ending]] if ending in _CODE else []
    candidates += [path + each for each in _TYPES]
    candidates += [posixpath.join(path, "index" + each) for each in _TYPES]
    candidates += [stem + ".d.ts"] if ending in _CODE else []
    return next((each for each in candidates if _is_file(folder, posixpath.normpath(each))), None)


def _declared(manifest: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    exports = manifest.get("exports")
    for key in ("types", "typings"):
        if isinstance(value := manifest.get(key), str):
            yield "", value
    if isinstance(exports, dict) and any(key.startswith(".") for key in cast("dict[str, object]", exports)):
        for subpath, value in cast("dict[str, object]", exports).items():
            if "*" not in subpath:
                yield from ((subpath.removeprefix(".").strip("/"), each) for each in _targets(value, _DEEPEST))
    elif exports is not None:
        yield from (("", each) for each in _targets(cast("object", exports), _DEEPEST))
    if isinstance(main := manifest.get("main"), str):
        yield "", main
    yield "", "index.d.ts"


def _targets(value: object, depth: int) -> Iterator[str]:
    """Files behind a condition of `exports`, those for types first."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from _targets(each, depth - 1) if depth else ()
    elif isinstance(value, dict) and depth:
        conditions = cast("dict[str, object]", value)
        for key in sorted(
            conditions, key=lambda name: (not name.startswith("types"), name != "import", name == "default")
        ):
            yield from _targets(conditions[key], depth - 1)


def _is_file(folder: Path, relative: str) -> bool:
    try:
        return Path(real_path_inside(folder, relative)).is_file()
    except (FileRefused, OSError):
        return False
