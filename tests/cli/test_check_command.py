"""`sightline check`: a type check for people and for scripts, by the real Pyright."""

from __future__ import annotations

from tests.cli.command_line import CommandLine

WRONG = 'amount: int = "one"\n'


def test_a_clean_file_ends_with_zero(sightline: CommandLine) -> None:
    sightline.write("good.py", "amount: int = 1\n")
    ended = sightline.run("check", "good.py")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("clean: 0 errors")


def test_errors_are_listed_plainly_when_piped_and_end_with_one(sightline: CommandLine) -> None:
    sightline.write("good.py", "amount: int = 1\n")
    sightline.write("wrong.py", WRONG)
    ended = sightline.run("check")
    assert (ended.code, ended.err) == (1, "")
    assert ended.out.startswith("wrong.py:1:15: error: ")
    assert "[reportAssignmentType]" in ended.out
    assert ended.out.splitlines()[-1].startswith("errors: 1 error, 0 warnings, 0 information in 2 files")
    assert "\x1b" not in ended.out


def test_on_a_terminal_errors_are_red_and_the_place_is_bold(sightline: CommandLine) -> None:
    sightline.write("wrong.py", WRONG)
    ended = sightline.run_on_a_terminal("check", "wrong.py")
    assert ended.code == 1
    assert "\x1b[1mwrong.py:1:15\x1b[0m: \x1b[31merror\x1b[0m: " in ended.out
    assert "\x1b[31m\x1b[1merrors\x1b[0m: 1 error" in ended.out


def test_a_warning_is_listed_and_ends_with_zero(sightline: CommandLine) -> None:
    sightline.write("pyrightconfig.json", '{"reportAssignmentType": "warning"}')
    sightline.write("wrong.py", WRONG)
    listed = sightline.run("check", "wrong.py")
    assert listed.code == 0
    assert "wrong.py:1:15: warning: " in listed.out


def test_a_check_of_nothing_is_unknown_and_ends_with_three(sightline: CommandLine) -> None:
    (sightline.project / "empty").mkdir()
    ended = sightline.run("check", "empty")
    assert ended.code == 3
    assert ended.out.startswith("unknown: nothing was checked")


def test_a_path_that_does_not_exist_ends_with_three_and_says_so_on_stderr(sightline: CommandLine) -> None:
    sightline.write("basket.py", "")
    ended = sightline.run("check", "baskt.py")
    assert (ended.code, ended.out) == (3, "")
    assert "error file_not_found: `baskt.py`" in ended.err
    assert "did you mean `basket.py`?" in ended.err


def test_the_python_version_and_the_least_severity_are_passed_on(sightline: CommandLine) -> None:
    sightline.write("pyrightconfig.json", '{"reportAssignmentType": "warning"}')
    sightline.write("new.py", WRONG + "type Number = int\n")
    ended = sightline.run("check", "new.py", "--python-version", "3.9", "--severity", "error")
    assert ended.code == 1
    assert "new.py:2:1: error: " in ended.out
    assert "new.py:1:15" not in ended.out
    assert "1 warning" in ended.out


def test_a_check_that_is_switched_off_ends_with_three(sightline: CommandLine) -> None:
    ended = sightline.run("check", "--set", "server.exclude_tools=check_types")
    assert (ended.code, ended.out) == (3, "")
    assert "server.exclude_tools" in ended.err
