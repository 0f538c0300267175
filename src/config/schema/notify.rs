//! Settings about how people are notified.

use crate::adapters::notify::BodyFormat;
use crate::config::row::{choice, seconds, settings, switch, unset, used};
use crate::config::setting::SettingEffect::AtOnce;
use crate::config::setting::SettingTrust::{Harmless, Runs, Sends};
use crate::config::setting::{Setting, SettingSpec};
use crate::config::value::{SecretText, ValueKind};
use crate::display::{AlertEvents, AlertWhen, NotifySequence, ProgramCalls};
use crate::domain::Span;

const WAYS: [Option<NotifySequence>; 4] = [
    Some(NotifySequence::Osc9),
    Some(NotifySequence::Osc777),
    Some(NotifySequence::None),
    None,
];

const EVENTS: [Option<AlertEvents>; 3] = [
    Some(AlertEvents::Needs),
    Some(AlertEvents::Done),
    Some(AlertEvents::All),
];

settings! { NOTIFY
    NOTIFY_WHEN: AlertWhen = choice(&["away", "always", "never"], AlertWhen::Away, &[AlertWhen::Always, AlertWhen::Never]),
        used("notify.when", AtOnce, Harmless, "",
        "When you are notified: only while your terminal reports that you look elsewhere or no terminal is attached; always; or never.");
    NOTIFY_EVENTS: Option<AlertEvents> = choice(&["auto", "needs", "done", "all"], None, &EVENTS),
        used("notify.events", AtOnce, Harmless, "P24, P26, P52",
        "Events that you are notified about: anything that needs you, and the end of a run (`needs`); also each task or phase that is done (`done`); also each one that is tried again (`all`). `auto` is `all` if `notifications.provider` is set, else `needs`.");
    NOTIFY_WAY: Option<NotifySequence> = choice(&["auto", "osc9", "osc777", "bell", "none"], Some(NotifySequence::Auto), &WAYS),
        used("notify.way", AtOnce, Harmless, "",
        "How your terminal shows a notification; `auto`: in the way that the terminal is known to understand, else only the bell.");
    NOTIFY_BELL: bool = switch(true), used("notify.bell", AtOnce, Harmless, "",
        "Whether the bell rings with it.");
    NOTIFY_PROGRAMS: ProgramCalls = choice(&["all", "words", "none"], ProgramCalls::All, &[ProgramCalls::Words, ProgramCalls::None]),
        used("notify.programs", AtOnce, Harmless, "",
        "Signals of programs in panes that are passed on to your terminal: bells and notifications (`all`), notifications only (`words`), or none. The pane is marked in any case.");
    NOTIFY_PAUSE: Span = seconds(0, Span::seconds(5)), used("notify.pause", AtOnce, Harmless, "",
        "Minimum time between two notifications; events in between are combined into one.");
    NOTIFY_QUIET: Option<String> = unset(ValueKind::Hours), used("notify.quiet", AtOnce, Harmless, "",
        "Hours of the day without notifications; everything that still waits at their end comes in one notification.");
    NOTIFY_COMMAND: Option<String> = unset(ValueKind::Words), used("notify.command", AtOnce, Runs, "",
        "A program that the server starts to notify you, even when no terminal is attached; its last argument is one line of text.");
    NOTIFY_URL: Option<String> = unset(ValueKind::Address), used("notify.url", AtOnce, Sends, "",
        "Address to which the server posts notifications, even when no terminal is attached.");
    NOTIFY_FORMAT: BodyFormat = choice(&["json", "ntfy"], BodyFormat::Json, &[BodyFormat::Ntfy]),
        used("notify.format", AtOnce, Harmless, "P53",
        "Format of the posts: a JSON document, or a line with a title for a topic of an ntfy server.");
    NOTIFY_SECRET: Option<SecretText> = unset(ValueKind::Secret), used("notify.secret", AtOnce, Harmless, "",
        "Key that signs the posts (`X-Dbs-Signature`).");
    NOTIFY_TOKEN: Option<SecretText> = unset(ValueKind::Secret), used("notify.token", AtOnce, Harmless, "",
        "Token that allows the server to post there (`Authorization: Bearer`).");
    NOTIFY_TITLE: bool = switch(true), used("notify.title", AtOnce, Harmless, "",
        "Whether the window's title says how many things need you.");
    NOTIFY_PROGRESS: bool = switch(true), used("notify.progress", AtOnce, Harmless, "",
        "Whether progress is sent to a terminal that is known to show it.");
    NOTIFY_THROUGH_TMUX: bool = switch(false), used("notify.through_tmux", AtOnce, Harmless, "",
        "Whether notifications are passed through tmux to the terminal around it (its `allow-passthrough` must be on, too).");
}
