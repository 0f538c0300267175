//! The appearance in the settings, and the theme, keys and calls that follow from it.

use dbs::config::appearance::read;
use dbs::config::{Config, ConfigFiles, ConfigOverrides};
use dbs::display::{AlertWhen, Appearance, ColourDepth, DisplayCaps, Glyphs, NotifySequence, NotifyStyle};
use dbs::domain::time::Span;
use dbs::keymap::{Action, Chord, KeyTable, Keymap};
use dbs::ui::{AlertRules, Theme};

fn rules_and_style(appearance: &Appearance, caps: DisplayCaps) -> (AlertRules, Option<NotifyStyle>) {
    (AlertRules::of(appearance, caps), appearance.notify_style)
}

fn appearance(text: &str) -> Appearance {
    let folder = tempfile::tempdir().unwrap();
    let places = ConfigFiles::new(folder.path(), None, None);
    std::fs::write(places.toml(), text).unwrap();
    read(&Config::read(&places, &ConfigOverrides::default()), Vec::new())
}

fn looks(palette: ColourDepth, glyphs: Glyphs) -> DisplayCaps {
    DisplayCaps {
        palette,
        glyphs,
        ground: None,
    }
}

#[test]
fn without_settings_the_screen_follows_the_terminal() {
    for (palette, glyphs) in [
        (ColourDepth::Indexed, Glyphs::Unicode),
        (ColourDepth::Mono, Glyphs::Ascii),
    ] {
        let theme = Theme::of(&appearance(""), None, looks(palette, glyphs)).unwrap();
        assert_eq!((theme.palette, theme.glyphs), (palette, glyphs));
        assert_eq!(theme, Theme::builtin(palette, glyphs));
    }
    assert_eq!(
        Keymap::with_overrides(&appearance("").keys)
            .unwrap()
            .prefix()
            .to_string(),
        "C-b"
    );
}

#[test]
fn theme_glyphs_and_prefix_are_as_they_are_set_whatever_the_terminal_says() {
    let theme = Theme::of(
        &appearance("theme = \"mono\"\nglyphs = \"ascii\"\n"),
        None,
        looks(ColourDepth::True, Glyphs::Unicode),
    )
    .unwrap();
    assert_eq!((theme.palette, theme.glyphs), (ColourDepth::Mono, Glyphs::Ascii));
    let both = appearance("theme = \"terminal\"\nglyphs = \"unicode\"\n");
    let plain = looks(ColourDepth::Mono, Glyphs::Ascii);
    let theme = Theme::of(&both, None, plain).unwrap();
    assert_eq!(
        (theme.palette, theme.glyphs),
        (ColourDepth::Sixteen, Glyphs::Unicode)
    );
    let chosen = Theme::of(&both, Some("mono"), plain).unwrap();
    assert_eq!(chosen.palette, ColourDepth::Mono);
    let keys = Keymap::with_overrides(&appearance("keys.prefix = \"ctrl-a\"\n").keys).unwrap();
    assert_eq!(keys.prefix().to_string(), "C-a");
}

#[test]
fn reduced_motion_is_heeded_and_a_theme_that_does_not_exist_is_told() {
    let theme = |text: &str| {
        Theme::of(
            &appearance(text),
            None,
            looks(ColourDepth::Sixteen, Glyphs::Unicode),
        )
    };
    assert_ne!(theme("").unwrap(), theme("motion = \"reduced\"\n").unwrap());
    let why = theme("theme = \"drak\"\n").unwrap_err().to_string();
    assert!(why.starts_with("find the theme `drak`: there are auto,"), "{why}");
}

#[test]
fn own_keys_come_on_top_of_a_preset_and_a_contradiction_names_both_sides() {
    let keys =
        Keymap::with_overrides(&appearance("keys.preset = \"vim\"\n[keys.nav]\napprove = \"Y C-y\"\n").keys)
            .unwrap();
    let yes = dbs_chord("C-y");
    assert_eq!(keys.lookup(KeyTable::Nav, yes), Action::named("approve"));
    assert_eq!(keys.lookup(KeyTable::Nav, dbs_chord("a")), None);
    assert_eq!(keys.lookup(KeyTable::Nav, dbs_chord("Up")), None);
    let why = Keymap::with_overrides(&appearance("[keys.nav]\napprove = \"r\"\n").keys)
        .unwrap_err()
        .to_string();
    assert_eq!(
        why,
        "bind `r` twice in nav: to retry and to approve; give one of them another key"
    );
}

#[test]
fn calls_are_as_they_are_set() {
    let (rules, manner) = rules_and_style(&appearance(""), looks(ColourDepth::True, Glyphs::Unicode));
    assert_eq!(
        (rules.when, rules.min_interval),
        (AlertWhen::Away, Span::seconds(5))
    );
    let wanted = NotifyStyle {
        way: NotifySequence::Auto,
        bell: true,
        through_tmux: false,
    };
    assert_eq!(manner, Some(wanted));
    let (rules, manner) = rules_and_style(
        &appearance("notify.way = \"none\"\n"),
        looks(ColourDepth::Sixteen, Glyphs::Ascii),
    );
    assert_eq!((rules.when, manner), (AlertWhen::Never, None));
    assert_eq!(rules.glyphs, Glyphs::Ascii);
    let (rules, manner) = rules_and_style(
        &appearance("[notify]\nwhen = \"always\"\nway = \"bell\"\nbell = false\n"),
        looks(ColourDepth::True, Glyphs::Unicode),
    );
    assert_eq!(rules.when, AlertWhen::Always);
    assert!(manner.is_some_and(|manner| manner.bell && manner.way == NotifySequence::None));
}

fn dbs_chord(text: &str) -> Chord {
    text.parse().unwrap()
}
