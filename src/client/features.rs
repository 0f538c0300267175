//! Features of a terminal beyond drawing: titles and notifications. A terminal that is simple, old or unknown is sent nothing but the bell.
//! Texts are cleaned again here: whatever the server sends, nothing in it acts on the terminal.

use crate::config::process_env::ProcessEnv;
use crate::display::NotifySequence;
use crate::protocol::wire::TerminalNotice;
use crate::term::sanitize;

/// Beginnings of the names (`TERM`) of terminals that have titles and ignore unknown sequences.
const KNOWING: &str = "xterm rxvt foot alacritty kitty wezterm ghostty konsole gnome vte st- contour mintty iterm tmux screen \
                       rio mlterm";
/// Beginnings of names of terminals that show notifications by `OSC 9`, and by `OSC 777`.
const SHOW_9: &str = "xterm-kitty kitty xterm-ghostty ghostty wezterm";
const SHOW_777: &str = "foot rxvt contour";
/// Programs (`TERM_PROGRAM`) that show notifications by `OSC 9`, whatever their name in `TERM`.
const PROGRAMS: &[&str] = &["iTerm.app", "WezTerm", "ghostty", "WarpTerminal"];

/// Titles and notifications that the terminal understands, by its environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TerminalFeatures {
    /// True if it understands more than the bell: titles, and ignores unknown sequences.
    has_titles: bool,
    notify_sequence: NotifySequence,
    /// True if tmux is between us and the terminal.
    tmux: bool,
}

impl TerminalFeatures {
    pub(super) fn detect(env: &ProcessEnv) -> TerminalFeatures {
        let term = env.get("TERM").unwrap_or_default();
        let begins = |names: &str| names.split(' ').any(|name| term.starts_with(name));
        let windows = env.get("WT_SESSION").is_some();
        let tmux = env.get("TMUX").is_some();
        let screen = env.get("STY").is_some() || (term.starts_with("screen") && !tmux);
        let program = env.get("TERM_PROGRAM").unwrap_or_default();
        let notify_sequence = if begins(SHOW_9) || PROGRAMS.contains(&program.as_str()) {
            NotifySequence::Osc9
        } else if begins(SHOW_777) || env.get("VTE_VERSION").is_some() {
            NotifySequence::Osc777
        } else if tmux {
            // The terminal around it is not known; most of those that show notifications know this one.
            NotifySequence::Osc9
        } else {
            NotifySequence::None
        };
        TerminalFeatures {
            has_titles: (begins(KNOWING) || windows) && !screen,
            notify_sequence,
            tmux,
        }
    }

    /// Returns the bytes that set the window's title; empty if there is no title.
    pub(super) fn title(self, text: &str) -> Vec<u8> {
        if !self.has_titles || text.is_empty() {
            return Vec::new();
        }
        format!("\x1b]2;{}\x1b\\", sanitize(text)).into_bytes()
    }

    /// Returns the bytes that notify the person.
    pub(super) fn notify(self, call: &TerminalNotice) -> Vec<u8> {
        let (heading, text) = (sanitize(&call.heading), sanitize(&call.text));
        let way = match call.manner.way {
            _ if !self.has_titles || (self.tmux && !call.manner.through_tmux) => NotifySequence::None,
            NotifySequence::Auto => self.notify_sequence,
            wished => wished,
        };
        let words = match way {
            // The heading comes first: a text that begins with a number and a semicolon would have another meaning.
            NotifySequence::Osc9 => format!("\x1b]9;{heading}: {text}\x1b\\"),
            NotifySequence::Osc777 => {
                let heading = heading.replace(';', ",");
                format!("\x1b]777;notify;{heading};{text}\x1b\\")
            }
            NotifySequence::Auto | NotifySequence::None => String::new(),
        };
        let mut bytes = if self.tmux && !words.is_empty() {
            format!("\x1bPtmux;{}\x1b\\", words.replace('\x1b', "\x1b\x1b"))
        } else {
            words
        };
        if call.manner.bell {
            bytes.push('\x07');
        }
        bytes.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::NotifyStyle;

    fn features(environment: &[(&str, &str)]) -> TerminalFeatures {
        TerminalFeatures::detect(&ProcessEnv::with_variables(environment))
    }

    fn call(sequence: NotifySequence, through_tmux: bool) -> TerminalNotice {
        TerminalNotice {
            heading: "dbs; shop".to_owned(),
            text: "t-1 \x1b]0;x\x07\u{9c}".to_owned(),
            manner: NotifyStyle {
                way: sequence,
                bell: true,
                through_tmux,
            },
        }
    }

    fn bytes_for(features: TerminalFeatures, call: &TerminalNotice) -> String {
        String::from_utf8(features.notify(call)).unwrap()
    }

    #[test]
    fn each_terminal_is_called_by_what_it_shows_and_others_by_the_bell() {
        let auto = call(NotifySequence::Auto, false);
        let text = "t-1 \\x1b]0;x\\x07\\u{9c}";
        for (environment, wanted) in [
            (
                vec![("TERM", "xterm-kitty")],
                format!("\x1b]9;dbs; shop: {text}\x1b\\\x07"),
            ),
            (
                vec![("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app")],
                format!("\x1b]9;dbs; shop: {text}\x1b\\\x07"),
            ),
            (
                vec![("TERM", "foot")],
                format!("\x1b]777;notify;dbs, shop;{text}\x1b\\\x07"),
            ),
            (vec![("TERM", "xterm-256color")], "\x07".to_owned()),
            (vec![("TERM", "tmux-256color"), ("TMUX", "s")], "\x07".to_owned()),
        ] {
            assert_eq!(
                bytes_for(features(&environment), &auto),
                wanted,
                "{environment:?}"
            );
        }
        let wished = bytes_for(
            features(&[("TERM", "xterm-256color")]),
            &call(NotifySequence::Osc9, false),
        );
        assert!(wished.starts_with("\x1b]9;"), "{wished:?}");
    }

    #[test]
    fn tmux_is_passed_through_only_where_that_was_allowed() {
        let inside = features(&[("TERM", "tmux-256color"), ("TMUX", "s")]);
        let passed = bytes_for(inside, &call(NotifySequence::Auto, true));
        assert!(
            passed.starts_with("\x1bPtmux;\x1b\x1b]9;") && passed.ends_with("\x1b\x1b\\\x1b\\\x07"),
            "{passed:?}"
        );
    }

    #[test]
    fn a_simple_or_unknown_terminal_gets_nothing_odd() {
        for term in ["", "dumb", "linux", "vt100", "screen", "something"] {
            let simple = features(&[("TERM", term)]);
            for way in [NotifySequence::Auto, NotifySequence::Osc9, NotifySequence::Osc777] {
                assert_eq!(simple.notify(&call(way, true)), b"\x07", "{term}");
            }
            assert_eq!(simple.title("3 need you"), b"", "{term}");
        }
        let title = features(&[("TERM", "xterm")]).title("a\x1b\\b");
        assert_eq!(title, b"\x1b]2;a\\x1b\\b\x1b\\");
    }
}
