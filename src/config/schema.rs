//! The table of all settings: each is one row with its key, type, default, words and the time another value comes into force.
//! The documentation, listing, checking, writing, completion and reloading follow from it, and the name of a row is how the
//! program reads the setting, so the compiler knows where each is used.

mod atdd;
mod environment;
mod legacy;
mod notify;
mod workspace;

pub use atdd::{
    ATDD_ASSERTION_WORDS, ATDD_COMMENT_MARKS, ATDD_CONTEXT_TOKENS, ATDD_FOLDER, ATDD_HEAL, ATDD_ON_FAILURE,
    ATDD_PASSING_TESTS, ATDD_PROTECTED, ATDD_SKIP_WORDS, ATDD_SUITE_CMD, ATDD_TEST_CMD, ATDD_TEST_PATH,
    ATDD_TEST_WORDS,
};
pub use environment::{ENVIRONMENT_HIDE, ENVIRONMENT_MODE, ENVIRONMENT_PASS, ENVIRONMENT_SET};
pub use legacy::{
    INTERACTIVE, MAX_RETRIES, MODEL, NESTED_NTFY_SERVER, NESTED_NTFY_TOPIC, NOTIFICATIONS_ENABLED,
    NOTIFICATIONS_NTFY_SERVER, NOTIFICATIONS_NTFY_TOPIC, NOTIFICATIONS_PROVIDER, OUTPUT,
};
pub use notify::{
    NOTIFY_BELL, NOTIFY_COMMAND, NOTIFY_EVENTS, NOTIFY_FORMAT, NOTIFY_PAUSE, NOTIFY_PROGRAMS,
    NOTIFY_PROGRESS, NOTIFY_QUIET, NOTIFY_SECRET, NOTIFY_THROUGH_TMUX, NOTIFY_TITLE, NOTIFY_TOKEN,
    NOTIFY_URL, NOTIFY_WAY, NOTIFY_WHEN,
};

pub use workspace::{
    WORKSPACE_CLONE, WORKSPACE_COPY, WORKSPACE_KEY, WORKSPACE_LINK, WORKSPACE_PORTS, WORKSPACE_ROOT,
    WORKSPACE_SETUP, WORKSPACE_SETUP_TIMEOUT,
};

use atdd::ATDD;
use environment::ENVIRONMENT;
use legacy::{KEPT, LEGACY, RENAMED};
use notify::NOTIFY;
use workspace::WORKSPACE;

use std::borrow::Cow;

use crate::config::clipboard_policy::ClipboardPolicy;
use crate::config::row::{
    FEW, SPAN, choice, count, count_or_auto, count_or_none, decimal, known_as, obsolete, seconds, settings,
    size, switch, text, unset, used,
};
use crate::config::setting::SettingEffect::{AtOnce, NextAttempt, NextStart};
use crate::config::setting::SettingTrust::{Harmless, Runs, Sends, Steers};
use crate::config::setting::{Setting, SettingSpec, SettingStatus};
use crate::config::value::{ByteSize, ValueKind};
use crate::display::{FirstTab, Glyphs, Motion, MouseCapture, PastePreview};
use crate::domain::{BoardSettings, ContextRules, MergeStyle, MergeVia, OnCompaction, Span};
use crate::formats::nearest::nearest;
use crate::term::EmulatorKind;

/// The spec of the setting or family that `path` belongs to.
pub(super) fn spec_of(path: &[&str]) -> Option<&'static SettingSpec> {
    keys().find(|key| key.covers(path.iter().copied()))
}

/// Returns the nearest key to a mistyped one, unless none is near. Parts that mean any name take the mistyped key's own.
pub(super) fn nearest_key(path: &[&str]) -> Option<String> {
    let fill = |name: &str| {
        let parts = name.split('.').enumerate();
        let filled = parts.map(|(index, part)| match path.get(index) {
            Some(typed) if part.starts_with('<') => typed,
            _ => part,
        });
        filled.collect::<Vec<_>>().join(".")
    };
    let by_end = || match path {
        [word] => keys().find_map(|key| with_end(key, word)),
        _ => None,
    };
    let fitting = keys().filter(|key| path.len() == 3 || !is_of_workflow(key));
    by_end().or_else(|| nearest(&path.join("."), fitting.map(|key| fill(key.name))))
}

/// Returns the first setting below a key that is a table; parts that may have any name are written in capitals there.
pub(super) fn member_of(table: &[&str]) -> Option<String> {
    let filled = |key: &SettingSpec| {
        let parts: Vec<&str> = key.name.split('.').collect();
        let (head, rest) = parts.split_at_checked(table.len())?;
        let fits = |(part, typed): (&&str, &&str)| part == typed || part.starts_with('<');
        let is_below = !rest.is_empty() && head.iter().zip(table).all(fits);
        let any = |part: &&str| {
            let name = part.strip_prefix('<').and_then(|part| part.strip_suffix('>'));
            name.map_or_else(|| (*part).to_owned(), str::to_uppercase)
        };
        let rest: Vec<String> = rest.iter().map(any).collect();
        is_below.then(|| format!("{}.{}", table.join("."), rest.join(".")))
    };
    keys().filter(|key| !is_of_workflow(key)).find_map(filled)
}

/// Returns true if a setting is a limit of a workflow: their names stand where others have the limit itself, so that a mistyped limit would
/// pass for a workflow.
fn is_of_workflow(key: &SettingSpec) -> bool {
    key.name.starts_with("limits.<")
}

/// The key of a setting in use whose last part is that word: `roles.default.agent` for `agent`.
pub fn with_end(key: &SettingSpec, word: &str) -> Option<String> {
    let is_used = matches!(key.status, SettingStatus::Used) && !is_of_workflow(key);
    let (table, end) = key.name.rsplit_once('.')?;
    (is_used && end == word).then(|| format!("{}.{word}", table.replace("<role>", "default")))
}

/// All settings, in the order of the documentation.
pub fn keys() -> impl Iterator<Item = &'static SettingSpec> {
    SETTINGS
        .iter()
        .chain(WORKSPACE)
        .chain(ENVIRONMENT)
        .chain(ATDD)
        .chain(NOTIFY)
        .chain(LEGACY)
        .copied()
        .chain(RENAMED)
        .chain(KEPT)
}

settings! { SETTINGS
    MAX_TOTAL_AGENTS: u32 = count_or_auto(999, BoardSettings::MAX_AGENTS), used("max_total_agents", AtOnce, Harmless, "K48, K78",
        "Maximum number of agents at work at a time. `auto`: one for each processor or each 2 GiB of memory, whichever number is smaller.");
    MAX_ROLE_AGENTS: Option<u32> = unset(FEW), used("max_role_agents.<role>", AtOnce, Harmless, "K48",
        "Maximum number of agents of this role at work at a time.");
    AGENT_TIMEOUT: Span = seconds(1, BoardSettings::AGENT_TIMEOUT), known_as("timeout", used("agent_timeout", NextAttempt, Harmless, "K32, K78",
        "Longest run of one attempt, in seconds or as `90m`, `2h`."));
    BASE_BRANCH: Option<String> = unset(ValueKind::Text), used("base_branch", AtOnce, Harmless, "K61, K62, K78",
        "Branch that tasks start from and are merged into, unless their batch names one.");
    REMOTE: Cow<'static, str> = text(ValueKind::Text, "origin"), used("remote", NextStart, Sends, "",
        "Name of the remote that work comes from and goes to, or `none`: nothing is pushed, and finished work comes to the base branch of this repository.");
    PAUSED: bool = switch(false), used("paused", AtOnce, Harmless, "K73, K78",
        "Start with the board paused, unless agents are at work already.");
    USE_TMUX_WINDOWS: bool = switch(false), obsolete("use_tmux_windows", "K78, K85", "Had agents opened as windows of tmux.",
        "every agent has a real terminal in a pane of its own here, tmux or not");
    PREFIX: Cow<'static, str> = text(ValueKind::Name, "dbs"), used("prefix", AtOnce, Harmless, "",
        "Prefix of the ids of new tasks: `dbs-3f2a`.");
    MERGE_BY_AGENT: bool = choice(&["engine", "agent"], false, &[true]), used("merge", AtOnce, Steers, "K56",
        "Merges are done by the engine, with an agent only for conflicts, or always by an agent; the engine then verifies its merge on the remote.");
    MERGE_STYLE: MergeStyle = choice(&["merge", "squash", "rebase"], MergeStyle::Merge, &[MergeStyle::Squash, MergeStyle::Rebase]),
        used("merge.style", NextStart, Steers, "",
        "Form of a merge by the engine: a `merge` commit, one commit with all of the work (`squash`), or its commits recreated on the base (`rebase`; one commit if that fails, as after an integrator merged the base in). In a file that has `merge = \"agent\"`, this is a table: `merge = { by = \"agent\", style = \"squash\" }`.");
    MERGE_MESSAGE: Option<String> = unset(ValueKind::MessageTemplate), used("merge.message", NextStart, Harmless, "",
        "Template of the message of that commit, one or more lines, trailers included. It may contain the placeholders of `commit.message`, `{subject}` (the default first line), `{branch}` and `{base}`. The trailers `Dbs-Task` and `Dbs-Attempt` follow. Commits of a rebase keep their own messages.");
    MERGE_VIA: MergeVia = choice(&["push", "branch"], MergeVia::Push, &[MergeVia::Branch]), used("merge.via", NextStart, Steers, "",
        "Last step of the engine for a task: it pushes the merge to the base (`push`), or stops at the pushed branch of the task once that merges without a conflict and passes its checks (`branch`). With `branch`, the task is then done and called handed over, its branch stays, and tasks that need its work wait until the base has it. Applies only to merges of the engine.");
    MERGE_SIGN: bool = choice(&["auto", "off"], true, &[false]), used("merge.sign", NextStart, Steers, "",
        "Whether commits that the engine brings to a base are signed as your git signs (`auto`): if `commit.gpgSign` is set, by gpg, ssh or x509, in your name, with programs of your own configuration and never of the repository's. Nothing asks for a passphrase: a key that is locked holds the merges of its base, and nothing is merged unsigned. `off`: never signed.");
    DELIVER: Option<String> = unset(ValueKind::Choice(&["fast-forward", "tell", "off"])), used("deliver", AtOnce, Steers, "",
        "What happens to your own checkout after a merge. `fast-forward`: your base branch moves, together with your files if it is checked out. If one of these files, tracked or ignored, differs from the checked-out commit, nothing moves; `dbs status` says why, and `dbs pull` does it later. `tell`: nothing moves, and `dbs status` says what `dbs pull` brings. `off`: neither. Not set: `fast-forward` without a remote, else `tell`.");
    IMPORT_WRITE_BACK: bool = switch(false), used("import.write_back", AtOnce, Sends, "",
        "Whether an imported item is closed in its list once its task is done: an issue of beads, a box, the status of a task-master file, a story; nothing else in the file changes. An issue of GitHub or GitLab is closed once the merge is on that forge's own remote.");
    GATES: Option<String> = unset(ValueKind::Text), used("gates.<name>", AtOnce, Runs, "P33",
        "A command that must succeed before work is accepted; run through the shell, in the order written.");
    GATE_FRESH: Option<bool> = unset(ValueKind::Switch), used("gates.<name>.fresh", AtOnce, Steers, "",
        "Whether this gate has a checkout of its own. Otherwise the gates of an attempt share one: it is reset to the commit between gates, and ignored files, such as build folders, stay.");
    ROLE_AGENT: Option<String> = unset(ValueKind::Text), used("roles.<role>.agent", NextAttempt, Steers, "",
        "Which agent plays this role: `claude` (Claude Code), `codex`, `opencode`, `gemini`, `aider`, one that `.debussy/agents/NAME.toml` describes ([agents.md](agents.md#a-kind-of-your-own)), `custom` (its command line below) or `rehearsal` (scripted, to try things out); with any other value, its tasks wait until the setting is corrected. The role `default` applies to all roles without a setting of their own.");
    ROLE_COMMAND: Option<String> = unset(ValueKind::Text), used("roles.<role>.command", NextAttempt, Runs, "",
        "Command line of a custom agent for this role.");
    ROLE_PERMISSIONS: Option<String> = unset(ValueKind::Permissions), used("roles.<role>.permissions", NextAttempt, Steers, "",
        "Answer when the agent's tool asks for a permission: `ask` a person (the default), allow `edits` of files in its folder and ask about the rest, `allow` everything without a person, or `deny` everything. Rules, separated by `;`, may precede that word; the rules of the role's file follow them: `allow run make test*; deny run git push*; ask` ([prompts.md](prompts.md#permissions)). Not for custom agents.");
    ROLE_MODEL: Option<String> = unset(ValueKind::Text), used("roles.<role>.model", NextAttempt, Steers, "",
        "Model of the agent, in its tool's words. A role with another agent than `default` does not inherit the model of `default`. A kind of agent that takes no model is started without one. Not for custom agents.");
    ROLE_EFFORT: Option<String> = unset(ValueKind::Text), used("roles.<role>.effort", NextAttempt, Steers, "",
        "Reasoning effort of the agent, in its tool's words. Inherited from `default` like the model. A kind of agent that takes no effort is started without one. Not for custom agents.");
    ROLE_RESUME: Option<bool> = unset(ValueKind::Switch), used("roles.<role>.resume", NextAttempt, Harmless, "",
        "Whether an agent that was interrupted, because it was killed or the machine stopped, resumes its session in its folder (the default) or starts from the beginning. For `claude`, `codex`, `gemini` and every kind whose file says how.");
    ROLE_MODE: Option<String> = unset(ValueKind::Choice(&["visible", "headless"])), used("roles.<role>.mode", NextAttempt, Harmless, "",
        "What the terminal of the agent shows: its tool's own interface (`visible`, the default), or a transcript that `dbs` writes while the tool runs without an interface (`headless`). For `claude`, `codex`, `opencode`, `gemini` and kinds whose file says how; with any other agent, its tasks wait until the setting is corrected.");
    STAGE_AGENT: Option<String> = unset(ValueKind::Text), used("stages.<stage>.agent", NextAttempt, Steers, "",
        "Which agent works at this stage of a workflow, whatever its role's agent is: `stages.reviewing.agent codex` lets Codex review. Values as for `roles.<role>.agent`, except `custom`. Other settings of the stage default to those of its role, except the model and effort of another agent.");
    STAGE_PERMISSIONS: Option<String> = unset(ValueKind::Permissions), used("stages.<stage>.permissions", NextAttempt, Steers, "",
        "Answer at this stage when the agent's tool asks for a permission; values as for `roles.<role>.permissions`.");
    STAGE_MODEL: Option<String> = unset(ValueKind::Text), used("stages.<stage>.model", NextAttempt, Steers, "",
        "Model of the agent at this stage, in its tool's words.");
    STAGE_EFFORT: Option<String> = unset(ValueKind::Text), used("stages.<stage>.effort", NextAttempt, Steers, "",
        "Reasoning effort of the agent at this stage, in its tool's words.");
    STAGE_MODE: Option<String> = unset(ValueKind::Choice(&["visible", "headless"])), used("stages.<stage>.mode", NextAttempt, Harmless, "",
        "What the terminal of the agent shows at this stage; a tool that has only one of the two modes keeps it.");
    LIMITS_STARTS_PER_TURN: u32 = count(999, BoardSettings::MAX_STARTS), used("limits.starts_per_turn", AtOnce, Harmless, "K48",
        "Maximum number of attempts started in one turn.");
    LIMITS_LINGER: Span = seconds(0, BoardSettings::LINGER), used("limits.linger", AtOnce, Harmless, "K33",
        "How long an agent may run after its final signal before it is stopped. If its tool reports its turns, the agent may end \
         its turn, within a minute, and is stopped 2 seconds after it at the latest.");
    LIMITS_BACKGROUND: Span = seconds(0, BoardSettings::BACKGROUND), used("limits.background", AtOnce, Harmless, "",
        "Maximum wait for commands and subagents that still run after an agent's turn. Then the agent is told to report; if it has reported already, it is stopped together with them.");
    LIMITS_INFRA_BACKOFF: Span = seconds(0, BoardSettings::INFRA_BACKOFF), used("limits.infra_backoff", AtOnce, Harmless, "K52",
        "First wait after a failure that the agent did not cause; doubles up to five minutes.");
    LIMITS_CRASH_BACKOFF: Span = seconds(0, BoardSettings::CRASH_BACKOFF), used("limits.crash_backoff", AtOnce, Harmless, "K42",
        "First wait after a crash; doubles up to five minutes.");
    LIMITS_COOLDOWN: Option<Span> = unset(SPAN), used("limits.cooldown", AtOnce, Harmless, "K23",
        "Wait after a rejection, instead of what the workflow says.");
    DISK_MIN_FREE: ByteSize = size("5GiB", ByteSize(5 << 30)), used("disk.min_free", NextStart, Harmless, "",
        "No agent starts while the disk has less free space than this. Running agents continue, and starts follow automatically once there is room. `dbs clean --builds` frees space. 0: no limit.");
    LIMIT_CRASH: Option<u32> = unset(FEW), used("limits.<workflow>.crash", AtOnce, Harmless, "P21, P51",
        "Maximum number of crashes of agents at one stage of a task of that workflow, overriding its file; then the task fails or is held.");
    LIMIT_TIMEOUT: Option<u32> = unset(FEW), used("limits.<workflow>.timeout", AtOnce, Harmless, "P21, P51",
        "Maximum number of attempts that take too long at one stage of a task of that workflow, overriding its file; then the task fails or is held.");
    LIMIT_EMPTY: Option<u32> = unset(FEW), used("limits.<workflow>.empty", AtOnce, Harmless, "P21, P51",
        "Maximum number of attempts that leave no commit at one stage of a task of that workflow, overriding its file; then the task fails or is held.");
    LIMIT_GATE: Option<u32> = unset(FEW), used("limits.<workflow>.gate", AtOnce, Harmless, "P21, P51",
        "Maximum number of attempts whose checks fail at one stage of a task of that workflow, overriding its file; then the task fails or is held.");
    LIMIT_PROTOCOL: Option<u32> = unset(FEW), used("limits.<workflow>.protocol", AtOnce, Harmless, "P21, P51",
        "Maximum number of attempts that end without a valid report at one stage of a task of that workflow, overriding its file; then the task fails or is held.");
    LIMIT_FAILED: Option<u32> = unset(FEW), used("limits.<workflow>.failed", AtOnce, Harmless, "P21, P51",
        "Maximum number of attempts whose agent reports a failure at one stage of a task of that workflow, overriding its file; then the task fails or is held.");
    LIMIT_REJECTIONS: Option<u32> = unset(FEW), used("limits.<workflow>.rejections", AtOnce, Harmless, "K24",
        "Maximum number of rejections of a task of that workflow, overriding its file.");
    LIMIT_SPAWNS: Option<u32> = unset(FEW), used("limits.<workflow>.spawns", AtOnce, Harmless, "K43",
        "Maximum number of attempts of any kind at a task of that workflow, overriding its file.");
    BUDGET_TASK: Option<f64> = unset(ValueKind::Decimal), used("budget.task", AtOnce, Steers, "",
        "Dollars that the agents of one task may use, as far as their tools report their cost. Then the agent is stopped and the task is held; `dbs retry` grants the same amount again. A warning comes at four fifths. 0 or not set: no limit.");
    BUDGET_DAY: Option<f64> = unset(ValueKind::Decimal), used("budget.day", AtOnce, Steers, "",
        "Dollars that all agents together may use on one day (UTC); then agents are stopped and work is paused until the next day. 0 or not set: no limit.");
    CONTEXT_THRESHOLD: u32 = count(100, ContextRules::THRESHOLD), known_as("context_threshold", used("context.threshold", AtOnce, Steers, "C3, C17",
        "Fill of its context, in percent, at which an agent is stopped and started again with a fresh session, in the same folder; 100 turns this off."));
    CONTEXT_TOOL_CALLS: u32 = count(100_000, ContextRules::TOOL_CALLS), known_as("tool_call_threshold", used("context.tool_calls", AtOnce, Steers, "C3, C17",
        "Number of tool calls at which the same happens, if the tool does not report how full its context is."));
    CONTEXT_RESTARTS: u32 = count_or_none(99, ContextRules::RESTARTS), known_as("max_restarts", used("context.restarts", AtOnce, Steers, "C10, C17",
        "Maximum number of such restarts at one stage of a task; then the task is held. 0 only observes."));
    CONTEXT_COMPACTION: OnCompaction = choice(&["note", "restart"], OnCompaction::Note, &[OnCompaction::Restart]),
        used("context.compaction", AtOnce, Steers, "",
        "Reaction when the tool of an agent compacts its context by itself: a line in the log, or a restart as for a full context.");
    LIMITS_GATE_TIMEOUT: Span = seconds(1, Span::minutes(5)), used("limits.gate_timeout", NextStart, Harmless, "P29",
        "Longest run of one gate.");
    TERMINAL_ENGINE: EmulatorKind = choice(&["rio", "vt100"], EmulatorKind::Rio, &[EmulatorKind::Vt100]),
        used("terminal.engine", NextStart, Harmless, "ADR 0005",
        "Which emulation draws the agents' terminals.");
    TERMINAL_CLIPBOARD: ClipboardPolicy = choice(&["ask", "allow", "deny"], ClipboardPolicy::Ask, &[ClipboardPolicy::Allow, ClipboardPolicy::Deny]),
        used("terminal.clipboard", AtOnce, Steers, "",
        "Whether a program in the pane with the focus may write to your clipboard (`OSC 52`): after you press a key, at once, or never. It can never read the clipboard.");
    COMMIT_AUTO: bool = switch(true), known_as("auto_commit", used("commit.auto", AtOnce, Harmless, "C13, C17",
        "Whether the engine commits changes that an agent leaves uncommitted, at stages with the evidence `committed`; otherwise the agent is asked to commit."));
    COMMIT_MESSAGE: Option<String> = unset(ValueKind::CommitTemplate), known_as("commit_message_template", used("commit.message", NextStart, Harmless, "C14, C17",
        "Template of the first line of these commits, and of the merge of a task of a plan. Placeholders: `{task}`, `{title}`, `{stage}`, `{phase_id}`, `{phase_name}` (the title without `Phase N:`), `{plan}` (its file) and `{status}` (`✓` in the merge, `⚠️ partial` in commits before the checks). Not set: `[{task}] {title}`."));
    STRICT: bool = switch(false), known_as("strict_compliance", used("compliance.strict", AtOnce, Harmless, "P51",
        "Whether findings that are only a warning must be fixed too, at stages that weigh their findings."));
    NOTES_MISSING: bool = choice(&["fix", "warn"], false, &[true]), used("compliance.notes_missing", AtOnce, Harmless, "P34",
        "Reaction when a phase is done without the notes that its plan names: an agent must write them (`fix`), or they are only a warning unless there is more to fix (`warn`).");
    COMMIT_AUTHOR: Option<String> = unset(ValueKind::Text), used("commit.author", NextStart, Harmless, "",
        "Author of commits that the engine makes for agents, as `Name <address>`; not set: `dbs <dbs@localhost>`.");
    TERMINAL_LOG_LIMIT_MIB: u32 = count(1_048_576, 64), used("terminal.log_limit_mib", NextStart, Harmless, "",
        "Largest raw log of one attempt's terminal, in MiB.");
    TERMINAL_LOG_DAYS: u32 = count(36_500, 30), used("terminal.log_days", AtOnce, Harmless, "",
        "Days after which the log and the checks' output of an attempt are removed, if its task is done or cancelled, or has had three more attempts. They contain no work; work is on branches and in the attic.");
    ATTIC_DAYS: u32 = count_or_none(36_500, 90), used("attic.days", AtOnce, Harmless, "",
        "Days after which kept work of removed branches and workspaces loses its name in `refs/dbs/attic/`, if its task has been done or cancelled for that long; 0 keeps all names. Its commits stay in the control repository.");
    SESSION_NAME: Option<String> = unset(ValueKind::Text), used("session.name", AtOnce, Harmless, "",
        "Name of this project's session in the top bar, in `dbs sessions` and for `dbs attach`; not set: the name of its folder.");
    THEME: Cow<'static, str> = text(ValueKind::Text, "auto"), used("theme", AtOnce, Harmless, "P50",
        "Colours: `auto` (as the terminal and `NO_COLOR` say), `terminal` (its own 16), `adaptive`, `dark`, `light`, `high-contrast`, `colour-blind`, `mono`, `catppuccin`, `gruvbox`, `nord`, `solarized`, `tokyo-night`, or a file of your own in `themes/`; takes effect when a screen attaches.");
    MOTION: Motion = choice(&["full", "reduced"], Motion::Full, &[Motion::Reduced]), used("motion", AtOnce, Harmless, "",
        "Whether things that need you blink; with `reduced` nothing moves by itself.");
    GLYPHS: Option<Glyphs> = choice(&["auto", "unicode", "ascii"], None, &[Some(Glyphs::Unicode), Some(Glyphs::Ascii)]),
        used("glyphs", AtOnce, Harmless, "P50",
        "Characters for lines and marks; `auto` uses ASCII on simple terminals, without UTF-8, and in Chinese, Japanese and Korean locales, where lines may be two columns wide.");
    PASTE_PREVIEW: PastePreview = choice(&["auto", "never"], PastePreview::Shown, &[PastePreview::Never]),
        used("paste_preview", AtOnce, Harmless, "",
        "Whether a paste is shown first if it is long, contains control characters, or has lines that a program would treat as Enter.");
    MOUSE: MouseCapture = choice(&["on", "scroll", "off"], MouseCapture::All, &[MouseCapture::Scroll, MouseCapture::Off]),
        used("mouse", AtOnce, Harmless, "",
        "Use of the mouse: everything, the wheel only, or nothing. With nothing, the mouse stays with your terminal, and programs in panes get none of it.");
    LAYOUT: FirstTab = choice(&["main", "classic", "plan"], FirstTab::Main, &[FirstTab::Classic, FirstTab::Plan]),
        used("layout", NextStart, Harmless, "K84",
        "The first tab: `main`, the tasks beside the agent of the selected task, or the table of the plan while a plan is carried out; `plan`, always that table; or `classic`, conductor, shell, board and watcher.");
    KEYS_PREFIX: Cow<'static, str> = text(ValueKind::Key, "ctrl-b"), used("keys.prefix", AtOnce, Harmless, "K85",
        "The only key that is not passed on while you type to an agent.");
    KEYS_PRESET: Cow<'static, str> = text(ValueKind::Choice(&["default", "tmux", "vim", "emacs"]), "default"),
        used("keys.preset", AtOnce, Harmless, "",
        "Set of default keys.");
    KEYS_NAV: Option<String> = unset(ValueKind::Text), used("keys.nav.<action>", AtOnce, Harmless, "",
        "Keys of an action in our own views, separated by spaces; `dbs keys` lists the actions.");
    KEYS_FOUND: Option<String> = unset(ValueKind::Text), used("keys.found.<action>", AtOnce, Harmless, "",
        "The same in a list that is filtered.");
    KEYS_COPY: Option<String> = unset(ValueKind::Text), used("keys.copy.<action>", AtOnce, Harmless, "",
        "The same while a terminal is held still.");
    KEYS_PREFIXED: Option<String> = unset(ValueKind::Text), used("keys.prefixed.<action>", AtOnce, Harmless, "",
        "The same after the prefix.");
    REHEARSAL_SCENARIO: Cow<'static, str> = text(ValueKind::Text, "demo"),
        used("rehearsal.scenario", NextAttempt, Runs, "",
        "Scenario file that rehearsal agents play, a path from the project's folder; `demo`: the scenario of the demo.");
    REHEARSAL_SPEED: f64 = decimal(1.0), used("rehearsal.speed", NextAttempt, Harmless, "",
        "Speed factor of rehearsal agents; 2 plays twice as fast.");
    REHEARSAL_ANSWER_AFTER: Option<f64> = unset(ValueKind::Decimal),
        used("rehearsal.answer_after", NextAttempt, Harmless, "",
        "Seconds after which questions of rehearsal agents answer themselves.");
}
