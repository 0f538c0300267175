//! Parts that disappear when space shrinks, in a fixed order, and all come back (A4).

use dbs::display::{ColourDepth, Glyphs, Motion};
use dbs::domain::{PauseReason, Span};
use dbs::read_model::Trouble;
use dbs::ui::{SessionKind, StyleRole, Theme, UiInput};
use ratatui::style::Modifier;

use crate::fixture::{Dashboard, NOW};

fn resize(dashboard: &mut Dashboard, (width, height): (u16, u16)) {
    dashboard.input(UiInput::Resize(width, height));
}

#[test]
fn panes_are_one_two_and_three_columns_from_the_widths_of_the_table_on() {
    let panes = |size| Dashboard::classic(size).frame().1.panes;
    for (size, many, main) in [
        ((59, 15), 0, 0),
        ((60, 14), 0, 0),
        ((60, 15), 1, 1),
        ((79, 40), 1, 1),
        ((80, 23), 1, 1),
        ((80, 24), 1, 2),
        ((99, 40), 1, 2),
        ((100, 40), 4, 3),
        ((160, 50), 4, 3),
    ] {
        assert_eq!(panes(size).len(), many, "{size:?}");
        assert_eq!(Dashboard::full(size).frame().1.panes.len(), main, "{size:?}");
    }
    let columns = |size| {
        let mut from: Vec<u16> = panes(size).iter().map(|pane| pane.area.x).collect();
        from.sort_unstable();
        from.dedup();
        from.len()
    };
    assert_eq!(
        (columns((100, 40)), columns((159, 50)), columns((160, 50))),
        (2, 2, 3)
    );
}

#[test]
fn the_top_bar_loses_its_parts_in_one_order_and_names_become_digits_last() {
    // In the order in which they disappear.
    let parts = [
        "mem ", "cpu ", "disk ", "00:41:07", "agents ", "⚑5", "✓3", "▸8", "✗1",
    ];
    let mut losses = Vec::new();
    let mut was_named = true;
    for width in (60..=200).rev() {
        let top = Dashboard::full((width, 50)).row(0);
        let is_named = top.contains("3 Board");
        assert!(was_named || !is_named, "{width}: {top}");
        was_named = is_named;
        let first = parts
            .iter()
            .position(|part| top.contains(part))
            .unwrap_or(parts.len());
        let rest = parts.iter().skip(first);
        assert!(rest.clone().all(|part| top.contains(part)), "{width}: {top}");
        if is_named {
            assert!(losses.last().is_none_or(|last| *last <= first), "{width}: {top}");
            losses.push(first);
        }
        assert!(
            top.contains("shop") && top.contains('1') && top.contains('6'),
            "{width}: {top}"
        );
    }
    assert!(
        losses.first() == Some(&0) && losses.last() > Some(&4),
        "{losses:?}"
    );
}

#[test]
fn what_is_broken_stands_in_the_top_bar_at_every_width() {
    for (project, width) in ["shop", "a-project-with-a-long-name"]
        .into_iter()
        .flat_map(|project| (60..=200).map(move |width| (project, width)))
    {
        let mut dashboard = Dashboard::full((width, 50));
        dashboard.session.project = project.to_owned();
        dashboard.session.kind = SessionKind::Rehearsal;
        dashboard.session.notice = Some("disk full".to_owned());
        dashboard.model.pause = Some(PauseReason::Quota {
            until: NOW + Span::minutes(47),
            why: "usage limit reached".to_owned(),
        });
        let top = dashboard.row(0);
        for told in ["disk full", "PAUSED", "47m left", "DEMO", "[1"] {
            assert!(top.contains(told), "{told} at {width}: {top}");
        }
        // One more trouble is at least counted.
        dashboard.model.troubles = vec![Trouble::of_store(
            dbs::domain::TroubleKind::Disk.cause("the disk of /p/board.db is full"),
        )];
        dashboard.session.notice = Some("reconnecting for the third time".to_owned());
        let top = dashboard.row(0);
        assert!(top.contains("reconnecting"), "{width}: {top}");
        assert!(
            top.contains("disk full") && (top.contains("DEMO") || top.contains(" +")),
            "{width}: {top}"
        );
    }
}

#[test]
fn hints_go_from_the_right_and_the_way_to_the_help_stays() {
    let mut last: Option<String> = None;
    for width in (60..=200).rev() {
        let mut dashboard = Dashboard::full((width, 50));
        dashboard.press("3");
        let status = dashboard.row(49);
        let hints = status.strip_suffix("? help").map(str::trim_end);
        let hints = hints
            .unwrap_or_else(|| panic!("{width}: no way to the help: {status}"))
            .to_owned();
        if let Some(last) = &last {
            assert!(
                last.starts_with(&hints),
                "{width}: {hints:?} is not a prefix of {last:?}"
            );
        }
        last = Some(hints);
    }
    assert!(last.is_some_and(|last| last.starts_with(" NAV   Enter open")));
}

#[test]
fn nothing_is_lost_on_a_frame_of_one_cell_and_keys_still_work() {
    let mut dashboard = Dashboard::full((200, 60));
    dashboard.press("6");
    dashboard.press("C-b z j");
    let before = dashboard.text();
    for small in [(1, 1), (59, 14), (0, 0), (60, 15), (80, 24)] {
        resize(&mut dashboard, small);
        dashboard.frame();
        resize(&mut dashboard, (200, 60));
        assert_eq!(dashboard.text(), before, "after {small:?}");
    }
    resize(&mut dashboard, (1, 1));
    dashboard.press("5");
    resize(&mut dashboard, (200, 60));
    assert!(dashboard.row(0).contains("[5 Inbox]"), "{}", dashboard.text());
}

#[test]
fn only_the_flag_of_what_needs_a_person_blinks_and_not_with_motion_reduced() {
    for palette in [ColourDepth::Mono, ColourDepth::Sixteen] {
        for (motion, many) in [(Motion::Full, 1), (Motion::Reduced, 0)] {
            let mut dashboard = Dashboard::full((120, 40));
            dashboard.theme = Theme::builtin(palette, Glyphs::Unicode).with_motion(motion);
            let (buffer, _) = dashboard.frame();
            let blinks = buffer
                .content
                .iter()
                .filter(|cell| cell.modifier.contains(Modifier::SLOW_BLINK));
            let signs: Vec<&str> = blinks
                .map(ratatui::buffer::Cell::symbol)
                .filter(|sign| *sign != " ")
                .collect();
            assert_eq!(signs, vec!["⚑"; many], "{palette:?} {motion:?}");
            let needs = dashboard.theme.style(StyleRole::Needs).add_modifier;
            assert!(
                needs.contains(Modifier::REVERSED),
                "the item stands out without blinking, too"
            );
        }
    }
}
