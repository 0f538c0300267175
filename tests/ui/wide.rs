//! Use of the space by a board with columns.

use std::sync::Arc;

use dbs::display::{ColourDepth, Glyphs};
use dbs::domain::TaskId;
use dbs::ui::{Theme, UiInput};

use crate::fixture::Dashboard;
use crate::snapshots;

/// The tab of the board with only these tasks.
fn few(size: (u16, u16), tasks: &[&str]) -> Dashboard {
    let mut dashboard = Dashboard::full(size);
    dashboard
        .board
        .tasks
        .retain(|id, _| tasks.iter().any(|task| TaskId::from(*task) == *id));
    dashboard.change("dbs-4", |_| {});
    dashboard.press("3");
    dashboard
}

#[test]
fn a_board_with_room_to_spare_says_how_much_was_done_lately() {
    let mut dashboard = few((200, 60), &["dbs-1", "dbs-2", "dbs-3", "dbs-4"]);
    let text = dashboard.text();
    let row = text.lines().nth(57).unwrap_or_default();
    let wanted = "│ Throughput   last hour 2 done     █            █               last day 3 done                       ▄█";
    assert!(row.starts_with(wanted), "{text}");
    dashboard.theme = Theme::builtin(ColourDepth::Mono, Glyphs::Ascii);
    let plain = dashboard.text();
    assert!(plain.contains("last hour 2 done ....#............#"), "{plain}");
    let mut full = Dashboard::full((200, 40));
    full.press("3");
    assert!(!full.text().contains("Throughput"), "the tasks need the room");
}

#[test]
fn columns_out_of_sight_are_counted_on_their_side() {
    let heading = |dashboard: &Dashboard| dashboard.text().lines().nth(3).unwrap_or_default().to_owned();
    let mut dashboard = Dashboard::full((152, 40));
    dashboard.press("3");
    let right = heading(&dashboard);
    assert!(right.contains("Accept 1") && right.ends_with("+1 │"), "{right}");
    dashboard.press("l l l l l l l");
    let left = heading(&dashboard);
    let first = left.split('│').nth(1).unwrap_or_default();
    assert!(first.contains("Dev 8") && left.contains("Done 5"), "{left}");
    let mut all = Dashboard::full((160, 50));
    all.press("3");
    let all = heading(&all);
    assert!(all.contains("Done 5") && !all.contains("+1"), "{all}");
}

#[test]
fn a_board_has_columns_from_a_hundred_columns_of_width_on() {
    let is_heading = |line: &str| line.contains("Dev 8") && line.contains("Review 3");
    for (size, has_columns) in [((99, 30), false), ((100, 30), true), ((120, 40), true)] {
        let mut dashboard = Dashboard::full(size);
        dashboard.press("3");
        let text = dashboard.text();
        assert_eq!(text.lines().any(is_heading), has_columns, "{size:?}\n{text}");
        dashboard.press("l l l l l l l l");
        let last = dashboard.text();
        assert_eq!(last.contains("Done 5"), has_columns, "{size:?}\n{last}");
    }
}

#[test]
fn a_column_without_cards_is_only_its_heading_and_the_others_share_its_room() {
    let mut dashboard = few((160, 50), &["dbs-1", "dbs-4", "dbs-8"]);
    let text = dashboard.text();
    let heading = text.lines().nth(3).unwrap_or_default();
    let widths: Vec<(bool, usize)> = heading
        .trim_matches('│')
        .split('│')
        .map(|column| (column.trim_end().ends_with(" 0"), column.chars().count()))
        .collect();
    assert_eq!(widths.len(), 6, "{heading}");
    for (is_empty, width) in widths {
        assert_eq!(is_empty, width < 16, "{heading}");
        assert!(is_empty || width > 20, "{heading}");
    }
    // Two lines and no more, however long the title is; one where the heading says the state.
    let long = "A title that goes on for much longer than any column on any screen is wide";
    dashboard.change("dbs-4", |task| task.title = long.to_owned());
    let text = dashboard.text();
    let row = |number: usize| text.lines().nth(number).unwrap_or_default();
    assert!(row(4).contains("dbs-4") && row(4).contains('…'), "{text}");
    assert!(
        row(5).contains("11m") && row(6).chars().all(|c| " │".contains(c)),
        "{text}"
    );
    let done = row(4).rsplit('│').nth(1).unwrap_or_default();
    assert!(
        done.contains("✓ dbs-1") && done.trim_end().ends_with("1.3h"),
        "{text}"
    );
}

/// Three hundred tasks of a plan in full swing: half of them not released, a fifth done, the others with agents or waiting.
fn many(size: (u16, u16)) -> Dashboard {
    let mut dashboard = Dashboard::full(size);
    let like = |dashboard: &Dashboard, id: &str| dashboard.board.tasks[&TaskId::from(id)].as_ref().clone();
    let (planned, done) = (like(&dashboard, "dbs-20"), like(&dashboard, "dbs-3"));
    let queued = like(&dashboard, "dbs-15");
    let given = u64::try_from(dashboard.board.tasks.len()).expect("few");
    for number in 1..=300 - given {
        let mut task = match number % 10 {
            0..=4 => planned.clone(),
            5 | 6 => done.clone(),
            _ => queued.clone(),
        };
        if number % 10 == 9 {
            task.stage = "review".into();
        }
        task.id = format!("shop-{number}").as_str().into();
        task.title = format!("Step {number} of the new shop");
        task.number = 1000 + number;
        dashboard.board.tasks.insert(task.id.clone(), Arc::new(task));
    }
    dashboard.change("shop-1", |_| {});
    dashboard.press("3");
    dashboard
}

#[test]
fn a_board_of_three_hundred_tasks_counts_them_by_stage_and_shows_the_one_that_is_gone_to() {
    for size in snapshots::SIZES {
        let mut dashboard = many(size);
        let text = dashboard.text();
        assert!(text.contains("Board  300 tasks"), "{text}");
        assert!(text.contains("Dev 64  4/4 at work"), "{text}");
        if size == (80, 24) {
            snapshots::check("many", &dashboard);
        }
        for (task, keys) in [("shop-277", ""), ("shop-278", "j"), ("shop-277", "k")] {
            if keys.is_empty() {
                dashboard.press(":");
                dashboard.input(UiInput::Paste(format!("@{task}")));
                dashboard.press("Enter");
            } else {
                dashboard.press(keys);
            }
            let text = dashboard.text();
            let number = task.trim_start_matches("shop-");
            // A column of the board cuts the title.
            let shown = if size == (120, 40) {
                format!("{task} Step ")
            } else {
                format!("{task} Step {number} ")
            };
            assert!(text.contains(&shown), "{task} {size:?}\n{text}");
        }
        // The marked row stays where the list was left, with its neighbours.
        let around = ["shop-267", "shop-268", "shop-277", "shop-278"]
            .map(|task| dashboard.rows_with(&format!("◌ {task} ")).len());
        assert_eq!(around, [1; 4], "{}", dashboard.text());
        if size == (60, 15) {
            snapshots::check("many_gone_to", &dashboard);
        }
    }
}
