"""The text files of the hard project: instructions, rules, skills, commands, agents, and foreign target files."""

from __future__ import annotations

from textwrap import dedent


def _text(text: str) -> str:
    return dedent(text).lstrip("\n")


PROJECT_TEXTS: dict[str, str] = {
    "CLAUDE.md": _text("""
        # Shop

        <!-- a block comment for people only -->
        Read @docs/style.md before you write, and `@not/an/import.md` is code.

        @docs/testing.md
        @~/private/outside.md
        @docs/missing.md

        ```sh
        echo "@docs/style.md" # not an import
        <!-- kept: inside of a fence -->
        ```

        <!-- sync:codex-only -->
        Only Codex reads this.
        <!-- sync:end -->
        <!-- sync:exclude -->
        No target reads this.
        <!-- sync:end -->
        Ask alice@example.com about `$1` and `\\$5`.
        """),
    "CLAUDE.codex.md": "Only for Codex, by file.\n",
    ".claude/CLAUDE.md": "Second project file.\n",
    "CLAUDE.local.md": "PERSONAL: my sandbox address is 10.0.0.7.\n",
    "docs/style.md": "Two spaces. <!-- inline comments stay -->\n@nested/deep.md\n",
    "docs/nested/deep.md": "Deep text.\n@deeper.md\n",
    "docs/nested/deeper.md": "Deeper text.\n@../style.md\n",
    "docs/testing.md": "Run the tests.\n",
    "web/CLAUDE.md": "Only for the web folder.\n",
    "web/.claude/skills/paint/SKILL.md": "---\ndescription: Paint the page\n---\nPaint.\n",
    "legacy/CLAUDE.md": "EXCLUDED: by claudeMdExcludes.\n",
    ".claude/rules/always.md": "Always be kind.\n",
    ".claude/rules/api/rest.md": _text("""
        ---
        paths:
          - "src/api/**/*.{ts,tsx}"
          - "*.md"
        ---
        Use nouns in paths.
        """),
    ".claude/rules/front.md": "---\npaths: web/**\nowner: web-team\n---\nUse the design tokens.\n",
    ".claude/skills/release/SKILL.md": _text("""
        ---
        name: release
        description: Cut a release when asked: tag, notes, upload
        when_to_use: the user says "ship it"
        argument-hint: [version]
        arguments: version channel
        disable-model-invocation: yes
        user-invocable: on
        allowed-tools: Bash(git tag *), Read
        disallowed-tools:
          - WebFetch
        model: opus
        effort: high
        context: fork
        agent: reviewer
        paths: CHANGELOG.md, docs/**
        license: MIT
        compatibility: needs git
        metadata:
          owner: build
        future-field: 1
        ---
        Run ${CLAUDE_SKILL_DIR}/scripts/tag.sh $ARGUMENTS[0] for $version on $channel.
        Costs \\$5, second is $1, `$0` in code. !`git status`
        """),
    ".claude/skills/release/scripts/tag.sh": '#!/bin/sh\ngit tag "$1"\n',
    ".claude/skills/release/reference/notes.md": "# Notes\n",
    ".claude/skills/shared-name/SKILL.md": "---\ndescription: project version\n---\nProject text.\n",
    ".claude/skills/synced/SKILL.md": "---\ndescription: reserved\n---\nNever loaded.\n",
    ".claude/commands/fix.md": _text("""
        ---
        description: Fix an issue
        argument-hint: [id]
        ---
        Fix $1 of $ARGUMENTS, \\$1 stays, @docs/style.md
        """),
    ".claude/commands/db/migrate.md": "Migrate: !`make migrate` with $0\n",
    ".claude/commands/release.md": "Old form of the skill.\n",
    ".claude/agents/reviewer.md": _text("""
        ---
        name: reviewer
        description: Reviews changes. Use after edits: always
        tools: Read, Grep, Bash(git diff *), mcp__files__read
        disallowedTools: [WebFetch]
        model: sonnet
        permissionMode: plan
        maxTurns: 12
        skills: release
        effort: max
        color: blue
        memory: project
        background: no
        isolation: worktree
        initialPrompt: Look first.
        mcpServers:
          - files
        hooks:
          Stop:
            - hooks:
                - type: command
                  command: ./done.sh
        ---
        You review.
        """),
    ".claude/agents/team/shared.md": "---\nname: shared-agent\ndescription: project one\n---\nProject agent.\n",
    ".claude/agents/nameless.md": "---\ndescription: has no name\n---\nNever loaded.\n",
}

HOME_TEXTS: dict[str, str] = {
    ".claude/CLAUDE.md": "PRIVATE: I prefer tabs.\n@extra.md\n",
    ".claude/extra.md": "PRIVATE: extra.\n",
    "private/outside.md": "PRIVATE: outside of the project.\n",
    ".claude/rules/mine.md": "PRIVATE: rule of mine.\n",
    ".claude/skills/shared-name/SKILL.md": "---\ndescription: user version\n---\nUser text.\n",
    ".claude/skills/private-skill/SKILL.md": "---\ndescription: mine alone\n---\nPRIVATE: skill.\n",
    ".claude/commands/mine.md": "PRIVATE: command $ARGUMENTS\n",
    ".claude/agents/shared.md": "---\nname: shared-agent\ndescription: user one\n---\nUser agent.\n",
    ".claude/agents/helper.md": "---\nname: helper\ndescription: mine\ntools: '*'\n---\nPRIVATE: agent.\n",
}

PLUGIN_TEXTS: dict[str, str] = {
    "skills/brew/SKILL.md": "---\ndescription: Brew tea\n---\nUse ${CLAUDE_PLUGIN_ROOT}/pot.\n",
    "extra-skills/pour/SKILL.md": "---\ndescription: Pour tea\n---\nPour.\n",
    "cmds/steep.md": "Steep $ARGUMENTS.\n",
    "commands/ignored.md": "The manifest replaces this folder.\n",
    "agents/taster.md": "---\nname: taster\ndescription: tastes\npermissionMode: bypassPermissions\n---\nTaste.\n",
    "output-styles/loud.md": "Loud.\n",
}

HOSTILE_SERVERS = ("../escape", '"]\n[evil', "a.b", "FILES", "\x1b[31mred", "-rf", "__proto__")

HOSTILE_TEXTS: dict[str, str] = {
    ".claude/agents/hostile.md": '---\nname: "../../escape"\ndescription: leaves\n---\nEscape.\n',
    ".claude/agents/absolute.md": '---\nname: "/tmp/escape"\ndescription: leaves\n---\nEscape.\n',
    ".claude/agents/breaks.md": '---\nname: "a\'\\"\\n= ["\ndescription: breaks TOML\n---\n\'\'\'\n"""\n',
    ".claude/skills/Release/SKILL.md": "---\ndescription: differs in case only\n---\nCollide.\n",
    ".claude/skills/\x1b[31mred/SKILL.md": "---\ndescription: escape code\n---\nRed.\n",
    ".claude/skills/..dots/SKILL.md": "---\ndescription: dots\n---\nDots.\n",
    ".claude/commands/FIX.md": "Differs in case only.\n",
    ".claude/commands/-rf.md": "A dash.\n",
    ".claude/commands/con.md": "A device on Windows.\n",
    ".claude/commands/a b/c;d.md": "Blanks and signs.\n",
    ".claude/rules/\u202egnp.md": "A name that reads backwards.\n",
}

FOREIGN_HOME: dict[str, str] = {
    ".codex/config.toml": '# mine: keep\nmodel = "o-mine"   # trailing\n\n[mcp_servers.own]\ncommand = "own-server"\n',
    ".codex/AGENTS.md": "# My own notes\n\nKeep me.\n",
    ".gemini/settings.json": '{\r\n  // mine: keep\r\n  "ui": { "theme": "Dracula" },\r\n'
    '  "mcpServers": { "own": { "command": "own-server" } }\r\n}\r\n',
    ".gemini/GEMINI.md": "# My own notes\n\nKeep me.\n",
    ".config/opencode/opencode.json": '{\n  // keep\n  "theme": "system",\n  "permission": { "edit": "ask" },\n}\n',
    ".config/opencode/AGENTS.md": "# My own notes\n\nKeep me.\n",
}

FOREIGN_PROJECT: dict[str, str] = {
    "AGENTS.md": "# Written by a person\n\nKeep me, too.\n",
    "GEMINI.md": "\ufeff# Written by a person\r\n\r\nKeep me, too.\r\n",
    ".codex/config.toml": '# project: keep\nmodel_reasoning_effort = "low"\n',
    ".gemini/settings.json": '{\n  "context": { "fileName": ["GEMINI.md"] } // keep\n}\n',
    "opencode.json": '{\n  "$schema": "https://opencode.ai/config.json", /* keep */\n  "mcp": {}\n}\n',
    ".agents/skills/own/SKILL.md": "---\nname: own\ndescription: a skill of the person\n---\nKeep.\n",
    ".cursor/mcp.json": '{\n  "mcpServers": { "own": { "command": "own-server" } }\n}\n',
}
