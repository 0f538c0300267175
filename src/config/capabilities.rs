//! Drawing capabilities of a terminal, detected from its environment. The terminal itself is not asked.

use crate::config::process_env::ProcessEnv;
use crate::display::{Background, ColourDepth, DisplayCaps, Glyphs};

/// Beginnings of names of terminals that show all colours, whatever else the environment says.
const TRUE: [&str; 6] = [
    "xterm-kitty",
    "xterm-ghostty",
    "alacritty",
    "foot",
    "wezterm",
    "iterm",
];

/// Beginnings of names of terminals without colours.
const MONO: [&str; 5] = ["dumb", "vt1", "vt2", "vt3", "xterm-mono"];

/// Detects the drawing capabilities from that environment.
pub fn detect(env: &ProcessEnv) -> DisplayCaps {
    let term = env.get("TERM").unwrap_or_default();
    DisplayCaps {
        palette: palette(&term, env),
        glyphs: glyphs(&term, env),
        ground: env.get("COLORFGBG").as_deref().and_then(of_colorfgbg),
    }
}

/// Reads the background from `COLORFGBG`, which some terminals set: `15;0` is light on dark.
fn of_colorfgbg(text: &str) -> Option<Background> {
    match text.rsplit(';').next()?.parse::<u8>().ok()? {
        0..=6 | 8 => Some(Background::Dark),
        7 | 9..=15 => Some(Background::Light),
        _ => None,
    }
}

fn palette(term: &str, env: &ProcessEnv) -> ColourDepth {
    let begins = |names: &[&str]| names.iter().any(|name| term.starts_with(name));
    let set = env.get("COLORTERM").unwrap_or_default();
    let no = env.get("NO_COLOR").is_some() || env.get("CLICOLOR").is_some_and(|value| value == "0");
    if no || begins(&MONO) || term.ends_with("-m") {
        ColourDepth::Mono
    } else if matches!(set.as_str(), "truecolor" | "24bit") || begins(&TRUE) || term.contains("direct") {
        ColourDepth::True
    } else if term.contains("256color") {
        ColourDepth::Indexed
    } else if cfg!(windows) && term.is_empty() {
        ColourDepth::True
    } else {
        ColourDepth::Sixteen
    }
}

/// Languages in whose locales a terminal may draw a line two columns wide, and this terminal has not been asked.
const WIDE: [&str; 3] = ["zh", "ja", "ko"];

fn glyphs(term: &str, env: &ProcessEnv) -> Glyphs {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .find_map(|name| env.get(name))
        .unwrap_or_default()
        .to_ascii_lowercase();
    let utf8 = cfg!(windows) || locale.replace('-', "").contains("utf8");
    let language = locale.split(['_', '.', '@', '-']).next().unwrap_or_default();
    if utf8 && !WIDE.contains(&language) && term != "linux" && term != "dumb" {
        Glyphs::Unicode
    } else {
        Glyphs::Ascii
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_colours_follows_the_names_and_no_color_wins() {
        let palette =
            |term: &str, variables: &[(&str, &str)]| palette(term, &ProcessEnv::with_variables(variables));
        for (term, variables, expected) in [
            ("xterm-256color", &[][..], ColourDepth::Indexed),
            ("xterm-256color", &[("COLORTERM", "truecolor")], ColourDepth::True),
            ("tmux-256color", &[("COLORTERM", "24bit")], ColourDepth::True),
            ("xterm-kitty", &[], ColourDepth::True),
            ("xterm-direct", &[], ColourDepth::True),
            ("xterm", &[], ColourDepth::Sixteen),
            ("linux", &[], ColourDepth::Sixteen),
            ("screen", &[("COLORTERM", "1")], ColourDepth::Sixteen),
            ("vt220", &[], ColourDepth::Mono),
            ("dumb", &[("COLORTERM", "truecolor")], ColourDepth::Mono),
            (
                "xterm-256color",
                &[("NO_COLOR", "1"), ("COLORTERM", "truecolor")],
                ColourDepth::Mono,
            ),
            ("xterm-256color", &[("CLICOLOR", "0")], ColourDepth::Mono),
        ] {
            assert_eq!(palette(term, variables), expected, "{term} {variables:?}");
        }
    }

    #[test]
    fn lines_are_drawn_where_the_locale_has_them_one_column_wide() {
        let glyphs =
            |term: &str, variables: &[(&str, &str)]| glyphs(term, &ProcessEnv::with_variables(variables));
        for (term, variables) in [
            ("xterm-256color", &[("LANG", "en_US.UTF-8")][..]),
            ("xterm", &[("LC_ALL", "C.utf8"), ("LANG", "C")]),
            ("xterm", &[("LC_CTYPE", "de_DE.UTF-8"), ("LANG", "ja_JP.UTF-8")]),
            ("xterm", &[("LANG", "jam_JM.UTF-8")]),
        ] {
            assert_eq!(glyphs(term, variables), Glyphs::Unicode, "{term} {variables:?}");
        }
        for (term, variables) in [
            ("linux", &[("LANG", "en_US.UTF-8")][..]),
            ("dumb", &[("LANG", "en_US.UTF-8")]),
            ("xterm", &[("LANG", "ja_JP.UTF-8")]),
            ("xterm", &[("LANG", "zh_CN.UTF-8@x")]),
            ("xterm", &[("LC_ALL", "ko_KR.utf8"), ("LANG", "en_US.UTF-8")]),
        ] {
            assert_eq!(glyphs(term, variables), Glyphs::Ascii, "{term} {variables:?}");
        }
        if cfg!(unix) {
            assert_eq!(glyphs("xterm", &[("LANG", "C")]), Glyphs::Ascii);
            let posix = [("LC_ALL", "POSIX"), ("LANG", "en_US.UTF-8")];
            assert_eq!(glyphs("xterm", &posix), Glyphs::Ascii);
            assert_eq!(glyphs("xterm", &[]), Glyphs::Ascii);
        }
    }

    #[test]
    fn what_some_terminals_say_in_their_environment_is_understood() {
        assert_eq!(of_colorfgbg("15;0"), Some(Background::Dark));
        assert_eq!(of_colorfgbg("0;default;15"), Some(Background::Light));
        assert_eq!(of_colorfgbg("default"), None);
    }
}
