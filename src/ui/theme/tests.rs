//! Legibility of themes: contrast, and states that differ for people who see fewer colours.

use ratatui::style::{Color, Modifier, Style};

use dichromats::seen;

use super::accent::{OF_16, OF_256};
use super::colour::{linear, luminance, rgb_of};
use super::themes::{BUILTIN, NAMES};
use super::*;
use crate::display::{Background, UserTheme};
use crate::term::Rgb;

mod dichromats;

/// Themes with colours of their own, and the least contrast of their text (WCAG 2: AA, AAA).
const FIXED: [(&str, f64); 15] = [
    ("dark", 4.5),
    ("light", 4.5),
    ("colour-blind-dark", 4.5),
    ("colour-blind-light", 4.5),
    ("high-contrast-dark", 7.0),
    ("high-contrast-light", 7.0),
    ("catppuccin-dark", 4.5),
    ("catppuccin-light", 4.5),
    ("gruvbox-dark", 4.5),
    ("gruvbox-light", 4.5),
    ("nord", 4.5),
    ("solarized-dark", 4.5),
    ("solarized-light", 4.5),
    ("tokyo-night-dark", 4.5),
    ("tokyo-night-light", 4.5),
];

/// Roles that are lines, not text: WCAG asks for 3 to 1.
const LINES: [StyleRole; 3] = [StyleRole::Border, StyleRole::BorderFocus, StyleRole::BorderType];

/// Roles whose ground others are drawn on.
const SURFACES: [StyleRole; 3] = [StyleRole::Text, StyleRole::Bar, StyleRole::SelectedElsewhere];

const STATES: [StyleRole; 8] = [
    StyleRole::Pending,
    StyleRole::Running,
    StyleRole::Verifying,
    StyleRole::Done,
    StyleRole::Failed,
    StyleRole::Blocked,
    StyleRole::Human,
    StyleRole::Retry,
];

fn theme(name: &str, palette: ColourDepth, ground: Option<Background>) -> Theme {
    let looks = DisplayCaps {
        ground,
        ..DisplayCaps::new(palette, Glyphs::Unicode)
    };
    Themes::default().theme(name, looks).expect(name)
}

fn rgb(color: Option<Color>) -> Rgb {
    color.and_then(rgb_of).expect("a colour of its own")
}

fn contrast(one: Rgb, other: Rgb) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// Text and grounds it is drawn on.
fn pairs(theme: &Theme, role: StyleRole) -> Vec<(Rgb, Rgb)> {
    let text = theme.style(StyleRole::Text);
    let style = theme.style(role);
    let fg = rgb(style.fg.or(text.fg));
    match style.bg {
        Some(bg) => vec![(fg, rgb(Some(bg)))],
        None if LINES.contains(&role) => vec![(fg, rgb(text.bg))],
        None => {
            let ground = |surface: StyleRole| rgb(theme.style(surface).bg.or(text.bg));
            SURFACES.map(|surface| (fg, ground(surface))).into()
        }
    }
}

#[test]
fn text_of_themes_with_colours_of_their_own_stands_out() {
    for (name, least) in FIXED {
        for palette in [ColourDepth::True, ColourDepth::Indexed] {
            let theme = theme(name, palette, None);
            for (role, style) in &theme.roles {
                let least = if LINES.contains(role) { 3.0 } else { least };
                // The nearest of 256 may be a little off.
                let least = if palette == ColourDepth::Indexed {
                    least * 0.8
                } else {
                    least
                };
                for (text, ground) in pairs(&theme, *role) {
                    let found = contrast(text, ground);
                    assert!(
                        found >= least,
                        "{name} {role:?} {found:.2} of {least} ({palette:?})"
                    );
                }
                assert!(
                    !style.add_modifier.contains(Modifier::DIM),
                    "{name} {role:?} is dim"
                );
            }
        }
    }
}

#[test]
fn dim_text_can_be_read_on_the_marked_row_of_every_theme() {
    let names = NAMES
        .iter()
        .map(|(name, _)| *name)
        .chain(FIXED.map(|(name, _)| name));
    for name in names {
        for palette in [ColourDepth::True, ColourDepth::Indexed, ColourDepth::Sixteen] {
            for ground in [None, Some(Background::Dark), Some(Background::Light)] {
                let theme = theme(name, palette, ground);
                let marked = theme
                    .style(StyleRole::Dim)
                    .patch(theme.style(StyleRole::Selected));
                assert!(!marked.add_modifier.contains(Modifier::DIM), "{name} {palette:?}");
                let has_ground = theme.style(StyleRole::Selected).bg.is_some();
                assert!(
                    has_ground || marked.add_modifier.contains(Modifier::REVERSED),
                    "{name} {palette:?}: nothing marks the row"
                );
                // The 16 colours are the terminal's; the nearest of 256 may be a little off.
                let least = match palette {
                    ColourDepth::True => 4.5,
                    ColourDepth::Indexed => 4.5 * 0.8,
                    ColourDepth::Sixteen | ColourDepth::Mono => continue,
                };
                if has_ground {
                    let found = contrast(rgb(marked.fg), rgb(marked.bg));
                    assert!(found >= least, "{name} {palette:?} {found:.2}");
                }
            }
        }
    }
}

#[test]
fn every_theme_file_with_colours_of_its_own_is_measured() {
    let files = BUILTIN.iter().map(|(name, _)| *name);
    let measured = |name: &str| FIXED.iter().any(|(fixed, _)| *fixed == name);
    let left: Vec<&str> = files.filter(|name| !measured(name)).collect();
    assert_eq!(
        left,
        ["terminal", "mono"],
        "they have the terminal's colours, or none"
    );
}

#[test]
fn with_sixteen_colours_no_text_vanishes() {
    for (name, _) in FIXED {
        let theme = theme(name, ColourDepth::Sixteen, None);
        let ground = theme.style(StyleRole::Text).bg;
        for (role, style) in &theme.roles {
            let fg = style.fg.or(theme.style(StyleRole::Text).fg);
            let bg = style.bg.or(ground);
            assert_ne!(fg, bg, "{name} {role:?}");
            assert!(
                [fg, bg]
                    .iter()
                    .all(|color| matches!(color, Some(Color::Indexed(0..=15)))),
                "{name} {role:?} {style:?}"
            );
        }
    }
}

#[test]
fn every_built_in_theme_knows_every_role_and_mono_has_no_colour() {
    let mono = theme("mono", ColourDepth::True, None);
    assert_eq!(mono.palette, ColourDepth::Mono);
    let has_colour = |style: &Style| style.fg.is_some() || style.bg.is_some();
    assert!(!mono.roles.values().any(has_colour));
    for (name, _) in FIXED {
        let theme = theme(name, ColourDepth::True, None);
        assert!(theme.roles.keys().eq(mono.roles.keys()), "{name}");
        assert_ne!(theme.ground().bg, None, "{name}");
    }
    let terminal = theme("terminal", ColourDepth::True, None);
    assert!(terminal.roles.keys().eq(mono.roles.keys()));
    assert_eq!(terminal.ground(), Style::default());
}

#[test]
fn a_name_may_stand_for_a_dark_and_a_light_theme() {
    for name in [
        "adaptive",
        "high-contrast",
        "colour-blind",
        "catppuccin",
        "gruvbox",
        "solarized",
        "tokyo-night",
    ] {
        let of = |ground| luminance(rgb(theme(name, ColourDepth::True, ground).ground().bg));
        assert!(of(Some(Background::Dark)) < 0.1, "{name}");
        assert!(of(Some(Background::Light)) > 0.8, "{name}");
        assert!(of(None) < 0.1, "{name}");
    }
    assert_eq!(Background::from_rgb(0xfd, 0xf6, 0xe3), Background::Light);
    assert_eq!(Background::from_rgb(0x28, 0x2a, 0x36), Background::Dark);
}

#[test]
fn what_is_wished_for_wins_over_a_terminal_without_colours_and_auto_follows_it() {
    assert_eq!(theme("auto", ColourDepth::Mono, None).palette, ColourDepth::Mono);
    assert_eq!(theme("auto", ColourDepth::True, None).palette, ColourDepth::True);
    assert_eq!(
        theme("terminal", ColourDepth::Mono, None).palette,
        ColourDepth::Sixteen
    );
}

fn own(name: &str, text: &str) -> UserTheme {
    UserTheme {
        name: name.to_owned(),
        file: format!("themes/{name}.toml"),
        text: text.to_owned(),
    }
}

fn problem(own: Vec<UserTheme>, name: &str) -> String {
    let looks = DisplayCaps::new(ColourDepth::True, Glyphs::Unicode);
    Themes::new(own).theme(name, looks).unwrap_err().to_string()
}

#[test]
fn a_theme_of_ones_own_may_change_a_single_role_of_another() {
    let themes = Themes::new(vec![own(
        "mine",
        "like = \"dark\"\n[roles]\ndone = { fg = \"#123456\" }\n",
    )]);
    let looks = DisplayCaps::new(ColourDepth::True, Glyphs::Ascii);
    let mine = themes.theme("mine", looks).unwrap();
    let dark = themes.theme("dark", looks).unwrap();
    assert_eq!(mine.style(StyleRole::Done).fg, Some(Color::Rgb(0x12, 0x34, 0x56)));
    assert_eq!(mine.style(StyleRole::Failed), dark.style(StyleRole::Failed));
    assert!(themes.names().iter().any(|(name, _)| name == "mine"));
}

#[test]
fn the_error_of_a_theme_names_file_and_line() {
    let wrong = |text: &str| problem(vec![own("mine", text)], "mine");
    assert_eq!(
        wrong("[roles]\ntext = {}\ndone = { fg = \"greeen\" }\n"),
        "read the theme themes/mine.toml, line 3: `greeen` is not a colour: write `#rrggbb`, a name like `light-blue`, or 0 to 255"
    );
    assert!(
        wrong("[roles]\n\ndoen = {}\n")
            .starts_with("read the theme themes/mine.toml, line 3: unknown variant `doen`")
    );
    assert!(wrong("[roles]\ndone = { fgg = 1 }\n").contains("line 2: unknown field `fgg`"));
    assert!(wrong("like = \"mine\"\n").ends_with("it is like itself; take its row `like` out"));
    assert!(problem(Vec::new(), "mine").starts_with("find the theme `mine`: there are auto, terminal,"));
}

#[test]
fn nothing_blinks_when_motion_is_reduced() {
    let full = theme("terminal", ColourDepth::Sixteen, None);
    let blinks = |theme: &Theme| {
        theme
            .style(StyleRole::Needs)
            .add_modifier
            .contains(Modifier::SLOW_BLINK)
    };
    assert!(blinks(&full.clone().with_motion(Motion::Full)));
    let still = full.with_motion(Motion::Reduced);
    let any = still
        .roles
        .values()
        .any(|style| style.add_modifier.contains(Modifier::SLOW_BLINK));
    assert!(
        !any && still
            .style(StyleRole::Needs)
            .add_modifier
            .contains(Modifier::REVERSED)
    );
}

#[test]
fn the_colours_of_projects_stand_out_on_every_ground_and_from_each_other() {
    let indexed = |colour: &u8| rgb(Some(Color::Indexed(*colour)));
    let bars = FIXED.map(|(name, _)| {
        let theme = theme(name, ColourDepth::True, None);
        rgb(theme.style(StyleRole::Bar).bg.or(theme.style(StyleRole::Text).bg))
    });
    let grounds = bars.into_iter().chain([(0, 0, 0), (255, 255, 255)]);
    for (ground, colour) in grounds.flat_map(|ground| OF_256.iter().map(move |colour| (ground, colour))) {
        let found = contrast(indexed(colour), ground);
        assert!(found >= 3.0, "{colour} on {ground:?}: {found:.2}");
    }
    let eye = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for (at, one) in OF_256.iter().enumerate() {
        for other in &OF_256[at + 1..] {
            let far = seen(indexed(one), &eye)
                .iter()
                .zip(seen(indexed(other), &eye))
                .map(|(a, b)| (a - b).powi(2))
                .sum::<f64>();
            assert!(far.sqrt() > 20.0, "{one} and {other}: {far:.1}");
        }
    }
    for (name, _) in FIXED {
        let theme = theme(name, ColourDepth::Sixteen, None);
        let ground = theme.style(StyleRole::Bar).bg.or(theme.style(StyleRole::Text).bg);
        assert!(
            OF_16.iter().all(|colour| ground != Some(Color::Indexed(*colour))),
            "{name}"
        );
    }
}

#[test]
fn a_project_keeps_its_colour_and_others_have_others() {
    let theme = theme("dark", ColourDepth::True, None);
    let of = |name: &str| theme.accent(name).bg.expect("a colour");
    assert_eq!(of("shop"), of("shop"));
    let names: Vec<String> = (0..200).map(|n| format!("project-{n}")).collect();
    for colour in OF_256 {
        let many = names
            .iter()
            .filter(|name| of(name) == Color::Indexed(colour))
            .count();
        assert!((3..=30).contains(&many), "{colour} is that of {many} of 200");
    }
    for glyphs in [Glyphs::Unicode, Glyphs::Ascii] {
        assert_eq!(
            Theme::builtin(ColourDepth::Mono, glyphs).accent("shop"),
            Style::default()
        );
    }
}
