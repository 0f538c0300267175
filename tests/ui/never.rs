//! Impossible states: a panic, a mode without a way out, a border that moves, a pane outside the frame.

use dbs::domain::{AttemptId, Span};
use dbs::keymap::Chord;
use dbs::term::keys::{Button, Key, KeyInput, Modifiers, MouseInput, MouseKind};
use dbs::ui::{ProgramInput, ScreenId, UiInput, UiRequest};
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use unicode_width::UnicodeWidthStr;

use crate::fixture::Dashboard;

/// Anything that may happen to a client.
#[derive(Debug, Clone)]
enum Happening {
    /// A key, a paste, a click or a resize.
    Input(UiInput),
    /// A pause of that many milliseconds.
    Wait(u64),
    /// The program in the terminal of that agent ends.
    Ends(u64),
}

fn any_happening() -> impl Strategy<Value = Happening> {
    let letters = ('!'..='~').map(|letter| letter.to_string());
    let named = "Enter Esc Tab S-Tab Space Backspace Delete Up Down Left Right Home End PageUp PageDown \
                 C-c C-l C-d C-u C-w C-v C-p C-r C-f C-e C-y C-Left C-Right C-Up C-Down A-x F5";
    let plain: Vec<Chord> = letters
        .chain(named.split(' ').map(str::to_owned))
        .filter(|name| !name.is_empty())
        .map(|name| name.parse().expect("key"))
        .collect();
    let prefix: Chord = "C-b".parse().expect("key");
    let kinds = vec![
        MouseKind::Press(Button::Left),
        MouseKind::Press(Button::Right),
        MouseKind::Release(Button::Left),
        MouseKind::Motion(Some(Button::Left)),
        MouseKind::Motion(None),
        MouseKind::WheelUp,
        MouseKind::WheelDown,
    ];
    let held = vec![
        Modifiers::empty(),
        Modifiers::empty(),
        Modifiers::empty(),
        Modifiers::CONTROL,
        Modifiers::SHIFT,
    ];
    let kind_and_held = (prop::sample::select(kinds), prop::sample::select(held));
    let mouse = (kind_and_held, 0u16..210, 0u16..70).prop_map(|((kind, modifiers), column, row)| {
        UiInput::Mouse(MouseInput {
            kind,
            col: column,
            row,
            modifiers,
        })
    });
    let input = prop_oneof![
        16 => prop::sample::select(plain).prop_map(|chord| UiInput::Key(chord.event())),
        3 => Just(UiInput::Key(prefix.event())),
        4 => mouse,
        2 => (1u16..=200, 1u16..=60).prop_map(|(width, height)| UiInput::Resize(width, height)),
        1 => "\\PC{0,12}".prop_map(UiInput::Paste),
        1 => any::<bool>().prop_map(UiInput::Focus),
        1 => prop::option::of("\\PC{0,12}").prop_map(UiInput::Edited),
        1 => Just(UiInput::Tick),
    ];
    prop_oneof![
        40 => input.prop_map(Happening::Input),
        2 => (1u64..2000).prop_map(Happening::Wait),
        1 => (12u64..=13).prop_map(Happening::Ends),
    ]
}

fn happen(dashboard: &mut Dashboard, happening: Happening) {
    match happening {
        Happening::Input(input) => live(dashboard, input),
        Happening::Wait(millis) => {
            dashboard.now = dashboard.now + Span(millis);
            live(dashboard, UiInput::Tick);
        }
        Happening::Ends(attempt) => {
            let id = ScreenId::Attempt(AttemptId(attempt));
            dashboard.screens.all.get_mut(&id).expect("screen").alive = false;
            live(dashboard, UiInput::Tick);
        }
    }
}

/// Keys that lead to the board from anywhere: they close overlays, unfreeze a terminal, end typing and go to the board.
const HOME: &str = "Esc Esc Esc Esc C-b Esc C-b b";

/// Keys that start typing to an agent at work, from the board.
const TYPE: &str = ": t y p e Space h e r e Space d b s - 4 Enter";

/// Processes one input, answers requests for shells as a server would, and checks the frame.
fn live(dashboard: &mut Dashboard, input: UiInput) {
    for request in dashboard.input(input) {
        if let UiRequest::OpenShell(pane) = request {
            dashboard.state.shell_opened(pane, 1);
        }
    }
    let (buffer, layouted) = dashboard.frame();
    for pane in &layouted.panes {
        assert_eq!(
            pane.area.intersection(buffer.area),
            pane.area,
            "a pane leaves the frame"
        );
        for other in layouted.panes.iter().filter(|other| other.pane != pane.pane) {
            assert!(pane.area.intersection(other.area).is_empty(), "two panes overlap");
        }
    }
    let focused = layouted.panes.iter().filter(|pane| pane.focus).count();
    assert!(
        layouted.panes.is_empty() || focused == 1,
        "{focused} panes have the focus"
    );
    for (row, width) in row_widths(&buffer).into_iter().enumerate() {
        assert_eq!(
            width,
            usize::from(buffer.area.width),
            "row {row} is wider than the frame"
        );
    }
    if let Some(cursor) = layouted.cursor {
        assert!(
            buffer.area.contains((cursor.x, cursor.y).into()),
            "the cursor leaves the frame"
        );
    }
}

/// Columns each row takes on a terminal, drawn from left to right.
fn row_widths(buffer: &Buffer) -> Vec<usize> {
    let area = buffer.area;
    (area.y..area.bottom())
        .map(|y| {
            let mut x = area.x;
            while x < area.right() {
                x += u16::try_from(buffer[(x, y)].symbol().width().max(1)).expect("narrow");
            }
            usize::from(x)
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 300, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_of_inputs_panics_traps_or_leaves_typing_out_of_reach(
        happenings in prop::collection::vec(any_happening(), 200),
        first in (1u16..=200, 1u16..=60),
        last in prop::sample::select(vec![(60, 15), (80, 24), (120, 40), (200, 60)]),
    ) {
        let mut dashboard = Dashboard::full(first);
        for happening in happenings {
            happen(&mut dashboard, happening);
        }
        live(&mut dashboard, UiInput::Resize(last.0, last.1));
        dashboard.press(HOME);
        prop_assert_eq!(dashboard.mode(), "NAV", "{}", dashboard.text());
        dashboard.press(TYPE);
        prop_assert_eq!(dashboard.mode(), "TYPE", "{}", dashboard.text());
        let key = ProgramInput::Key(KeyInput::new(Key::Char('x'), Modifiers::empty()));
        prop_assert_eq!(
            dashboard.press("x"),
            vec![UiRequest::SendInput(ScreenId::Attempt(AttemptId(11)), key)]
        );
        dashboard.press(HOME);
        prop_assert_eq!(dashboard.press("C-b d"), vec![UiRequest::Detach]);
    }

    #[test]
    fn text_from_outside_never_moves_a_border(
        title in any::<String>(),
        name in "\\PC{0,40}",
        body in any::<String>(),
        size in prop::sample::select(vec![(60, 15), (80, 24), (120, 40), (200, 60)]),
    ) {
        let mut dashboard = Dashboard::full(size);
        let plain = borders(&dashboard);
        dashboard.change("dbs-5", |task| {
            task.title.clone_from(&title);
            task.finding = Some(name.clone());
            task.body.clone_from(&body);
        });
        dashboard.log[3].notice.text.clone_from(&title);
        let (buffer, _) = dashboard.frame();
        for (row, width) in row_widths(&buffer).into_iter().enumerate() {
            prop_assert_eq!(width, usize::from(size.0), "row {}", row);
        }
        prop_assert_eq!(borders(&dashboard), plain);
    }
}

/// Places of the lines around panes.
fn borders(dashboard: &Dashboard) -> Vec<(u16, u16)> {
    let (buffer, layouted) = dashboard.frame();
    let inside = |x, y| {
        layouted
            .panes
            .iter()
            .any(|pane| pane.area.contains((x, y).into()))
    };
    let body = 2..buffer.area.bottom() - 1;
    let cells = body.flat_map(|y| (0..buffer.area.right()).map(move |x| (x, y)));
    cells
        .filter(|(x, y)| !inside(*x, *y) && "│┌┐└┘├┤┬┴┼".contains(buffer[(*x, *y)].symbol()))
        .collect()
}

#[test]
fn a_frame_of_one_cell_and_of_none_can_be_drawn() {
    for size in [(1, 1), (0, 0), (1, 60), (200, 1), (59, 60), (200, 14)] {
        let dashboard = Dashboard::full(size);
        assert!(dashboard.frame().1.panes.is_empty());
    }
}

#[test]
fn a_small_terminal_says_what_it_needs_and_how_things_stand() {
    let dashboard = Dashboard::full((59, 20));
    let text = dashboard.text();
    assert!(
        text.contains("need 60x15, have 59x20") && text.contains("7 running, 5 need you"),
        "{text}"
    );
}

#[test]
fn an_agent_is_never_given_fewer_than_sixty_columns() {
    for width in 100..=200 {
        let mut dashboard = Dashboard::full((width, 50));
        dashboard.press("2");
        for pane in dashboard
            .frame()
            .1
            .panes
            .iter()
            .filter(|pane| pane.screen.is_some())
        {
            assert!(pane.area.width >= 60, "{} columns of {width}", pane.area.width);
        }
    }
}

#[test]
fn what_an_agent_is_given_does_not_change_with_the_mode() {
    for size in [(80, 24), (120, 40), (200, 60)] {
        let mut dashboard = Dashboard::full(size);
        dashboard.press("3 g Enter");
        let looking = dashboard.frame().1.panes;
        dashboard.press("i");
        assert_eq!(dashboard.mode(), "TYPE");
        assert_eq!(dashboard.frame().1.panes, looking);
    }
    let mut dashboard = Dashboard::full((80, 24));
    dashboard.press("3 g Enter");
    let area = dashboard.frame().1.panes[0].area;
    assert_eq!((area.width, area.height), (80, 22));
}

#[test]
fn a_named_task_is_typed_to_whatever_has_the_focus() {
    // A terminal whose program has ended, a missing terminal, another agent's, and a shell.
    for keys in ["3 G k k", "C-b Left", "2 l", "C-b c C-b Esc"] {
        let mut dashboard = Dashboard::full((120, 40));
        dashboard.press(keys);
        for pane in dashboard.state.unopened_shells() {
            dashboard.state.shell_opened(pane, 1);
        }
        dashboard.press(TYPE);
        assert_eq!(dashboard.mode(), "TYPE", "{keys}\n{}", dashboard.text());
        assert!(
            dashboard.text().contains("developer-ravel"),
            "{keys}\n{}",
            dashboard.text()
        );
    }
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("2 l");
    for attempt in [12, 13] {
        let id = ScreenId::Attempt(AttemptId(attempt));
        dashboard.screens.all.get_mut(&id).expect("screen").alive = false;
    }
    dashboard.press(TYPE);
    assert_eq!(dashboard.mode(), "TYPE", "{}", dashboard.text());
}

#[test]
fn typing_where_no_program_runs_says_so() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("3 : t y p e Space h e r e Space d b s - 8 Enter");
    assert_eq!(dashboard.mode(), "NAV");
    assert!(
        dashboard.text().contains("no program runs here (yet)"),
        "{}",
        dashboard.text()
    );
}
