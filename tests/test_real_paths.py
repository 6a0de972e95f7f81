"""The real paths of many files are those that `Path.resolve` gives, one by one."""

from __future__ import annotations

from pathlib import Path

from sightline.real_paths import RealPaths


def test_every_path_is_where_resolve_says(tmp_path: Path) -> None:
    (tmp_path / "real" / "deep").mkdir(parents=True)
    (tmp_path / "real" / "file").write_text("")
    (tmp_path / "folder").symlink_to("real")
    (tmp_path / "real" / "link").symlink_to("../real/file")
    (tmp_path / "broken").symlink_to("nowhere/at/all")
    names = (
        *("real/file", "folder/file", "folder/link", "folder/deep/new", "folder/deep/../file", "folder/.."),
        *("broken", "broken/below", "missing/file", "real/missing", "."),
    )
    paths = [tmp_path / name for name in names]
    real_paths = RealPaths()
    assert [real_paths.of(path) for path in (*paths, *paths)] == [path.resolve() for path in (*paths, *paths)]
    assert real_paths.of(Path("here")) == Path("here").resolve()
