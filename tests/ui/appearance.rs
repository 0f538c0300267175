//! Choosing an appearance, and the effect of themes on whole frames.

use dbs::display::{Background, ColourDepth, DisplayCaps, Glyphs};
use dbs::domain::Span;
use dbs::ui::{SessionKind, Themes, UiRequest};
use ratatui::style::Color;

use crate::fixture::Dashboard;

fn looks(palette: ColourDepth) -> DisplayCaps {
    DisplayCaps {
        palette,
        glyphs: Glyphs::Unicode,
        ground: None,
    }
}

fn dashboard(size: (u16, u16)) -> Dashboard {
    let mut dashboard = Dashboard::full(size);
    dashboard.state.set_themes(Themes::default().names());
    dashboard
}

#[test]
fn a_theme_is_shown_while_it_is_marked_and_kept_by_enter() {
    let mut dashboard = dashboard((80, 24));
    assert_eq!(dashboard.press("C-b T"), []);
    assert!(
        dashboard
            .text()
            .contains("high-contrast   as much contrast as can be")
    );
    assert_eq!(
        dashboard.press("j j"),
        [UiRequest::ApplyTheme, UiRequest::ApplyTheme]
    );
    assert_eq!(dashboard.state.theme(), Some("terminal"));
    assert_eq!(dashboard.press("Enter"), [], "the theme is in use already");
    assert_eq!(dashboard.state.theme(), Some("terminal"));
    assert!(dashboard.text().contains("dbs config theme terminal"));
}

#[test]
fn escape_brings_back_the_theme_from_before() {
    let mut dashboard = dashboard((80, 24));
    dashboard.press("C-b T j j j Enter");
    assert_eq!(dashboard.state.theme(), Some("adaptive"));
    assert_eq!(dashboard.press("C-b T j Esc").len(), 2);
    assert_eq!(dashboard.state.theme(), Some("adaptive"));
    dashboard.press("C-b T g Enter");
    assert_eq!(
        dashboard.state.theme(),
        None,
        "the first row is the configured theme"
    );
}

#[test]
fn the_theme_asked_for_at_the_start_holds_until_another_is_chosen() {
    let mut dashboard = dashboard((80, 24));
    dashboard.press("C-b T j j j Enter");
    dashboard.state.request_theme("mono".to_owned());
    assert_eq!(dashboard.state.theme(), Some("mono"));
    dashboard.press("C-b T j Esc");
    assert_eq!(dashboard.state.theme(), Some("mono"));
    dashboard.press("C-b T g Enter");
    assert_eq!(dashboard.state.theme(), None);
}

#[test]
fn a_theme_with_colours_of_its_own_covers_everything_but_the_programs() {
    for keys in ["4", "5", "3 G Enter", "6 ?", "6", "6 C-b T"] {
        let mut dashboard = dashboard((120, 40));
        dashboard.theme = Themes::default()
            .theme("light", looks(ColourDepth::True))
            .expect("theme");
        dashboard.press(keys);
        let (buffer, _) = dashboard.frame();
        let bare = buffer
            .content
            .iter()
            .filter(|cell| cell.bg == Color::Reset || cell.fg == Color::Reset);
        assert_eq!(bare.count(), 0, "after {keys}");
    }
    let mut dashboard = dashboard((120, 40));
    dashboard.theme = Themes::default()
        .theme("light", looks(ColourDepth::True))
        .expect("theme");
    dashboard.press("3 g Enter");
    let (buffer, layout) = dashboard.frame();
    let pane = layout
        .panes
        .iter()
        .find(|pane| pane.screen.is_some())
        .expect("an agent");
    let own = pane.area.positions().filter(|at| buffer[*at].bg != Color::Reset);
    assert_eq!(own.count(), 0, "a program keeps the terminal's background");
}

#[test]
fn the_top_bar_has_one_ground_from_end_to_end() {
    for (name, ground) in [
        ("dark", Background::Dark),
        ("light", Background::Light),
        ("high-contrast", Background::Dark),
        ("high-contrast", Background::Light),
        ("colour-blind", Background::Dark),
        ("colour-blind", Background::Light),
    ] {
        let mut dashboard = dashboard((160, 50));
        let looks = DisplayCaps {
            ground: Some(ground),
            ..looks(ColourDepth::True)
        };
        dashboard.theme = Themes::default().theme(name, looks).expect("theme");
        let (buffer, _) = dashboard.frame();
        let row = || (1..160u16).map(|x| &buffer[(x, 0)]);
        let text: String = row().map(ratatui::buffer::Cell::symbol).collect();
        let (from, to) = (text.find('[').expect("a tab"), text.find(']').expect("a tab"));
        let grounds: std::collections::BTreeSet<String> = row()
            .enumerate()
            .filter(|(at, _)| *at < from || *at > to)
            .map(|(_, cell)| format!("{:?}", cell.bg))
            .collect();
        assert_eq!(grounds.len(), 1, "{name} {ground:?}: {grounds:?}");
    }
}

#[test]
fn the_greeting_is_in_the_first_frame_and_goes_with_a_key_or_by_itself() {
    let greeted = || {
        let mut dashboard = dashboard((60, 15));
        let lines = ["dbs 0.1.0", "shop  onto feature/shop"].map(str::to_owned);
        dashboard.state.show_splash(dashboard.now, lines.into());
        assert!(
            dashboard.text().contains(r"/ _` | '_ (_-<"),
            "{}",
            dashboard.text()
        );
        assert!(dashboard.text().contains("shop  onto feature/shop"));
        dashboard
    };
    let mut pressed = greeted();
    pressed.press("j");
    assert!(!pressed.text().contains("Welcome"));
    let mut waited = greeted();
    waited.now = waited.now + Span::seconds(4);
    assert!(!waited.text().contains("Welcome"));
}

#[test]
fn on_eighty_columns_a_rehearsal_still_says_how_things_stand() {
    let mut dashboard = dashboard((80, 24));
    dashboard.session.kind = SessionKind::Rehearsal;
    let text = dashboard.text();
    let top = text.lines().next().expect("a row");
    assert!(
        top.contains("DEMO") && top.contains("▸8") && top.contains("✗1"),
        "{top}"
    );
    assert!(top.contains("[1 Main]") && top.contains("6 Stats"), "{top}");
}
