"""What Claude Code would say to an action."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.sync.model import PermissionKind, PermissionRule, Provenance, Scope
from sightline.sync.permission_commands import forms_past_anything, forms_past_safe, split_command
from sightline.sync.permission_samples import sample_actions
from sightline.sync.permissions import Action, ActionKind, Permissions, is_at_most
from sightline.sync.source.rule_text import parse_rule

CWD = Path("/work/shop")
HOME = Path("/home/ada")
CONFIG = HOME / ".claude"


def _rule(text: str, *, anchor: Path = CWD, scope: Scope = Scope.PROJECT) -> PermissionRule:
    """`deny Bash(x)` as a rule."""
    effect, _, rest = text.partition(" ")
    tool, pattern = parse_rule(rest)
    provenance = Provenance(CWD / "settings.json", 1, scope)
    return PermissionRule(text, provenance, PermissionKind(effect), tool, pattern, anchor, rest)


def _verdict(rules: list[str], action: Action, *, mode: str = "default") -> str:
    return Permissions([_rule(rule) for rule in rules], CWD, HOME, mode=mode).decide(action).verdict.value


def _bash(rules: list[str], command: str) -> str:
    return _verdict(rules, Action(ActionKind.BASH, command))


@pytest.mark.parametrize(
    ("pattern", "command", "verdict"),
    [
        ("npm test", "npm test", "allow"),
        ("npm test", "npm test x", "ask"),
        ("npm test", "npm testx", "ask"),
        ("npm run test *", "npm run test", "allow"),
        ("npm run test *", "npm run test unit", "allow"),
        ("npm run test *", "npm run testx", "ask"),
        ("npm run test:*", "npm run test unit", "allow"),
        ("npm run test:*", "npm run test", "allow"),
        ("npm run test:*", "npm run test:unit", "ask"),
        ("npm run test*", "npm run test:unit", "allow"),
        ("lsx*", "lsxof", "allow"),
        ("docker * --rm *", "docker run --rm alpine", "allow"),
        ("docker * --rm *", "docker run -it --rm alpine sh", "allow"),
        ("docker * --rm *", "docker run --rm", "ask"),
        ("docker * --rm *", "docker run alpine", "ask"),
        ("* --version", "node --version", "allow"),
        ("* --version", "node --version x", "ask"),
        ("git * main", "git push origin main", "allow"),
        ("a:*b", "axb", "ask"),
        ("a:*b", "a:*b", "allow"),
        (r"echo \*x", "echo *x", "allow"),
        (r"mv \*x", "mv axx", "ask"),
        ("*", "anything at all", "allow"),
        ("npm test", "  npm test ", "allow"),
    ],
)
def test_allow_patterns(pattern: str, command: str, verdict: str) -> None:
    assert _bash([f"allow Bash({pattern})"], command) == verdict


def test_a_bare_tool_allows_every_command() -> None:
    assert _bash(["allow Bash"], "make all") == "allow"


def test_deny_beats_ask_beats_allow_in_any_order() -> None:
    rules = ["allow Bash(git *)", "ask Bash(git push *)", "deny Bash(git push --force *)"]
    for order in (rules, rules[::-1]):
        assert _bash(order, "git fetch") == "allow"
        assert _bash(order, "git push origin") == "ask"
        assert _bash(order, "git push --force origin") == "deny"


@pytest.mark.parametrize("separator", [" && ", " || ", "; ", " | ", " |& ", " & ", "\n", "&&", ";"])
def test_every_part_of_a_compound_command_must_be_allowed(separator: str) -> None:
    rules = ["allow Bash(npm test)", "allow Bash(make *)", "deny Bash(rm *)"]
    assert _bash(rules, f"npm test{separator}make all") == "allow"
    assert _bash(rules, f"npm test{separator}npm publish") == "ask"
    assert _bash(rules, f"npm test{separator}rm -rf x") == "deny"
    assert _bash(rules, f"rm -rf x{separator}npm test") == "deny"


def test_a_star_does_not_reach_over_a_separator() -> None:
    assert _bash(["allow Bash(npm *)"], "npm test && curl x") == "ask"


@pytest.mark.parametrize("text", ["'a && b'", '"a; b | c"', r"a\;b", r"a \&\& b", "'x\ny'"])
def test_separators_in_quotes_separate_nothing(text: str) -> None:
    assert split_command(f"git commit -m {text}").parts == (f"git commit -m {text}",)


@pytest.mark.parametrize(
    "prefix",
    [
        "timeout 30 ",
        "timeout -k 5 30s ",
        "timeout --signal=KILL 1.5m ",
        "time ",
        "time -p ",
        "nice ",
        "nice -n 10 ",
        "nice -5 ",
        "nohup ",
        "stdbuf -oL ",
        "stdbuf -o L -e0 ",
        "command ",
        "builtin ",
        "noglob ",
        "xargs ",
        "timeout 5 nice nohup ",
        "NO_COLOR=1 timeout 5 ",
    ],
)
def test_wrappers_are_seen_through(prefix: str) -> None:
    assert _bash(["allow Bash(npm test *)"], f"{prefix}npm test x") == "allow"
    assert _bash(["allow Bash", "deny Bash(rm *)"], f"{prefix}rm x") == "deny"
    assert _bash(["allow Bash", "ask Bash(rm x)"], f"{prefix}rm x") == "ask"


@pytest.mark.parametrize(
    "prefix", ["xargs -n1 ", "sudo ", "npx ", "env ", "command -p ", "docker exec c ", "timeout x "]
)
def test_other_prefixes_are_commands_of_their_own(prefix: str) -> None:
    assert _bash(["allow Bash(npm test *)"], f"{prefix}npm test x") == "ask"
    assert _bash([f"allow Bash({prefix}*)"], f"{prefix}npm test x") == "allow"


@pytest.mark.parametrize(
    ("prefix", "allowed"),
    [
        ("NODE_ENV=test ", "allow"),
        ("NO_COLOR=1 TZ=UTC ", "allow"),
        ("LANG='C' ", "allow"),
        ("FOO=1 ", "ask"),
        ("NODE_ENV=$(x) ", "ask"),
        ("TZ=$HOME ", "ask"),
        ("NO_COLOR=1 FOO=1 ", "ask"),
        ("LD_PRELOAD=./x.so ", "ask"),
        ("nohup FOO=1 ", "ask"),
        ("nohup TZ=UTC ", "ask"),
    ],
)
def test_allow_sees_past_safe_variables_only_and_deny_past_all(prefix: str, allowed: str) -> None:
    assert _bash(["allow Bash(npm test)"], f"{prefix}npm test") == allowed
    assert _bash(["allow Bash", "deny Bash(rm *)"], f"{prefix}rm x") == "deny"


def test_quoted_values_of_variables_are_passed_whole() -> None:
    assert "rm x" in forms_past_anything("A='x y' B=\"p q\" rm x")
    assert forms_past_safe("TERM='x y' FOO=2 rm x") == ("TERM='x y' FOO=2 rm x", "FOO=2 rm x")


@pytest.mark.parametrize(
    "command",
    [
        "echo $(rm x)",
        "echo `rm x`",
        'echo "$(rm x)"',
        'echo "a `rm x`"',
        "(rm x)",
        "{ rm x; }",
        "cat <(rm x)",
        "echo $(echo $(rm x))",
        "! rm x",
        "if rm x; then ls; fi",
        "for f in a; do rm $f; done",
        "while true; do\nrm x\ndone",
        "( (rm x) )",
        "rm  x",
        "\\rm x",
        "'rm' x",
        'FOO=1 timeout 5 "rm" x',
        "r\\\nm x",
        "echo $'it\\'s' && rm x",
        "echo 'open; rm x",
    ],
)
def test_a_deny_reaches_into_substitutions_and_groups(command: str) -> None:
    assert _bash(["allow Bash", "deny Bash(rm *)"], command) == "deny"
    assert _bash(["allow Bash", "ask Bash(rm *)"], command) == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "echo $(ls)",
        "echo 'open",
        "(ls)",
        "! ls",
        "for f in a; do ls; done",
        "f() { ls; }",
        "cat <<E\nx\nE",
        'echo "`ls`"',
    ],
)
def test_what_cannot_be_taken_apart_for_sure_is_asked(command: str) -> None:
    assert _bash(["allow Bash"], command) == "ask"


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("ls", "allow"),
        ("ls -la src", "allow"),
        ("cat README.md | grep x | wc -l", "allow"),
        ("git log --oneline", "allow"),
        ("git push", "ask"),
        ("git diff --output=x", "ask"),
        ("find . -name x", "allow"),
        ("find . -delete", "ask"),
        ("cat /etc/passwd", "ask"),
        ("cd sub && ls", "allow"),
        ("cd sub && git status", "ask"),
        ("cd /", "ask"),
        ("echo $HOME", "ask"),
        ("ls > out.txt", "ask"),
        ("ls > /dev/null 2>&1", "allow"),
        ("lsof", "ask"),
        ("", "ask"),
    ],
)
def test_reading_commands_need_no_rule(command: str, verdict: str) -> None:
    assert _bash([], command) == verdict


def test_rules_go_before_the_built_in_set() -> None:
    assert _bash(["deny Bash(ls *)"], "ls") == "deny"
    assert _bash(["ask Bash(git log *)"], "git log") == "ask"


@pytest.mark.parametrize("command", ["watch npm test", "setsid x", "flock f x", "ionice x", "find . -exec rm {} +"])
def test_some_commands_are_allowed_by_exact_rules_only(command: str) -> None:
    name = command.split(" ", maxsplit=1)[0]
    assert _bash([f"allow Bash({name} *)", "allow Bash"], command) == "ask"
    assert _bash([f"allow Bash({command})"], command) == "allow"


def test_a_redirection_is_an_edit() -> None:
    rules = ["allow Bash(npm test *)", "allow Edit(/out/**)", "deny Edit(.env)"]
    assert _bash(rules, "npm test > out/log.txt") == "allow"
    assert _bash(rules, "npm test > log.txt") == "ask"
    assert _bash(rules, "npm test >> .env") == "deny"
    assert _bash(rules, "npm test 2>.env") == "deny"
    assert _bash(rules, "npm test &> .env") == "deny"
    assert _bash(rules, "npm test 2>&1") == "allow"


def test_read_rules_reach_files_that_known_commands_name() -> None:
    rules = ["allow Bash", "deny Read(.env)"]
    assert _bash(rules, "cat .env") == "deny"
    assert _bash(rules, "head -5 src/.env") == "deny"
    assert _bash(rules, "grep x .env") == "deny"
    assert _bash(rules, "python x.py < .env") == "deny"
    assert _bash(rules, "timeout 5 cat -n ./src/../.env") == "deny"
    assert _bash(rules, "python x.py .env") == "allow"
    plain = Permissions([_rule(rule) for rule in rules], CWD, HOME, checks_paths_in_commands=False)
    assert plain.decide(Action(ActionKind.BASH, "cat .env")).verdict is PermissionKind.ALLOW


@pytest.mark.parametrize(
    ("pattern", "path", "is_match"),
    [
        (".env", ".env", True),
        (".env", "a/b/.env", True),
        (".env", ".env.local", False),
        (".env", "/other/.env", False),
        ("./.env", ".env", True),
        ("*.pem", "a/k.pem", True),
        ("secrets/**", "secrets/a/b", True),
        ("secrets/**", "app/secrets/a", True),
        ("a/b/**", "a/b/c", True),
        ("a/b/**", "x/a/b/c", False),
        ("/src/*.py", "src/a.py", True),
        ("/src/*.py", "src/d/a.py", False),
        ("/src/**/*.py", "src/d/e/a.py", True),
        ("/src", "src/deep/a.py", True),
        ("//etc/**", "/etc/passwd", True),
        ("//etc/passwd", "/etc/passwd", True),
        ("//**/.env", "/any/where/.env", True),
        ("/etc/**", "/etc/passwd", False),
        ("~/.ssh/**", "/home/ada/.ssh/id", True),
        ("~/.ssh/**", "~/.ssh/id", True),
        ("~/.ssh/**", "/home/eve/.ssh/id", False),
        ("../up/**", "/work/up/a", True),
        ("../../x", "/x", True),
        ("docs/*.md", "docs/../docs/a.md", True),
        ("#x", "#x", True),
    ],
)
def test_path_patterns_of_a_deny(pattern: str, path: str, is_match: bool) -> None:
    action = Action(ActionKind.READ, path)
    with_rule = _verdict([f"deny Read({pattern})"], action)
    assert (with_rule == "deny") is is_match


def test_one_folder_in_an_allow_is_only_the_one_here() -> None:
    assert _verdict(["allow Edit(src/**)"], Action(ActionKind.EDIT, "src/a")) == "allow"
    assert _verdict(["allow Edit(src/**)"], Action(ActionKind.EDIT, "lib/src/a")) == "ask"
    assert _verdict(["allow Edit", "ask Edit(src/**)"], Action(ActionKind.EDIT, "lib/src/a")) == "ask"


def test_a_leading_slash_starts_at_the_settings_file() -> None:
    rule = _rule("deny Read(/notes/**)", anchor=CONFIG, scope=Scope.USER)
    permissions = Permissions([rule], CWD, HOME)
    assert permissions.decide(Action(ActionKind.READ, "/home/ada/.claude/notes/x")).verdict is PermissionKind.DENY
    assert permissions.decide(Action(ActionKind.READ, "notes/x")).verdict is PermissionKind.ALLOW


def test_a_read_deny_blocks_edits_and_an_edit_deny_does_not_block_reads() -> None:
    assert _verdict(["deny Read(.env)", "allow Edit"], Action(ActionKind.EDIT, ".env")) == "deny"
    assert _verdict(["deny Edit(.env)"], Action(ActionKind.READ, ".env")) == "allow"


def test_paths_on_other_tools_are_never_consulted() -> None:
    assert _verdict(["allow Write(src/**)"], Action(ActionKind.EDIT, "src/a", tool="Write")) == "ask"
    assert _verdict(["allow Edit", "deny Write(src/**)"], Action(ActionKind.EDIT, "src/a", tool="Write")) == "allow"


def test_a_bare_edit_rule_covers_all_tools_that_write_and_a_bare_write_rule_only_write() -> None:
    assert _verdict(["deny Edit"], Action(ActionKind.EDIT, "a", tool="Write")) == "deny"
    assert _verdict(["deny Write"], Action(ActionKind.EDIT, "a", tool="Write")) == "deny"
    assert _verdict(["allow Edit", "deny Write"], Action(ActionKind.EDIT, "a")) == "allow"
    assert _verdict(["deny Read"], Action(ActionKind.READ, "a", tool="Grep")) == "deny"


def test_a_link_is_judged_by_both_of_its_ends() -> None:
    inside_out = Action(ActionKind.READ, "src/link", leads_to="/etc/passwd")
    assert _verdict(["allow Read(src/**)"], inside_out) == "ask"
    assert _verdict(["deny Read(//etc/**)"], inside_out) == "deny"
    assert _verdict([], inside_out) == "ask"


def test_without_rules_reading_nearby_is_allowed_and_the_rest_is_asked() -> None:
    assert _verdict([], Action(ActionKind.READ, "a")) == "allow"
    assert _verdict([], Action(ActionKind.READ, "../a")) == "ask"
    assert _verdict([], Action(ActionKind.EDIT, "a")) == "ask"
    assert _verdict([], Action(ActionKind.EDIT, "a"), mode="acceptEdits") == "allow"
    assert _verdict([], Action(ActionKind.EDIT, "../a"), mode="acceptEdits") == "ask"
    assert _verdict([], Action(ActionKind.EDIT, ".git/config"), mode="acceptEdits") == "ask"
    wide = Permissions([], CWD, HOME, additional_directories=(Path("/work/lib"),))
    assert wide.decide(Action(ActionKind.READ, "/work/lib/a")).verdict is PermissionKind.ALLOW
    assert wide.decide(Action(ActionKind.READ, "/work/libx/a")).verdict is PermissionKind.ASK


def test_modes_that_skip_prompts_allow_nothing_here_and_one_denies_instead_of_asking() -> None:
    for mode in ("auto", "bypassPermissions", "plan"):
        assert _verdict([], Action(ActionKind.BASH, "make"), mode=mode) == "ask"
    assert _verdict([], Action(ActionKind.BASH, "make"), mode="dontAsk") == "deny"
    assert _verdict(["allow Bash(make)"], Action(ActionKind.BASH, "make"), mode="dontAsk") == "allow"


@pytest.mark.parametrize(
    ("pattern", "address", "is_match"),
    [
        ("domain:example.com", "https://example.com/x", True),
        ("domain:example.com", "http://EXAMPLE.com:8080/", True),
        ("domain:example.com", "https://docs.example.com/", False),
        ("domain:example.com", "https://example.com.evil.org/", False),
        ("domain:example.com", "https://example.com@evil.org/", False),
        ("domain:*.example.com", "https://a.b.example.com/", True),
        ("domain:*.example.com", "https://example.com/", False),
        ("domain:example.*", "https://example.org/", True),
        ("domain:example.*", "https://example.evil.com/", False),
        ("domain:*", "https://anything.org/", True),
        ("https://example.com", "https://example.com", False),
    ],
)
def test_hosts(pattern: str, address: str, is_match: bool) -> None:
    action = Action(ActionKind.WEBFETCH, address)
    assert (_verdict([f"allow WebFetch({pattern})"], action) == "allow") is is_match
    assert (_verdict([f"deny WebFetch({pattern})"], action) == "deny") is is_match


@pytest.mark.parametrize(
    ("effect", "tool", "name", "is_match"),
    [
        ("allow", "mcp__gh", "mcp__gh__get", True),
        ("allow", "mcp__gh", "mcp__ghx__get", False),
        ("allow", "mcp__gh__*", "mcp__gh__get", True),
        ("allow", "mcp__gh__get_*", "mcp__gh__get_x", True),
        ("allow", "mcp__gh__get_*", "mcp__gh__set_x", False),
        ("allow", "mcp__*", "mcp__gh__get", False),
        ("allow", "*", "mcp__gh__get", False),
        ("deny", "mcp__*", "mcp__gh__get", True),
        ("deny", "*", "mcp__gh__get", True),
        ("ask", "mcp__*__set", "mcp__gh__set", True),
        ("deny", "mcp__gh__get", "mcp__gh__get_all", False),
    ],
)
def test_mcp_tools(effect: str, tool: str, name: str, is_match: bool) -> None:
    expected = effect if is_match else "ask"
    rules = [f"{effect} {tool}"] if effect == "allow" else [f"{effect} {tool}", "allow mcp__gh"]
    if effect != "allow" and not is_match:
        expected = "allow"
    assert _verdict(rules, Action(ActionKind.MCP, name)) == expected


def test_tool_globs_in_deny_reach_every_kind() -> None:
    for action in (
        Action(ActionKind.BASH, "ls"),
        Action(ActionKind.READ, "a"),
        Action(ActionKind.WEBFETCH, "https://a.b"),
    ):
        assert _verdict(["deny *"], action) == "deny"
    assert _verdict(["allow B*"], Action(ActionKind.BASH, "make")) == "ask"


def test_parameters_count_in_deny_and_ask_only() -> None:
    background = Action(ActionKind.BASH, "make", parameters={"run_in_background": "true"})
    assert _verdict(["allow Bash(make)", "deny Bash(run_in_background:true)"], background) == "deny"
    assert (
        _verdict(["allow Bash(make)", "deny Bash(run_in_background:true)"], Action(ActionKind.BASH, "make")) == "allow"
    )
    tool = Action(ActionKind.MCP, "mcp__a__b", parameters={"mode": "write"})
    assert _verdict(["allow mcp__a", "ask mcp__a__b(mode:w*)"], tool) == "ask"
    assert _verdict(["allow mcp__a__b(mode:w*)"], tool) == "ask"


def test_the_deciding_rule_is_named() -> None:
    rules = [_rule("allow Bash(git *)"), _rule("deny Bash(git push *)")]
    permissions = Permissions(rules, CWD, HOME)
    assert permissions.decide(Action(ActionKind.BASH, "ls && git push x")).rule is rules[1]
    assert permissions.decide(Action(ActionKind.BASH, "ls && git fetch")).rule is rules[0]
    assert permissions.decide(Action(ActionKind.BASH, "ls")).rule is None


def test_the_corpus_is_large_has_all_kinds_and_grows_with_rules() -> None:
    actions = sample_actions()
    assert len(actions) >= 80
    assert {action.kind for action in actions} == set(ActionKind)
    assert len({(action.kind, action.value) for action in actions}) == len(actions)
    rules = [_rule("deny Bash(terraform apply *)"), _rule("deny Read(~/x/**)"), _rule("ask WebFetch(domain:*.a.b)")]
    more = {action.value for action in sample_actions(rules)}
    assert {"terraform apply more", "FOO=1 terraform apply", "~/x/deep/er", "https://any.a.b/"} <= more


def test_the_corpus_tells_rules_apart() -> None:
    """Each rule changes the answer to at least one action: otherwise the corpus could not show a widening."""
    rules = ["deny Bash(rm -rf *)", "ask Bash(git push:*)", "deny Read(./.env)", "deny Read(~/.ssh/**)", "ask WebFetch"]
    rules += [
        "allow Bash(npm run test *)",
        "allow Bash(git push)",
        "allow mcp__github",
        "deny Bash(curl *)",
        "allow Edit",
    ]
    for text in rules:
        rule = _rule(text)
        actions = sample_actions([rule], cwd=CWD)
        others = (
            [] if rule.effect is PermissionKind.ALLOW else [_rule(f"allow {tool}") for tool in ("Bash", "WebFetch")]
        )
        without, with_it = Permissions(others, CWD, HOME), Permissions([*others, rule], CWD, HOME)
        assert any(without.decide(action).verdict is not with_it.decide(action).verdict for action in actions), text


_RULES = ["allow Bash(git *)", "allow Bash", "ask Bash(git push *)", "deny Bash(rm *)", "deny Read(.env)", "allow Edit"]


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.sampled_from(_RULES), unique=True), st.sampled_from(["deny Bash(* x)", "ask Bash(git *)", "deny Read"])
)
def test_one_more_deny_or_ask_never_makes_an_answer_laxer(rules: list[str], added: str) -> None:
    before = Permissions([_rule(rule) for rule in rules], CWD, HOME)
    after = Permissions([_rule(rule) for rule in (*rules, added)], CWD, HOME)
    for action in sample_actions():
        assert is_at_most(after.decide(action).verdict, before.decide(action).verdict)


@settings(deadline=None, max_examples=40)
@given(st.text(alphabet="ab '\"\\$(){}`|&;<>\n=#*~1", max_size=40))
def test_no_text_breaks_the_reader_or_slips_past_a_deny_of_everything(command: str) -> None:
    assert split_command(command) is not None
    assert _bash(["allow Bash", "deny Bash(*)"], command) == "deny"
