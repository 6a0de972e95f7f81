"""The size limits, held against small trees of files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check_sizes.py"


def test_a_tree_within_the_limits_passes_in_silence(tmp_path: Path) -> None:
    write(tmp_path / "src" / "basket.py", function_of(60))

    ended = check_sizes(tmp_path)

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_a_function_over_the_limit_is_named_with_its_place(tmp_path: Path) -> None:
    write(tmp_path / "src" / "shop" / "basket.py", "import os\n\n\n" + function_of(61))

    ended = check_sizes(tmp_path)

    assert ended.returncode == 1
    assert ended.stdout == "src/shop/basket.py:4: function `total` has 61 lines; the limit is 60\n"


def test_a_method_that_is_async_counts_like_a_function(tmp_path: Path) -> None:
    method = "".join(f"    {line}" for line in function_of(61).replace("def", "async def").splitlines(keepends=True))
    write(tmp_path / "tests" / "test_basket.py", "class Basket:\n" + method)

    ended = check_sizes(tmp_path)

    assert ended.stdout == "tests/test_basket.py:2: function `total` has 61 lines; the limit is 60\n"


def test_a_module_over_the_limit_is_named_and_one_at_the_limit_is_not(tmp_path: Path) -> None:
    write(tmp_path / "bench" / "full.py", "x = 1\n" * 500)
    write(tmp_path / "bench" / "over.py", "x = 1\n" * 501)

    ended = check_sizes(tmp_path)

    assert ended.returncode == 1
    assert ended.stdout == "bench/over.py:501: module has 501 lines; the limit is 500\n"


def test_names_that_say_nothing_are_refused_for_modules_and_packages(tmp_path: Path) -> None:
    write(tmp_path / "scripts" / "utils.py", "")
    write(tmp_path / "src" / "helpers" / "basket.py", "")
    write(tmp_path / "src" / "base_prices.py", "")

    ended = check_sizes(tmp_path)

    assert [line.split(": ")[0] for line in ended.stdout.splitlines()] == [
        "src/helpers/basket.py:1",
        "scripts/utils.py:1",
    ]


def function_of(lines: int) -> str:
    return "def total():\n" + "    x = 1\n" * (lines - 1)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def check_sizes(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True, check=False)
