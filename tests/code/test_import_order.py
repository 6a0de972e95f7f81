"""The order of a folder check: what changed, what imports it, and so on outwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.code.import_order import ImportIndex

FILES = {
    "shop/__init__.py": "",
    "shop/core.py": "import os\n",
    "shop/a_far.py": "from shop import near\n",
    "shop/near.py": "from .core import thing\n",
    "shop/z_near.py": "from shop import (\n    other,\n    core as middle,\n)\n",
    "shop/sub/__init__.py": "from .. import core\n",
    "shop/sub/deep.py": "from ..core import x\n",
    "shop/sub/user.py": "import shop.sub.deep as deep, json\n",
    "shop/alone.py": "text = 'shop.core'\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


def _order(project: Path, *changed: str, index: ImportIndex | None = None) -> list[str]:
    index = index or ImportIndex()
    files = sorted(str(project / name) for name in FILES)
    paths = [str(project / name) for name in changed]
    index.learn(files, paths, project)
    return [str(Path(path).relative_to(project)) for path in index.nearest_first(files, paths)]


def test_what_changed_comes_first_then_its_importers_then_theirs(project: Path) -> None:
    order = _order(project, "shop/core.py")

    assert order[0] == "shop/core.py"
    assert set(order[1:5]) == {"shop/near.py", "shop/z_near.py", "shop/sub/__init__.py", "shop/sub/deep.py"}
    assert set(order[5:7]) == {"shop/a_far.py", "shop/sub/user.py"}
    assert order[-1] == "shop/alone.py" or order[-2] == "shop/alone.py"


def test_every_file_is_in_the_order_once(project: Path) -> None:
    assert sorted(_order(project, "shop/sub/deep.py")) == sorted(FILES)


def test_an_import_that_came_or_went_counts_at_once(project: Path) -> None:
    index = ImportIndex()
    _order(project, "shop/core.py", index=index)
    (project / "shop/alone.py").write_text("from shop.core import x\n")
    (project / "shop/near.py").write_text("\n")
    _order(project, "shop/alone.py", "shop/near.py", index=index)

    order = _order(project, "shop/core.py", index=index)

    assert order.index("shop/alone.py") < 5
    assert order.index("shop/near.py") > 5


def test_the_importers_of_a_file_that_went_come_first(project: Path) -> None:
    index = ImportIndex()
    _order(project, "shop/alone.py", index=index)
    (project / "shop/sub/deep.py").unlink()

    order = _order(project, "shop/sub/deep.py", index=index)

    assert order[:2] == ["shop/sub/deep.py", "shop/sub/user.py"]
