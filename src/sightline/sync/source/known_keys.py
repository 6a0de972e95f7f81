"""The keys of Claude Code that this version knows; every other key is reported. As of late August 2026."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SKILL_FIELDS = _words(
    "name description when_to_use argument-hint arguments disable-model-invocation user-invocable allowed-tools "
    "disallowed-tools model effort context agent background hooks paths shell metadata license compatibility"
)
AGENT_FIELDS = _words(
    "name description tools disallowedTools model permissionMode maxTurns skills mcpServers hooks memory background "
    "effort isolation color initialPrompt"
)
MCP_FIELDS = _words("type command args env cwd url headers headersHelper oauth alwaysLoad timeout")
OAUTH_FIELDS = _words("clientId callbackPort scopes authServerMetadataUrl")
RESERVED_SERVERS = frozenset({"workspace", "claude-in-chrome", "computer-use", "Claude Preview", "Claude Browser"})

PERMISSION_KEYS = _words(
    "allow ask deny defaultMode additionalDirectories disableBypassPermissionsMode disableAutoMode"
)
SETTINGS_KEYS = _words(
    "$schema agent allowManagedHooksOnly allowManagedMcpServersOnly allowManagedPermissionRulesOnly "
    "allowedHttpHookUrls allowedMcpServers alwaysThinkingEnabled apiKeyHelper attribution autoMemoryDirectory "
    "autoMemoryEnabled autoMode autoUpdatesChannel availableModels awsAuthRefresh awsCredentialExport "
    "blockedMarketplaces channelsEnabled claudeMdExcludes cleanupPeriodDays companyAnnouncements defaultShell "
    "deniedMcpServers disableAllHooks disableAutoMode disabledMcpjsonServers editorMode effortLevel "
    "enableAllProjectMcpServers enabledMcpjsonServers enabledPlugins env extraKnownMarketplaces fallbackModel "
    "fastMode fastModePerSessionOptIn feedbackSurveyRate fileSuggestion forceLoginMethod forceLoginOrgUUID hooks "
    "httpHookAllowedEnvVars includeCoAuthoredBy includeGitInstructions language minimumVersion model modelOverrides "
    "otelHeadersHelper outputStyle permissions plansDirectory pluginConfigs prefersReducedMotion respectGitignore "
    "sandbox showThinkingSummaries showTurnDuration skipDangerousModePermissionPrompt skipWebFetchPreflight "
    "spinnerTipsEnabled spinnerTipsOverride spinnerVerbs statusLine strictKnownMarketplaces subagentStatusLine "
    "teammateMode terminalProgressBarEnabled theme useAutoModeDuringPlan verbose voiceEnabled worktree"
)

HOOK_EVENTS = _words(
    "SessionStart SessionEnd Setup UserPromptSubmit UserPromptExpansion PreToolUse PostToolUse PostToolUseFailure "
    "PostToolBatch PermissionRequest PermissionDenied Notification MessageDisplay SubagentStart SubagentStop Stop "
    "StopFailure PreCompact PostCompact TaskCreated TaskCompleted TeammateIdle InstructionsLoaded ConfigChange "
    "CwdChanged DirectoryAdded FileChanged WorktreeCreate WorktreeRemove Elicitation ElicitationResult"
)
HOOK_TYPES = frozenset({"command", "http", "mcp_tool", "prompt", "agent"})
HOOK_FIELDS = _words(
    "command timeout if args async asyncRewake shell once statusMessage url headers allowedEnvVars server tool input "
    "prompt model"
)

PLUGIN_FIELDS = _words(
    "$schema name version description author homepage repository license keywords displayName commands agents skills "
    "hooks mcpServers lspServers outputStyles monitors themes workflows settings userConfig dependencies channels "
    "experimental category tags strict"
)
UNSUPPORTED_PLUGIN_KEYS = ("lspServers", "outputStyles", "monitors", "themes", "workflows", "channels")
UNSUPPORTED_PLUGIN_FILES = (".lsp.json", "output-styles", "monitors", "themes", "workflows", "bin", "settings.json")
