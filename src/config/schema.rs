//! The table of all keys. A new setting is one row here; documentation, listing, checking and writing follow from it.

mod legacy;
mod notify;

use crate::config::value::ValueKind;
use legacy::LEGACY;
use notify::NOTIFY;

/// Name, value kind, default and documentation of one setting or family of settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettingSpec {
    /// Its name; a part in angle brackets stands for any name.
    pub name: &'static str,
    /// What its values are.
    pub kind: ValueKind,
    /// Its value when nobody sets it; `None`: not set.
    pub default: Option<&'static str>,
    /// What it is for, as one sentence.
    pub doc: &'static str,
    /// Where it comes from: rows of the seeds.
    pub source: &'static str,
    /// Whether it does anything.
    pub status: SettingStatus,
}

/// Whether a setting is in use, obsolete, from an earlier program, or only kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingStatus {
    /// It does what its doc says.
    Used,
    /// Its time is over; the text says what took its place.
    Obsolete(&'static str),
    /// As written for an earlier program, it still does what its doc says; listed where it is set.
    Legacy,
    /// Known and kept, without effect in this version.
    Kept,
}

impl SettingSpec {
    /// Whether `path` is this key, or one of the family.
    pub fn covers<'a>(&self, path: impl IntoIterator<Item = &'a str>) -> bool {
        let fits = |(own, other): (&str, &str)| own == other || (own.starts_with('<') && !other.is_empty());
        let mut path = path.into_iter();
        let all = self
            .name
            .split('.')
            .all(|own| path.next().is_some_and(|other| fits((own, other))));
        all && path.next().is_none()
    }

    /// Why it has no effect, when it has none.
    pub fn note(&self) -> Option<&'static str> {
        match self.status {
            SettingStatus::Used | SettingStatus::Legacy => None,
            SettingStatus::Obsolete(why) => Some(why),
            SettingStatus::Kept => Some("without effect in this version"),
        }
    }

    /// Whether it stands for many keys.
    pub fn is_family(&self) -> bool {
        self.name.contains('<')
    }
}

/// The key that `path` is, if there is one.
pub(super) fn spec_of(path: &[&str]) -> Option<&'static SettingSpec> {
    keys().find(|key| key.covers(path.iter().copied()))
}

/// All keys, in the order of the documentation.
pub fn keys() -> impl Iterator<Item = &'static SettingSpec> {
    SETTINGS.iter().chain(NOTIFY).chain(LEGACY)
}

const fn used(
    name: &'static str,
    kind: ValueKind,
    default: Option<&'static str>,
    doc: &'static str,
    row: &'static str,
) -> SettingSpec {
    SettingSpec {
        name,
        kind,
        default,
        doc,
        source: row,
        status: SettingStatus::Used,
    }
}

const FEW: ValueKind = ValueKind::Count { least: 1, most: 999 };
const SPAN: ValueKind = ValueKind::Seconds { least: 0 };

const SETTINGS: &[SettingSpec] = &[
    used(
        "max_total_agents",
        FEW,
        Some("8"),
        "Most agents at work at a time.",
        "K48, K78",
    ),
    used(
        "max_role_agents.<role>",
        FEW,
        None,
        "Most agents of this role at work at a time.",
        "K48",
    ),
    used(
        "agent_timeout",
        ValueKind::Seconds { least: 1 },
        Some("3600"),
        "Longest run of one attempt, in seconds or as `90m`, `2h`.",
        "K32, K78",
    ),
    used(
        "base_branch",
        ValueKind::Text,
        None,
        "Branch that tasks start from and are merged into, unless their batch names one.",
        "K61, K62, K78",
    ),
    used(
        "paused",
        ValueKind::Switch,
        Some("false"),
        "Begin with the board paused, unless agents are at work already.",
        "K73, K78",
    ),
    SettingSpec {
        name: "use_tmux_windows",
        kind: ValueKind::Switch,
        default: Some("false"),
        doc: "Had agents opened as windows of tmux.",
        source: "K78, K85",
        status: SettingStatus::Obsolete(
            "every agent has a real terminal in a pane of its own here, tmux or not",
        ),
    },
    used(
        "prefix",
        ValueKind::Name,
        Some("dbs"),
        "Begin of the names of new tasks: `dbs-3f2a`.",
        "3.2",
    ),
    used(
        "merge",
        ValueKind::Choice(&["engine", "agent"]),
        Some("engine"),
        "Who merges: the engine, with an agent only for conflicts, or always an agent, whose merge the engine verifies on the remote.",
        "design 5.8",
    ),
    used(
        "gates.<name>",
        ValueKind::Text,
        None,
        "A command that must succeed before work is accepted; run through the shell, in the order written.",
        "design 5.5",
    ),
    used(
        "roles.<role>.agent",
        ValueKind::Text,
        None,
        "Which agent plays this role: `custom` (its command line below) or `rehearsal` (scripted, to try things out); any other is refused when the server starts.",
        "design 6",
    ),
    used(
        "roles.<role>.command",
        ValueKind::Text,
        None,
        "Command line of a custom agent for this role.",
        "design 6",
    ),
    used(
        "limits.starts_per_turn",
        FEW,
        Some("2"),
        "Most attempts started in one turn.",
        "K48",
    ),
    used(
        "limits.linger",
        SPAN,
        Some("5"),
        "How long an agent may stay after its last word before it is stopped.",
        "K33",
    ),
    used(
        "limits.infra_backoff",
        SPAN,
        Some("5"),
        "First wait after a failure that is not the agent's; doubles up to five minutes.",
        "3.7",
    ),
    used(
        "limits.crash_backoff",
        SPAN,
        Some("10"),
        "First wait after a crash; doubles up to five minutes.",
        "3.7",
    ),
    used(
        "limits.cooldown",
        SPAN,
        None,
        "Wait after a rejection, instead of what the workflow says.",
        "K23",
    ),
    used(
        "limits.gate_timeout",
        ValueKind::Seconds { least: 1 },
        Some("300"),
        "Longest run of one gate.",
        "P29",
    ),
    used(
        "terminal.engine",
        ValueKind::Choice(&["rio", "vt100"]),
        Some("rio"),
        "Which emulation draws the agents' terminals.",
        "design 4",
    ),
    used(
        "commit.author",
        ValueKind::Text,
        None,
        "Who signs what the engine commits for agents, as `Name <address>`; not set: `dbs <dbs@localhost>`.",
        "A17",
    ),
    used(
        "terminal.log_limit_mib",
        ValueKind::Count {
            least: 1,
            most: 1_048_576,
        },
        Some("64"),
        "Largest raw log of one attempt's terminal, in MiB.",
        "B3 15",
    ),
    used(
        "session.name",
        ValueKind::Text,
        None,
        "What this project's session is called: in the top bar, in `dbs sessions`, for `dbs attach`; not set: as its folder.",
        "A6",
    ),
    used(
        "theme",
        ValueKind::Text,
        Some("auto"),
        "Colours: `auto` (as the terminal and `NO_COLOR` say), `terminal` (its own 16), `adaptive`, `dark`, `light`, `high-contrast`, `colour-blind`, `mono`, or a file of your own in `themes/`; heeded when a screen is attached.",
        "P50",
    ),
    used(
        "motion",
        ValueKind::Choice(&["full", "reduced"]),
        Some("full"),
        "Whether what needs you blinks; with `reduced` nothing moves by itself.",
        "A13",
    ),
    used(
        "glyphs",
        ValueKind::Choice(&["auto", "unicode", "ascii"]),
        Some("auto"),
        "What lines and marks are drawn with; `auto` takes ASCII on a simple terminal, without UTF-8, and in Chinese, Japanese and Korean locales, where lines may be two columns wide.",
        "P50",
    ),
    used(
        "paste_preview",
        ValueKind::Choice(&["auto", "never"]),
        Some("auto"),
        "Whether a paste that is long, holds control characters, or whose lines a program would take for Enter is shown first.",
        "A5",
    ),
    used(
        "mouse",
        ValueKind::Choice(&["on", "scroll", "off"]),
        Some("on"),
        "What of the mouse is heeded: all, the wheel alone, or nothing, so that it stays your terminal's; programs in panes get none of it then.",
        "A5",
    ),
    used(
        "keys.prefix",
        ValueKind::Key,
        Some("ctrl-b"),
        "The one key that is not passed on to an agent that is typed to.",
        "design 7",
    ),
    used(
        "keys.preset",
        ValueKind::Choice(&["default", "tmux", "vim", "emacs"]),
        Some("default"),
        "The keys to begin with.",
        "A6",
    ),
    used(
        "keys.nav.<action>",
        ValueKind::Text,
        None,
        "Keys of an action in our own views, separated by spaces; `dbs keys` lists the actions.",
        "A6",
    ),
    used(
        "keys.found.<action>",
        ValueKind::Text,
        None,
        "The same in a list that is filtered.",
        "A6",
    ),
    used(
        "keys.copy.<action>",
        ValueKind::Text,
        None,
        "The same while a terminal is held still.",
        "A6",
    ),
    used(
        "keys.prefixed.<action>",
        ValueKind::Text,
        None,
        "The same after the prefix.",
        "A6",
    ),
    used(
        "rehearsal.scenario",
        ValueKind::Text,
        None,
        "Scenario file that rehearsal agents play; not set: the one of the demo.",
        "design 6",
    ),
    used(
        "rehearsal.speed",
        ValueKind::Decimal,
        Some("1"),
        "How many times faster than life rehearsal agents play.",
        "design 6",
    ),
    used(
        "rehearsal.answer_after",
        ValueKind::Decimal,
        None,
        "Seconds after which questions of rehearsal agents answer themselves.",
        "design 6",
    ),
];
