//! A pane that panics while it is drawn.

use dbs::ui::ScreenId;

use crate::fixture::Dashboard;
use crate::screens::BREAKS;

#[test]
fn a_pane_that_breaks_says_so_and_the_others_are_drawn_as_ever() {
    let mut dashboard = Dashboard::classic((120, 40));
    let sound = dashboard.text();
    dashboard.screens.put(ScreenId::Shell(1), BREAKS);
    let (buffer, layout) = dashboard.frame();
    let text = crate::fixture::text(&buffer);
    assert!(
        text.contains("This pane failed; everything else continues."),
        "{text}"
    );
    assert!(text.contains("broken by a test"), "{text}");
    // The board stays on the left, unchanged.
    let board = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.contains("dbs-"));
        lines.map(|line| line.chars().take(60).collect()).collect()
    };
    assert!(!board(&sound).is_empty());
    assert_eq!(board(&text), board(&sound), "{text}");
    dashboard.screens.put(ScreenId::Shell(1), "mended");
    let (_, mended) = dashboard.frame();
    assert_eq!(layout.panes, mended.panes);
    assert!(dashboard.text().contains("mended") && !dashboard.text().contains("This pane broke"));
}
