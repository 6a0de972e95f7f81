"""Instruction files, rules, comments, tags and imports."""

from __future__ import annotations

import pytest

from sightline.sync.model import Instructions, ItemKind, Scope, SourceTree
from sightline.sync.source.globs import compile_glob, expand_braces
from sightline.sync.source.markdown_text import read_lines
from tests.sync.source.trees import SmallSource, only_problem


def _project_file(tree: SourceTree) -> Instructions:
    return next(item for item in tree.instructions if item.item_id == "instructions:CLAUDE.md@project")


def _text(tree: SourceTree, target: str = "codex", *, committed: bool = True) -> str:
    return _project_file(tree).text_for(target, committed=committed)


def test_files_come_in_loading_order_with_their_scopes(source: SmallSource) -> None:
    for folder, text in ((source.config, "user"), (source.project.parent, "above"), (source.project, "root")):
        source.write(folder / "CLAUDE.md", text)
    source.write(source.project / ".claude/CLAUDE.md", "dot")
    source.write(source.project / "CLAUDE.local.md", "local")
    source.write(source.project / "api/CLAUDE.md", "start")
    source.write(source.project / "api/deep/CLAUDE.md", "below")
    source.write(source.project / "other/CLAUDE.md", "beside the start")
    tree = source.read(source.project / "api")
    assert [(item.parts[0].text, item.provenance.scope, item.is_on_demand) for item in tree.instructions] == [
        ("user", Scope.USER, False),
        ("above", Scope.LOCAL, False),
        ("root", Scope.PROJECT, False),
        ("dot", Scope.PROJECT, False),
        ("local", Scope.LOCAL, False),
        ("start", Scope.PROJECT, False),
        ("below", Scope.PROJECT, True),
    ]


def test_personal_text_never_gets_into_a_committed_output(source: SmallSource) -> None:
    source.write(source.config / "CLAUDE.md", "mine")
    source.write(source.project / "CLAUDE.local.md", "mine")
    source.write(source.project.parent / "CLAUDE.md", "mine")
    source.write(source.project / "CLAUDE.md", "shared\n@CLAUDE.local.md\n@~/.claude/CLAUDE.md\n@../CLAUDE.md\n")
    tree = source.read()
    committed = [item.text_for("codex", committed=True) for item in tree.instructions]
    assert [text for text in committed if text] == ["shared\n"]
    assert _text(tree, committed=False) == "shared\nmine\nmine\nmine\n"


def test_an_import_in_the_project_through_a_link_that_leaves_it_is_private(source: SmallSource) -> None:
    source.write(source.root / "outside.md", "outside")
    source.write(source.project / "CLAUDE.md", "@link.md\n")
    (source.project / "link.md").symlink_to(source.root / "outside.md")
    tree = source.read()
    assert _text(tree) == ""
    (part,) = _project_file(tree).parts
    assert (part.text, part.is_private, part.is_outside_project) == ("outside\n", True, True)


def test_what_an_outside_file_imports_from_the_project_stays_private(source: SmallSource) -> None:
    source.write(source.home / "out.md", "@../work/shop/in.md\n")
    source.write(source.project / "in.md", "inside")
    source.write(source.project / "CLAUDE.md", "@~/out.md\n")
    assert _text(source.read()) == ""


def test_imports_are_relative_to_the_importing_file(source: SmallSource) -> None:
    source.write(source.project / "CLAUDE.md", "top\n@docs/a.md\nend\n")
    source.write(source.project / "docs/a.md", "a\n@sub/b.md\n")
    source.write(source.project / "docs/sub/b.md", "b")
    tree = source.read()
    assert _text(tree) == "top\na\nb\nend\n"
    assert [(part.provenance.file.name, part.provenance.line) for part in _project_file(tree).parts] == [
        ("CLAUDE.md", 1),
        ("a.md", 1),
        ("b.md", 1),
        ("CLAUDE.md", 3),
    ]


def test_an_import_in_a_sentence_follows_its_paragraph(source: SmallSource) -> None:
    source.write(source.project / "CLAUDE.md", "See @a.md and @b\\ c.md#part\nfirst.\n\nnext\n")
    source.write(source.project / "a.md", "A")
    source.write(source.project / "b c.md", "B")
    assert _text(source.read()) == "See a.md and b\\ c.md#part\nfirst.\n\nA\nB\n\nnext\n"


def test_an_import_may_be_a_list_item(source: SmallSource) -> None:
    source.write(source.project / "CLAUDE.md", "- @a.md\n- other\n")
    source.write(source.project / "a.md", "A\n")
    assert _text(source.read()) == "A\n- other\n"


@pytest.mark.parametrize(
    "text",
    [
        "`@a.md`\n",
        "``x ` @a.md``\n",
        "`over\n@a.md lines`\n",
        "```\n@a.md\n```\n",
        "~~~sh\n```\n@a.md\n~~~\n",
        "- x\n  ```\n  @a.md\n  ```\n",
        "text\n\n    @a.md\n",
        "mail@a.md\n",
        "(@a.md)\n",
    ],
)
def test_imports_in_code_and_inside_of_words_are_none(source: SmallSource, text: str) -> None:
    source.write(source.project / "CLAUDE.md", text)
    source.write(source.project / "a.md", "IMPORTED")
    assert _text(source.read()) == text


def test_five_hops_are_one_too_many(source: SmallSource) -> None:
    source.write(source.project / "CLAUDE.md", "@h1.md\n")
    for hop in range(1, 6):
        source.write(source.project / f"h{hop}.md", f"hop {hop}\n@h{hop + 1}.md\n")
    tree = source.read()
    assert _text(tree) == "hop 1\nhop 2\nhop 3\nhop 4\n@h5.md\n"
    assert "4 hops" in only_problem(tree).message


def test_a_circle_ends_and_is_reported(source: SmallSource) -> None:
    source.write(source.project / "CLAUDE.md", "one\n@b.md\n")
    source.write(source.project / "b.md", "two\n@CLAUDE.md\n")
    tree = source.read()
    assert _text(tree) == "one\ntwo\n"
    assert only_problem(tree).is_warning


def test_a_missing_import_is_a_warning_with_its_line_and_a_mention_is_not(source: SmallSource) -> None:
    source.write(source.project / "CLAUDE.md", "ask @alice\n\n@docs/none.md\n")
    tree = source.read()
    problem = only_problem(tree)
    assert (problem.line, problem.is_warning) == (3, True)
    assert _text(tree) == "ask @alice\n\n@docs/none.md\n"


def test_imports_that_multiply_are_stopped_and_block(source: SmallSource) -> None:
    for name, following in (("CLAUDE", "a"), ("a", "b"), ("b", "c")):
        source.write(source.project / f"{name}.md", f"@{following}.md\n" * 30)
    source.write(source.project / "c.md", "x" * 1000)
    assert ItemKind.INSTRUCTIONS in source.read().blocked_kinds


def test_block_comments_go_and_those_in_code_and_sentences_stay(source: SmallSource) -> None:
    text = "a\n<!-- one -->\n<!-- two\nlines --> rest\nb <!-- stays -->\n```\n<!-- code -->\n```\n"
    source.write(source.project / "CLAUDE.md", text)
    assert _text(source.read()) == "a\n rest\nb <!-- stays -->\n```\n<!-- code -->\n```\n"


def test_tags_choose_the_targets(source: SmallSource) -> None:
    text = "all\n<!-- sync:codex-only -->\n@a.md\n<!-- sync:end -->\n<!-- sync:exclude -->\nno\n<!-- sync:end -->\n"
    source.write(source.project / "CLAUDE.md", text + "<!-- harness:gemini -->\nG\n<!-- /harness:gemini -->\nend\n")
    source.write(source.project / "a.md", "C\n")
    tree = source.read()
    assert _text(tree, "codex") == "all\nC\nend\n"
    assert _text(tree, "gemini") == "all\nG\nend\n"
    assert _text(tree, "opencode") == "all\nend\n"


def test_override_files_are_for_their_target_only(source: SmallSource) -> None:
    source.write(source.project / ".claude/CLAUDE.gemini.md", "for gemini")
    source.write(source.project / ".harness-sync/overrides/codex.md", "for codex")
    tree = source.read()
    assert [item.text_for("gemini", committed=True) for item in tree.instructions] == ["", "for gemini"]
    assert [item.only_for for item in tree.instructions] == ["codex", "gemini"]


@pytest.mark.parametrize("is_link", [False, True])
def test_text_of_an_output_does_not_go_into_it_again(source: SmallSource, is_link: bool) -> None:
    output = source.write(source.project / "AGENTS.md", "shared notes\n")
    if is_link:
        (source.project / "CLAUDE.md").symlink_to("AGENTS.md")
    else:
        source.write(source.project / "CLAUDE.md", "@AGENTS.md\nown\n")
    item = _project_file(source.read())
    assert item.text_for("codex", committed=True, output=output) == ("" if is_link else "own\n")
    assert "shared notes" in item.text_for("gemini", committed=True, output=source.project / "GEMINI.md")


def test_excluded_files_are_left_out_by_their_absolute_path(source: SmallSource) -> None:
    source.write(source.project / "legacy/CLAUDE.md", "old")
    source.write(source.project / ".claude/rules/old.md", "old")
    excludes = ["**/legacy/CLAUDE.md", f"{source.project}/.claude/rules/**"]
    source.write(source.config / "settings.json", {"claudeMdExcludes": excludes})
    tree = source.read()
    assert (tree.instructions, tree.rules) == ((), ())


def test_a_file_that_is_not_text_blocks_instructions(source: SmallSource) -> None:
    source.write(source.project / "CLAUDE.md", b"ok\nnot \xff utf-8")
    tree = source.read()
    assert only_problem(tree).line == 2
    assert tree.blocked_kinds == {ItemKind.INSTRUCTIONS}


def test_a_byte_order_mark_is_no_text(source: SmallSource) -> None:
    source.write(source.project / "CLAUDE.md", "\ufeffhello\r\n".encode())
    assert _text(source.read()) == "hello\r\n"


def test_rules_have_paths_and_unknown_fields_are_reported(source: SmallSource) -> None:
    source.write(source.config / "rules/mine.md", "mine")
    text = "---\npaths:\n  - 'src/**/*.{ts,tsx}'\n  - '*.md'\nowner: me\n---\nBody @x.md\n"
    source.write(source.project / ".claude/rules/api/rest.md", text)
    source.write(source.project / ".claude/rules/x.md", "---\npaths: a/**, b/**\n---\nX\n")
    tree = source.read()
    assert [(rule.item_id, rule.paths) for rule in tree.rules] == [
        ("rule:mine@user", ()),
        ("rule:x@project", ("a/**", "b/**")),
        ("rule:api/rest@project", ("src/**/*.{ts,tsx}", "*.md")),
    ]
    assert [(key.key, key.provenance.line) for key in tree.unknown_keys] == [("owner", 5)]
    assert tree.rules[2].parts[0].provenance.line == 7


def test_rules_behind_a_link_are_read_and_a_link_in_a_circle_ends(source: SmallSource) -> None:
    source.write(source.root / "shared/team.md", "team")
    (source.project / ".claude/rules").mkdir(parents=True)
    (source.project / ".claude/rules/shared").symlink_to(source.root / "shared")
    (source.root / "shared/again").symlink_to(source.root / "shared")
    assert [rule.name for rule in source.read().rules] == ["shared/team"]


def test_a_malformed_rule_blocks_itself_alone(source: SmallSource) -> None:
    source.write(source.project / ".claude/rules/bad.md", "---\npaths: [a\n---\nX\n")
    source.write(source.project / ".claude/rules/good.md", "Good\n")
    tree = source.read()
    assert [rule.name for rule in tree.rules] == ["good"]
    assert (tree.blocked_items, tree.blocked_kinds) == ({"rule:bad@project"}, frozenset())


def test_lines_survive_a_scan_without_comments() -> None:
    text = "a\x0cb\u2028c\r\n\n  - x `y`\nlast"
    assert "".join(line.text for line in read_lines(text)) == text


@pytest.mark.parametrize(
    ("pattern", "path", "is_match"),
    [
        ("**/a.md", "/x/y/a.md", True),
        ("**/a.md", "a.md", True),
        ("*.md", "x/a.md", False),
        ("src/**", "src/a/b", True),
        ("src/**/t.{js,ts}", "src/t.ts", True),
        ("src/?.[ch]", "src/a.h", True),
        ("src/[!a].c", "src/a.c", False),
        ("a.c", "abc", False),
    ],
)
def test_globs(pattern: str, path: str, is_match: bool) -> None:
    assert (compile_glob(pattern).fullmatch(path) is not None) is is_match


def test_braces_expand_within_a_budget() -> None:
    assert expand_braces("a{b,c{d,e}}f") == ["abf", "acdf", "acef"]
    assert expand_braces("{x}") == ["{x}"]
    huge = "{a,b}" * 20
    assert expand_braces(huge) == [huge]


def test_a_long_word_behind_an_at_sign_is_no_import(source: SmallSource) -> None:
    text = f"Ask @{'x' * 300} and @{'y/' * 2500}z.\n"
    source.write(source.project / "CLAUDE.md", text)
    assert _text(source.read()) == text
