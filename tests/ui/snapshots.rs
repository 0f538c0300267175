//! Frames that the golden matrix does not show, each whole at one size; at the other sizes only the part under test is compared. Look at
//! them when they change: they must look like something people want to use.

use dbs::display::{ColourDepth, Glyphs};
use dbs::domain::{NoticeLevel, PauseReason, Span};
use dbs::ui::{SessionKind, Theme};
use ratatui::style::{Color, Style};

use crate::fixture::Dashboard;

pub(crate) const SIZES: [(u16, u16); 4] = [(60, 15), (80, 24), (120, 40), (200, 60)];

/// Compares a frame with the snapshot of that name and its size.
pub(crate) fn check(name: &str, dashboard: &Dashboard) {
    let (width, height) = dashboard.state.size;
    check_text(&format!("{name}_{width}x{height}"), &dashboard.text());
}

/// Compares a text with the snapshot of that name.
pub(crate) fn check_text(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_snapshot_path("snapshots");
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Keeps the whole frame after these keys at that size as a snapshot; tests of other sizes compare parts.
fn kept(name: &str, size: (u16, u16), keys: &str) {
    check(name, &pressed(size, keys));
}

fn pressed(size: (u16, u16), keys: &str) -> Dashboard {
    let mut dashboard = Dashboard::full(size);
    dashboard.press(keys);
    dashboard
}

/// The same frame without colours, with these signs.
fn plain(size: (u16, u16), glyphs: Glyphs, keys: &str) -> Dashboard {
    let mut dashboard = Dashboard::full(size);
    dashboard.theme = Theme::builtin(ColourDepth::Mono, glyphs);
    dashboard.press(keys);
    dashboard
}

/// Asserts that a box has the same words at every size, wherever its lines break.
#[track_caller]
fn says_at_every_size(keys: &str, title: &str, words: &str) {
    for size in SIZES {
        assert_eq!(pressed(size, keys).words(title), words, "{size:?}");
    }
}

#[test]
fn the_permission_an_agent_waits_for_in_the_inbox() {
    kept("inbox", (80, 24), "5 j j j");
    let told = [
        "dbs-7  Database migration for orders  in Dev",
        "developer-milhaud asks: npm run migrate?",
        "from hook, 2m ago",
        "a allow   N deny   Enter open   i type",
    ];
    for size in SIZES {
        let dashboard = pressed(size, "5 j j j");
        let rows = dashboard.text();
        let rows: Vec<&str> = rows.lines().map(|row| row.trim_matches(['│', ' '])).collect();
        assert!(rows.windows(told.len()).any(|rows| rows == told), "{rows:#?}");
    }
}

#[test]
fn what_a_task_changed() {
    let first = [
        "@@ -1,3 +1,4 @@",
        "   1     1 │ # Shop",
        "   2     2 │",
        "   3     3 │ Sells things.",
        "         4 │+The login posts the password once.",
    ];
    for size in SIZES {
        let dashboard = pressed(size, "3 g d");
        let rows = dashboard.boxed("Diff dbs-4");
        assert_eq!(rows[0], "Diff dbs-4  +7 -5  5 files  against feature/shop");
        // Where there is room the files are listed at the left; otherwise the current one stands above.
        if size.0 < 100 {
            assert!(
                rows[1].starts_with(" 1/5 M README.md  ") && rows[1].ends_with(" +1 -0"),
                "{rows:#?}"
            );
            assert_eq!(rows[2..], first.map(|row| format!(" {row}")), "{size:?}");
            continue;
        }
        let columns: Vec<(&str, &str)> = rows[1..].iter().filter_map(|row| row.split_once(" │")).collect();
        let (files, part): (Vec<&str>, Vec<&str>) = columns.into_iter().unzip();
        let listed = [
            " M README.md              +1 -0",
            " src/",
            "   M login.rs             +6 -3",
            "   R session.rs           +0 -0",
            " tests/data/",
            "   A logo.png             +0 -0",
            " tests/",
            "   D query.txt            +0 -2",
        ];
        assert_eq!(
            files[..8].iter().map(|row| row.trim_end()).collect::<Vec<_>>(),
            listed,
            "{size:?}"
        );
        assert_eq!(part[..5], first.map(|row| format!(" {row}")), "{size:?}");
    }
    check("diff_ascii", &plain((80, 24), Glyphs::Ascii, "3 g d J"));
    for (size, task) in SIZES.into_iter().zip(["dbs-20", "dbs-20", "dbs-17", "dbs-17"]) {
        let words =
            format!("Diff {task} against feature/shop {task} has not started, so it has changed nothing.");
        assert_eq!(pressed(size, "3 G d").words("Diff"), words, "{size:?}");
    }
    let none = "Diff dbs-4 since the last review No review has looked at dbs-4 yet. = compare with the base";
    says_at_every_size("3 g d =", "Diff", none);
    says_at_every_size(
        "3 g j d",
        "Diff",
        "Diff dbs-5 against feature/shop Reading the changes of dbs-5.",
    );
}

#[test]
fn the_checks() {
    kept("gates", (80, 24), "3 C");
    for size in SIZES {
        let dashboard = pressed(size, "3 C");
        assert_eq!(dashboard.boxed("Gates")[0], "Gates  6 runs  1 failed");
        // Where there is little room the end of the output is shown.
        let output = "test result: FAILED. 317 passed; 1 failed; finished in 7";
        assert_eq!(dashboard.rows_with(output).len(), 1, "{}", dashboard.text());
    }
    for (glyphs, bar) in [
        (Glyphs::Unicode, "◍ dbs-9    review     [█████░░░░░]"),
        (Glyphs::Ascii, "~ dbs-9    review     [#####.....]"),
    ] {
        let dashboard = plain((60, 15), glyphs, "3 C j j");
        assert_eq!(
            dashboard.rows_with(&format!("{bar} 40s of ~74s   40s ago")).len(),
            1,
            "{}",
            dashboard.text()
        );
        assert_eq!(
            dashboard
                .rows_with(" running  attempt 15 of dbs-9, commit 4f2a9c81d0 ")
                .len(),
            1,
            "{}",
            dashboard.text()
        );
        assert_eq!(
            dashboard.rows_with(" Reading its output. ").len(),
            1,
            "{}",
            dashboard.text()
        );
    }
}

#[test]
fn the_log_without_colours_and_without_unicode() {
    check("log_plain", &plain((60, 15), Glyphs::Ascii, "4 k k"));
}

#[test]
fn what_happened_while_nobody_looked() {
    let told = "While you were away, 30m ✓ 1 done dbs-3 ✗ 2 failed or held dbs-16, dbs-17 ↻ 1 sent back dbs-4 ⚑ 5 need you Tab go there";
    for size in SIZES {
        let mut dashboard = Dashboard::full(size);
        dashboard
            .state
            .set_away_since(Some(dashboard.now - Span::minutes(30)), dashboard.now);
        assert_eq!(dashboard.words("While"), told, "{size:?}");
        if size == (80, 24) {
            check("away", &dashboard);
        }
        dashboard.press("j");
        assert!(!dashboard.text().contains("While you were away"));
    }
}

#[test]
fn when_nothing_was_merged_the_end_of_all_work_says_how_it_went_and_what_is_worth_a_look() {
    use dbs::domain::TaskState;
    for size in SIZES {
        let mut dashboard = Dashboard::full(size);
        let ids: Vec<String> = dashboard.board.tasks.keys().map(ToString::to_string).collect();
        for id in ids {
            dashboard.change(&id, |task| {
                task.open_attempt = None;
                if !task.state.is_terminal() {
                    task.state = TaskState::Done;
                }
            });
        }
        dashboard.press("3");
        let (failed, typing) = if size.0 == 60 {
            ("gate: cargo test, 2 of…", "Search with typing erro…")
        } else {
            ("gate: cargo test, 2 of 318 failed", "Search with typing errors")
        };
        let told = [
            "All done",
            " 18 of 21 done, 1 failed, 1 skipped, 1 cancelled",
            " in 2.4h, 4 attempts by agents, 1 retried, 2 sent back",
            " 3 worth a look",
            &format!("   ✗ dbs-18  Translate the help  {failed}"),
            "   » dbs-21  Translate the mails  skipped: dbs-18 failed",
            &format!("   ↻ dbs-13  {typing}  sent back 2 times"),
            "",
            " M stats   W log   n new task   . show them",
        ];
        assert_eq!(dashboard.boxed("All done"), told, "{size:?}");
    }
}

#[test]
fn the_sessions_and_the_way_to_another() {
    let mut dashboard = plain((60, 15), Glyphs::Ascii, "3 C-b s j");
    let rows: Vec<String> = (3..9).map(|at| dashboard.row(at)).collect();
    let sessions = [
        "| - billing          detached                         1.5h |",
        "|   ! 1 need you  3 agents  4 active, 12 done              |",
        "| > shop             here                              41m |",
        "|   ! 5 need you  15 agents  4 active, 12 done             |",
        "| ? website          interrupted                           |",
        "|   4 active, 12 done                                      |",
    ];
    assert_eq!(rows, sessions);
    assert_eq!(
        dashboard.press("Enter"),
        [],
        "Enter on the present session does nothing"
    );
    let there = dbs::ui::UiRequest::SwitchSession("/home/ann/website".to_owned());
    assert_eq!(dashboard.press("j Enter"), [there]);
}

#[test]
fn the_figures_without_unicode() {
    for (size, attempts) in [
        (
            (60, 15),
            "| attempts per 5m ...................###.#..  4 in 1h      |",
        ),
        (
            (120, 40),
            "| attempts per 5m ....................###.#..  4 in 1h      |",
        ),
    ] {
        let dashboard = plain(size, Glyphs::Ascii, "6 M");
        let done = "| done per hour   ......................=#  3 in 24h       ";
        assert!(dashboard.row(4).starts_with(done), "{}", dashboard.text());
        assert!(dashboard.row(5).starts_with(attempts), "{}", dashboard.text());
        let stage = if size.0 == 60 {
            "| Dev             ##########    15m     1     0      0     |"
        } else {
            "| Dev             ###########    15m     1     0      0     |"
        };
        assert!(dashboard.row(8).starts_with(stage), "{}", dashboard.text());
    }
}

#[test]
fn what_waits_for_what() {
    let drawn = |size, glyphs| {
        let mut dashboard = Dashboard::full(size);
        for (task, on) in [
            ("dbs-20", "dbs-14"),
            ("dbs-13", "dbs-5"),
            ("dbs-19", "dbs-20"),
            ("dbs-21", "dbs-18"),
        ] {
            dashboard.change(task, |task| task.deps = [on.into()].into());
        }
        dashboard.cache = crate::cache_entries::cache(&dashboard.model);
        dashboard.theme = Theme::builtin(ColourDepth::Mono, glyphs);
        dashboard.press("3 D j");
        dashboard
    };
    check("graph", &drawn((80, 24), Glyphs::Unicode));
    for size in SIZES {
        let rows = drawn(size, Glyphs::Unicode).boxed("Dependencies");
        let whole = [
            " ✓ dbs-1 Scaffold",
            " └─ ▸ dbs-4 !Login form posts the password once",
            " ▸ dbs-5 Rate limit per customer",
            " └─ ↻ dbs-13 Search with typing errors",
            "*⚑ dbs-7 Database migration for orders",
            "*└─ ⋯ dbs-14 Reset mail",
            "*   └─ ◦ dbs-20 Gift cards",
            "*      └─ ▫ dbs-19 Dark mode",
            " ◍ dbs-11 Session store",
            " ✗ dbs-18 Translate the help",
        ];
        let tree = rows[1..].iter().zip(whole);
        assert!(
            tree.clone().count() == whole.len()
                && tree
                    .clone()
                    .all(|(row, start)| row.starts_with(&format!("{start}  "))),
            "{rows:#?}"
        );
    }
    let plain = drawn((60, 15), Glyphs::Ascii);
    let rows: Vec<String> = (3..11).map(|at| plain.row(at)).collect();
    let whole = [
        "| + dbs-1 Scaffold  done                              1.3h |",
        "| `- > dbs-4 !Login form posts the password once  wo~  11m |",
        "| > dbs-5 Rate limit per customer  working              3m |",
        "| `- r dbs-13 Search with typing errors  retry in 25s  35s |",
        "|*! dbs-7 Database migration for orders  asks: npm r~   2m |",
        "|*`- # dbs-14 Reset mail  waits for dbs-7, dbs-11      15m |",
        "|*   `- o dbs-20 Gift cards  backlog                  2.2h |",
        "|*      `- p dbs-19 Dark mode  parked: after the rel~ 1.3h |",
    ];
    assert_eq!(rows, whole);
}

#[test]
fn the_help_is_searched() {
    kept("help_search", (60, 15), "? s t o p");
    let found = [
        "Help dbs 0.1.0",
        "/ stop",
        "x Stop the agent. Its task goes back to its stage and no budget is used up.",
        "C-y copies dbs kill-agent dbs-4",
        "E End the turn of the task's agent, as Esc in its terminal does; its session stays, and an answer begins the next turn.",
        "Q Stop the server; asks first. Agents go on and are found again",
    ];
    for size in SIZES {
        let words = pressed(size, "? s t o p").words("Help");
        assert!(words.starts_with(&found.join(" ")), "{size:?}: {words}");
    }
}

#[test]
fn the_palette_finds_by_the_letters_and_says_what_is_not_possible_now() {
    kept("palette_found", (80, 24), ": r e t Down");
    for size in SIZES {
        let rows = pressed(size, ": r e t Down").boxed("Palette");
        let names: Vec<&str> = rows
            .iter()
            .filter_map(|row| row.trim_start().split("   ").next())
            .collect();
        let found = [
            "Palette",
            ": retry + note TASK",
            "retry",
            "retry + note",
            "back",
            "try now",
            "rename tab",
            "more urgent",
            "less urgent",
            "break out",
        ];
        assert_eq!(names[..found.len()], found, "{size:?}");
        assert!(rows[2].contains("not now: dbs-4 is not he"), "{rows:#?}");
    }
}

#[test]
fn a_list_that_is_searched_and_one_that_is_filtered() {
    kept("find", (80, 24), "3 / r e");
    for size in SIZES {
        let mut dashboard = pressed(size, "3 / r e");
        let found = dashboard.boxed("Board");
        assert_eq!(found[0], "Board  21 tasks  onto feature/shop  /re 10 of 21");
        let last = dashboard.last_row();
        assert!(
            last.starts_with(" FIND   /re                                      10 of 21  "),
            "{last}"
        );
        dashboard.press("Enter");
        assert_eq!(dashboard.boxed("Board"), found, "the matches stay");
        assert!(
            dashboard
                .last_row()
                .starts_with(" NAV   Enter open  i type here "),
            "{}",
            dashboard.last_row()
        );
    }
}

#[test]
fn a_terminal_that_is_held_still() {
    kept("copy", (80, 24), "3 g Enter / t e s t Enter V k");
    for size in SIZES {
        let dashboard = pressed(size, "3 g Enter / t e s t Enter V k");
        let hints = " COPY   y copy  v select  V select lines  C-v select block";
        assert!(
            dashboard.last_row().starts_with(hints),
            "{}",
            dashboard.last_row()
        );
        // The line with the word, found upwards from the end, and the line above it.
        let found = "● The form posts the password twice. I will mend that and ad";
        let rows = selected(&dashboard);
        assert!(
            rows.len() == 2 && rows[0].is_empty() && rows[1].starts_with(found),
            "{rows:#?}"
        );
    }
}

/// The rows with selected cells, reduced to those cells.
fn selected(dashboard: &Dashboard) -> Vec<String> {
    let (buffer, _) = dashboard.frame();
    let style = dashboard.theme.style(dbs::ui::StyleRole::Selected);
    assert!(!style.add_modifier.is_empty());
    let rows = (3..buffer.area.bottom() - 1).filter_map(|y| {
        let cells = (0..buffer.area.right()).map(|x| &buffer[(x, y)]);
        let mut cells = cells
            .filter(|cell| cell.modifier.contains(style.add_modifier))
            .peekable();
        cells.peek().is_some().then(|| {
            cells
                .map(ratatui::buffer::Cell::symbol)
                .collect::<String>()
                .trim_end()
                .to_owned()
        })
    });
    rows.collect()
}

#[test]
fn a_form_has_a_marked_field_and_offers_what_fits() {
    kept("form", (60, 15), "n f i x Tab");
    let fields = |marked: &str, values: [&str; 3], last: &str| {
        let row = |name: &str, value: &str| {
            let mark = if name == marked { '>' } else { ' ' };
            format!("{mark} {name:<9} {value}").trim_end().to_owned()
        };
        let mut rows = vec![String::from("New task")];
        let [title, tags, needs] = values;
        rows.extend([
            row("title", title),
            row("body", "C-e open in your editor"),
            row("tags", tags),
            row("needs", needs),
        ]);
        rows.extend([
            row("kind", "task"),
            row("workflow", "kanban"),
            row("priority", "2"),
            row("then", "stays in the backlog"),
        ]);
        rows.push(last.to_owned());
        rows
    };
    for size in SIZES {
        let boxed = |keys| pressed(size, keys).boxed("New task");
        let keys = " C-s create  Tab next field  Left Right change a value";
        assert_eq!(
            boxed("n f i x Tab"),
            fields("body", ["fix", "", ""], keys),
            "{size:?}"
        );
        assert_eq!(
            boxed("n Tab Tab s"),
            fields("tags", ["", "s", ""], " Right take  security"),
            "{size:?}"
        );
        let others = if size.0 == 60 {
            "…"
        } else {
            "dbs-9 Audit log of…"
        };
        let needs = format!(" Right take  dbs-4 Login form posts the password once  {others}");
        assert_eq!(
            boxed("n Up Up Up Up Up l o g"),
            fields("needs", ["", "", "log"], &needs),
            "{size:?}"
        );
    }
}

#[test]
fn letters_stand_where_they_lead_to() {
    kept("jump", (120, 40), "f");
    for size in SIZES {
        let dashboard = pressed(size, "f");
        let tabs = " dbs shopa[1 Main]s2 Agentsd3 Boardf4 Logg5 Inboxh6 Stats";
        assert!(dashboard.row(0).starts_with(tabs), "{}", dashboard.row(0));
        assert!(
            dashboard.row(1).starts_with("j⚑ NEEDS YOU 5 "),
            "{}",
            dashboard.row(1)
        );
        assert!(
            dashboard.row(2).starts_with("k─ Board  21 tasks "),
            "{}",
            dashboard.row(2)
        );
        for row in [
            "│l▸ dbs-4 ",
            "│q▸ dbs-5 ",
            "│w⚑ dbs-7 ",
            "│e⚑ dbs-12 ",
            "│r↻ dbs-13 ",
            "│t⋯ dbs-14 ",
            "│y◌ dbs-15 ",
            "│u⚑ dbs-17 ",
        ] {
            assert_eq!(dashboard.rows_with(row).len(), 1, "{row}\n{}", dashboard.text());
        }
        assert_eq!(dashboard.last_row(), " ASK   letters go there  Esc cancel");
    }
}

#[test]
fn marked_tasks_are_counted_and_a_mark_is_taken_back() {
    for size in SIZES {
        let dashboard = pressed(size, "v v");
        let marked = dashboard.rows_with("│*");
        let starts = [
            "│*▸ dbs-4  !Login form posts the p",
            "│*▸ dbs-5  Rate limit per customer ",
        ];
        assert!(
            marked.len() == 2
                && marked
                    .iter()
                    .zip(starts)
                    .all(|(row, start)| row.starts_with(start)),
            "{marked:#?}"
        );
        let row = usize::from(size.1) - 2;
        assert_eq!(dashboard.row(row), " u undo: marked dbs-5  10s");
        assert!(
            dashboard
                .last_row()
                .starts_with(" NAV  2 marked  Enter open  a allow  N deny "),
            "{}",
            dashboard.last_row()
        );
    }
}

#[test]
fn what_ends_work_is_asked_first_and_says_what_is_lost() {
    says_at_every_size(
        "s",
        "Skip",
        "Skip dbs-4? developer-ravel works on dbs-4 and is stopped. y skip n no",
    );
    let close = "Close dbs-4 without it being done, because dbs-4 Login form posts the password once (active) \
        Their work is taken away; before that it is kept below refs/dbs/attic/dbs-4/, and `git branch NAME REF` brings it back. \
        Write discard, and the reason behind it.";
    kept("discard", (60, 15), "X");
    says_at_every_size("X", "Close", close);
    let stop = "Stop developer-ravel? It works on dbs-4 Login form posts the password once in development, try 1, for 11m. \
        The task goes back to its stage; no budget is used up. y stop it n no";
    kept("confirm", (80, 24), "x");
    says_at_every_size("x", "Stop", stop);
    for (keys, hints) in [
        ("s", " ASK   y yes  n no"),
        ("X", " ASK   Enter send  Esc cancel"),
        ("x", " ASK   y yes  n no"),
    ] {
        assert_eq!(pressed((80, 24), keys).last_row(), hints);
    }
}

#[test]
fn the_keys_after_the_prefix() {
    let waited = |size| {
        let mut dashboard = Dashboard::full(size);
        dashboard.press("C-b");
        dashboard.now = dashboard.now + Span(400);
        dashboard
    };
    check("prefix", &waited((80, 24)));
    for size in SIZES {
        let dashboard = waited(size);
        assert!(
            dashboard
                .last_row()
                .starts_with(" NAV   C-b next key? Esc cancel "),
            "{}",
            dashboard.last_row()
        );
        let words = dashboard.words("C-b and then");
        for key in [
            "b board",
            "a needs you",
            "d leave",
            ": palette",
            "? help",
            "[ copy mode",
            "/ find in all",
            "c new shell",
            "w all panes",
        ] {
            assert!(words.contains(&format!(" {key}")), "{key} {size:?}: {words}");
        }
        assert_eq!(
            words.ends_with("+23 more, ? for all"),
            size == (60, 15),
            "{words}"
        );
    }
}

#[test]
fn a_question_in_one_line_and_choices_in_a_list() {
    let ask = ": @ d b s - 8 Enter b n o Space t e s t";
    kept("ask", (60, 15), ask);
    says_at_every_size(ask, "Send", "Send dbs-8 back, because no test");
    kept("choose", (80, 24), "C-b %");
    kept("panes", (80, 24), "C-b w");
    let views = [
        "Show beside it",
        " Shell",
        " Board",
        " Agents",
        " Conductor",
        " Selected task",
        " Log",
        " Watcher",
        " Task",
        " Inbox",
    ];
    let more = [
        " Stats",
        " Sessions",
        " History",
        " Dependencies",
        " Plan",
        " Gates",
        " Diff",
    ];
    let agents = [
        " dbs-4  developer-ravel",
        " dbs-5  developer-poulenc",
        " dbs-7  developer-milhaud",
        " dbs-8  reviewer-lili",
        " dbs-9  reviewer-dukas",
        " dbs-10  security-reviewer-boulez",
        " dbs-12  developer-tailleferre",
    ];
    let all = [&views[..], &more, &agents].concat();
    for (size, many) in SIZES
        .into_iter()
        .zip([views.len(), all.len() - 5, all.len(), all.len()])
    {
        assert_eq!(pressed(size, "C-b %").boxed("Show"), all[..many], "{size:?}");
        let panes = pressed(size, "C-b w").boxed("All panes");
        assert_eq!(
            panes[..4],
            ["All panes", " 1 Main  Board", " 1 Main  dbs-4", " 1 Main  Log"],
            "{size:?}"
        );
        // There is no list of agents where each agent has a pane.
        assert_eq!(panes[4] == " 2 Agents  Agents", size.0 < 200, "{panes:#?}");
    }
}

#[test]
fn a_paused_rehearsal_that_has_something_to_say() {
    for (size, is_named) in SIZES.into_iter().zip([false, false, true, true]) {
        let mut dashboard = Dashboard::full(size);
        dashboard.session.kind = SessionKind::Rehearsal;
        dashboard.model.pause = Some(PauseReason::Operator {
            by: "ann".to_owned(),
            at: dashboard.now - Span::minutes(3),
        });
        dashboard
            .state
            .show_toast(dashboard.now, NoticeLevel::Success, "released dbs-20");
        dashboard.state.show_toast(
            dashboard.now,
            NoticeLevel::Error,
            "could not push: the remote does not answer",
        );
        let top = dashboard.row(0);
        let tabs = if is_named {
            "[1 Main] 2 Agents"
        } else {
            "[1] 2 3 4 5 6 "
        };
        let demo = if is_named {
            "DEMO · scripted agents  ▸8"
        } else {
            "DEMO  ▸8"
        };
        assert!(
            top.contains(tabs) && top.contains(&format!("   PAUSED by ann 3m   {demo}")),
            "{top}"
        );
        let above = usize::from(size.1) - 3;
        assert_eq!(
            (dashboard.row(above), dashboard.row(above + 1)),
            (
                String::from(" ✓ released dbs-20"),
                String::from(" ✗ could not push: the remote does not answer")
            )
        );
        if size == (60, 15) {
            check("rehearsal", &dashboard);
        }
    }
}

/// Every style of a frame in the order of first use, and a map of its cells.
fn styles(dashboard: &Dashboard) -> String {
    let (buffer, _) = dashboard.frame();
    let mut seen: Vec<Style> = Vec::new();
    let mut map = String::new();
    for y in buffer.area.y..buffer.area.bottom() {
        for x in buffer.area.x..buffer.area.right() {
            let style = buffer[(x, y)].style();
            let at = seen.iter().position(|known| *known == style).unwrap_or_else(|| {
                seen.push(style);
                seen.len() - 1
            });
            map.push(char::from_digit(u32::try_from(at).expect("few"), 36).expect("few"));
        }
        map.push('\n');
    }
    let mut key = |(at, style): (usize, &Style)| {
        let digit = char::from_digit(u32::try_from(at).expect("few"), 36).expect("few");
        format!(
            "{digit} fg {:?} bg {:?} {:?}\n",
            style.fg, style.bg, style.add_modifier
        )
    };
    let legend: String = seen.iter().enumerate().map(&mut key).collect();
    format!("{}\n{map}\n{legend}", dashboard.text())
}

/// The styles with colours are beside the first view of the golden matrix.
#[test]
fn without_colours_what_stands_out_is_bold_dim_or_reversed() {
    let mut dashboard = Dashboard::full((80, 24));
    dashboard.theme = Theme::builtin(ColourDepth::Mono, Glyphs::Unicode);
    check_text("styles_mono", &styles(&dashboard));
}

#[test]
fn without_colours_not_even_an_agent_has_any() {
    let mut dashboard = Dashboard::full((200, 60));
    dashboard.theme = Theme::builtin(ColourDepth::Mono, Glyphs::Unicode);
    for keys in ["2", "3 g i"] {
        dashboard.press(keys);
        let (buffer, _) = dashboard.frame();
        assert!(
            buffer
                .content
                .iter()
                .all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset)
        );
    }
}

#[test]
fn words_in_what_all_agents_have_shown() {
    let dashboard = |size| {
        let mut dashboard = Dashboard::full(size);
        dashboard.press("3 F t e s t");
        let paper = dbs::ui::CacheKey::Search("test".to_owned());
        let found = std::sync::Arc::new(crate::output_search::found());
        dashboard
            .cache
            .put(paper, dbs::ui::CacheEntry::Search(found), crate::fixture::NOW);
        dashboard
    };
    check("past", &dashboard((80, 24)));
    for size in SIZES {
        let rows = dashboard(size).boxed("History of all agents");
        assert!(
            rows[0].starts_with("History of all agents  /test  3 lines"),
            "{}",
            rows[0]
        );
        assert!(rows[0].ends_with(" searched 3 of 5"), "{}", rows[0]);
        let rows: Vec<String> = rows[1..]
            .iter()
            .map(|row| row.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        let found = [
            "dbs-7 developer-milhaud 1 line",
            "16:11:10 I will test both migrations",
            "dbs-4 developer-ravel 2 lines, 12 older skipped",
            "16:13:00 test result: ok. 6 passed; 0 failed",
            "16:12:49 running 6 tests 37 times",
        ];
        assert_eq!(rows, found, "{size:?}");
    }
}
