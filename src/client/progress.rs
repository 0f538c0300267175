//! Progress of the work in the terminal's tab or in the task bar (`OSC 9;4`). To many terminals any `OSC 9` is a notification, so it is
//! sent only to those that are known to understand it.

use crate::config::process_env::ProcessEnv;
use crate::display::WorkProgress;

/// Removes the progress again; does nothing if none is shown.
pub(super) const CLEAR_PROGRESS: &[u8] = b"\x1b]9;4;0;0\x1b\\";

/// The first version of ghostty that shows it, and the first of Ptyxis.
const GHOSTTY: (u32, u32) = (1, 2);
const PTYXIS: u32 = 48;
/// The first day of builds of `WezTerm` that show it; the release before makes notifications of it.
const WEZTERM: u32 = 20_250_301;
/// Name of the feature in a terminal's list of features.
const FEATURE: &str = "P";

/// Support for progress in the terminal's tab or taskbar (`OSC 9;4`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProgressSupport(bool);

impl ProgressSupport {
    /// Detects the support from the environment. A multiplexer does not pass it on, and hides the terminal around it.
    pub(super) fn of(env: &ProcessEnv) -> ProgressSupport {
        let has = |name: &str| env.get(name).is_some();
        if ["TMUX", "STY", "ZELLIJ"].into_iter().any(has) {
            return ProgressSupport(false);
        }
        let value = |name: &str| env.get(name).unwrap_or_default();
        let number = |text: &str| text.parse::<u32>().unwrap_or_default();
        let version = value("TERM_PROGRAM_VERSION");
        let by_program = match value("TERM_PROGRAM").as_str() {
            "ghostty" => {
                let mut parts = version.split(|c: char| !c.is_ascii_digit()).map(number);
                (parts.next().unwrap_or_default(), parts.next().unwrap_or_default()) >= GHOSTTY
            }
            "WezTerm" => version.get(..8).is_some_and(|day| number(day) >= WEZTERM),
            _ => false,
        };
        let ptyxis = value("PTYXIS_VERSION");
        let ptyxis = ptyxis
            .split('.')
            .next()
            .is_some_and(|major| number(major) >= PTYXIS);
        let windows = has("WT_SESSION") || value("ConEmuANSI") == "ON";
        ProgressSupport(by_program || ptyxis || windows || lists(&value("TERM_FEATURES"), FEATURE))
    }

    /// Returns the bytes that show the progress; empty if they would not be understood.
    pub(super) fn bytes(self, progress: WorkProgress) -> Vec<u8> {
        if !self.0 {
            return Vec::new();
        }
        match progress {
            WorkProgress::Idle => CLEAR_PROGRESS.to_vec(),
            WorkProgress::Working(percent) => format!("\x1b]9;4;1;{}\x1b\\", percent.min(100)).into_bytes(),
            WorkProgress::Waiting(percent) => format!("\x1b]9;4;4;{}\x1b\\", percent.min(100)).into_bytes(),
        }
    }
}

/// Returns true if a list of features has this one: each is a capital with small letters, and figures may follow it.
fn lists(features: &str, wanted: &str) -> bool {
    let starts = features.char_indices().filter(|(_, c)| c.is_ascii_uppercase());
    let mut starts: Vec<usize> = starts.map(|(at, _)| at).collect();
    starts.push(features.len());
    let mut named = starts.iter().zip(starts.iter().skip(1));
    named.any(|(from, to)| {
        let feature = features.get(*from..*to).unwrap_or_default();
        feature.trim_end_matches(|c: char| c.is_ascii_digit()) == wanted
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn support(environment: &[(&str, &str)]) -> ProgressSupport {
        ProgressSupport::of(&ProcessEnv::with_variables(environment))
    }

    #[test]
    fn progress_is_sent_only_to_terminals_that_are_known_to_show_it() {
        let ghostty = |version| [("TERM_PROGRAM", "ghostty"), ("TERM_PROGRAM_VERSION", version)];
        let wezterm = |version| [("TERM_PROGRAM", "WezTerm"), ("TERM_PROGRAM_VERSION", version)];
        let iterm = |features| [("TERM_PROGRAM", "iTerm.app"), ("TERM_FEATURES", features)];
        for known in [
            &ghostty("1.2.0")[..],
            &ghostty("1.10.0-dev+1a2b"),
            &ghostty("2.0"),
            &wezterm("20250622-102030-abcdef12"),
            &iterm("T3CwLrMSc7UUw9Ts3BFGsSyHNoSxFP"),
            &iterm("T3P1Sx"),
            &[("WT_SESSION", "0-1")],
            &[("ConEmuANSI", "ON")],
            &[("PTYXIS_VERSION", "48.1")],
        ] {
            assert_eq!(support(known), ProgressSupport(true), "{known:?}");
        }
        for unknown in [
            &ghostty("1.1.3")[..],
            &[("TERM_PROGRAM", "ghostty")],
            &wezterm("20240203-110809-5046fc22"),
            &wezterm("é0250622"),
            &iterm("T3CwLrMSc7UUw9Ts3BFGsSyHNoSxF"),
            &iterm("PsPo2"),
            &[("TERM_PROGRAM", "iTerm.app"), ("TERM_PROGRAM_VERSION", "3.6.6")],
            &[("TERM", "xterm-kitty")],
            &[("TERM", "xterm-ghostty")],
            &[("TERM", "xterm-256color"), ("VTE_VERSION", "7800")],
            &[("ConEmuANSI", "OFF")],
            &[("PTYXIS_VERSION", "47.10")],
            &[("WT_SESSION", "0-1"), ("TMUX", "/tmp/tmux-1/default")],
            &[("WT_SESSION", "0-1"), ("ZELLIJ", "0")],
            &[],
        ] {
            assert_eq!(support(unknown), ProgressSupport(false), "{unknown:?}");
            assert_eq!(
                support(unknown).bytes(WorkProgress::Working(3)),
                b"",
                "{unknown:?}"
            );
        }
    }

    #[test]
    fn a_share_is_shown_marked_when_it_waits_and_taken_away() {
        let bytes = |progress| String::from_utf8(ProgressSupport(true).bytes(progress)).unwrap();
        assert_eq!(bytes(WorkProgress::Working(41)), "\x1b]9;4;1;41\x1b\\");
        assert_eq!(bytes(WorkProgress::Waiting(200)), "\x1b]9;4;4;100\x1b\\");
        assert_eq!(bytes(WorkProgress::Idle), "\x1b]9;4;0;0\x1b\\");
    }
}
