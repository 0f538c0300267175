//! Rows and cards of the board where there is little room: the state and the time stay, names are cut.

use std::sync::Arc;

use dbs::display::{ColourDepth, Glyphs};
use dbs::domain::{
    ActivityKind, FailureClass, HoldReason, PauseReason, TaskId, TaskState, WaitReason, Worker,
};
use dbs::ui::Theme;

use crate::fixture::{Dashboard, asked};

const LONG: [&str; 2] = [
    "Rewrite the whole of the login form so that it never posts anything twice",
    "登录表单不能提交两次密码因为服务器会拒绝第二次请求并且用户会看到错误提示",
];

/// A board with long names everywhere.
fn long(size: (u16, u16), glyphs: Glyphs, title: &str) -> Dashboard {
    let mut dashboard = Dashboard::full(size);
    dashboard.theme = Theme::builtin(ColourDepth::Sixteen, glyphs);
    let ids: Vec<TaskId> = dashboard.board.tasks.keys().cloned().collect();
    for attempt in dashboard.board.attempts.values_mut() {
        if let Worker::Agent { name, .. } = &mut Arc::make_mut(attempt).worker {
            "developer-rimskykorsakov".clone_into(name);
        }
    }
    for id in ids {
        dashboard.change(id.as_str(), |task| title.clone_into(&mut task.title));
    }
    dashboard
}

/// The row of a task in the list.
fn row(text: &str, id: &str) -> Option<String> {
    let id = format!("{id} ");
    let is_row = |line: &&str| line.chars().skip(4).collect::<String>().starts_with(&id);
    text.lines().find(is_row).map(str::to_owned)
}

#[test]
fn in_a_row_of_the_list_the_state_and_the_time_stay_and_the_names_are_cut() {
    let told: [(&str, &str, &str); 7] = [
        ("dbs-4", " working", " 11m "),
        ("dbs-5", " working", " 3m "),
        ("dbs-8", " starting", " 3s "),
        ("dbs-9", " tests 40s of ~74s", " 1m "),
        ("dbs-13", " retry in 25s", " 35s "),
        ("dbs-15", " queued", " 15m "),
        ("dbs-16", " approve?", " 4m "),
    ];
    // At the other sizes the signs stand for the states, and the titles take the room.
    for (size, keys, has_words) in [
        ((60, 15), "1", true),
        ((80, 24), "1", true),
        ((80, 24), "3", false),
        ((97, 30), "3", false),
        ((120, 40), "1", false),
        ((200, 60), "1", true),
    ] {
        for (glyphs, more) in [(Glyphs::Unicode, '…'), (Glyphs::Ascii, '~')] {
            for title in LONG {
                let mut dashboard = long(size, glyphs, title);
                dashboard.press(keys);
                let text = dashboard.text();
                let rows = told.map(|(id, word, age)| (row(&text, id), word, age));
                assert!(rows.iter().flat_map(|(row, ..)| row).count() >= 4, "{text}");
                for (row, word, age) in rows {
                    let Some(row) = row else { continue };
                    let before = row.split_once(age).map(|(before, _)| before);
                    assert_eq!(
                        before.map(|before| before.contains(word.trim_end())),
                        Some(has_words),
                        "{word}{age}in {row}\n{text}"
                    );
                    assert!(row.contains(more), "{row}");
                    let shown = row.chars().skip_while(|c| *c != 'R').take_while(|c| *c != more);
                    let is_wide = title != LONG[0] || size.0 == 60;
                    assert!(is_wide || shown.count() >= 23, "too little of the title in {row}");
                }
            }
        }
    }
}

#[test]
fn on_a_paused_board_the_top_row_says_so_and_the_cards_have_the_room_for_their_titles() {
    for (size, keys, shown) in [
        ((80, 24), "1", "Describe the settings in a way"),
        ((160, 50), "3", "Desc"),
    ] {
        let mut dashboard = Dashboard::full(size);
        dashboard.press(keys);
        dashboard.change("dbs-15", |task| {
            task.title = "Describe the settings in a way that nobody asks again".to_owned();
            task.why_not = Some(WaitReason::Paused);
        });
        dashboard.model.pause = Some(PauseReason::Operator {
            by: "ann".to_owned(),
            at: dashboard.now,
        });
        let text = dashboard.text();
        let row = text
            .lines()
            .find(|line| line.contains("dbs-15"))
            .expect("the card is shown");
        assert!(!text.contains("paused"), "{text}");
        assert!(text.contains("PAUSED"), "{text}");
        assert!(row.contains(shown), "{text}");
    }
}

#[test]
fn on_a_card_the_state_and_the_time_stay() {
    for glyphs in [Glyphs::Unicode, Glyphs::Ascii] {
        for title in LONG {
            let mut dashboard = long((160, 50), glyphs, title);
            dashboard.press("3");
            let text = dashboard.text();
            for told in [
                " 11m │",
                "starting 3s │",
                "40s of ~74s 1m │",
                "approve?        4m │",
                " 12s │",
                "failed: gate:",
                " 50m │",
            ] {
                let told = if glyphs == Glyphs::Ascii {
                    told.replace('│', "|")
                } else {
                    told.to_owned()
                };
                assert!(text.contains(&told), "{told}\n{text}");
            }
        }
    }
}

#[test]
fn what_a_card_waits_for_is_named_as_far_as_there_is_room_and_the_rest_counted() {
    let deps = |first: u64| {
        let ids = first..first + 6;
        ids.map(|n| TaskId::from(format!("dbs-{n}").as_str())).collect()
    };
    for (size, keys, first, told) in [
        ((60, 15), "1", 98, "⊘ dbs-98 +5        15m "),
        ((160, 50), "3 G", 98, "⊘ dbs-98 +5    15m "),
    ] {
        let mut dashboard = Dashboard::full(size);
        dashboard.change("dbs-14", |task| task.deps = deps(first));
        dashboard.press(keys);
        assert!(dashboard.text().contains(told), "{}", dashboard.text());
        dashboard.theme = Theme::builtin(ColourDepth::Sixteen, Glyphs::Ascii);
        let told = if size.0 == 60 {
            "after dbs-98 +5 "
        } else {
            "after dbs-98 ~ 15m "
        };
        assert!(dashboard.text().contains(told), "{}", dashboard.text());
    }
}

#[test]
fn a_task_that_waits_says_for_how_long_and_once_why() {
    let mut dashboard = Dashboard::full((200, 60));
    for (id, told) in [
        ("dbs-14", "waits for"),
        ("dbs-15", "queued  for 15m"),
        ("dbs-13", "retry in 25s  for 35s"),
    ] {
        dashboard.press(":");
        dashboard.input(dbs::ui::UiInput::Paste(format!("@{id}")));
        dashboard.press("Enter V");
        let text = dashboard.text();
        assert!(
            text.contains(told) && !text.contains("why not "),
            "{told}\n{text}"
        );
    }
}

#[test]
fn what_a_task_blocks_is_what_still_waits_for_it() {
    let mut dashboard = Dashboard::full((200, 60));
    dashboard.press("3 :");
    dashboard.input(dbs::ui::UiInput::Paste("@dbs-7".to_owned()));
    dashboard.press("Enter V");
    let text = dashboard.text();
    assert!(text.contains("blocks  dbs-14  Reset mail"), "{text}");
    dashboard.change("dbs-14", |task| task.state = TaskState::Done);
    assert!(!dashboard.text().contains("blocks "), "{}", dashboard.text());
}

#[test]
fn a_long_question_leaves_room_above_its_terminal_for_what_was_changed_and_what_waits() {
    let mut dashboard = Dashboard::full((200, 60));
    let asks = "Run the check of the whole handbook, with every page, every link on it, and all of the pictures that are more than a year old?";
    let asks = ActivityKind::Question(asks.to_owned());
    for attempt in dashboard.board.attempts.values_mut() {
        if attempt.task.as_str() == "dbs-7" {
            let attempt = Arc::make_mut(attempt);
            attempt.asks = asked(&asks, dashboard.now);
            attempt.activity.doing = asks.clone();
        }
    }
    dashboard.change("dbs-7", |_| {});
    dashboard.press(":");
    dashboard.input(dbs::ui::UiInput::Paste("@dbs-7".to_owned()));
    dashboard.press("Enter");
    let text = dashboard.text();
    let head = text.lines().find(|line| line.contains(" dbs-7  Dev "));
    let is_whole = |head: &str| head.contains("Run the check") && head.contains(" blocks 1 ");
    assert!(head.is_some_and(is_whole), "{text}");
}

#[test]
fn a_cause_that_says_itself_that_it_failed_has_no_word_before_it() {
    let mut dashboard = Dashboard::full((120, 40));
    let failed = TaskState::Held(HoldReason::Exhausted(FailureClass::Gate));
    dashboard.change("dbs-18", |task| task.state = failed);
    let text = dashboard.text();
    let strip = text.lines().nth(1).unwrap_or_default();
    assert!(strip.contains("Translate the help  failed "), "{strip}");
    assert!(!strip.contains("checks failed"), "{strip}");
}
