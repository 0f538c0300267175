//! The two rows at the top: the place and the state of the work; the tasks that need you.

use super::banners::{Words, banners, that_fit};
use super::{FrameContext, machine};
use crate::display::text::{clean, cut, width};
use crate::domain::{Span, TaskState};
use crate::keymap::Action;
use crate::read_model::{AttentionItem, AttentionKind, Stall, StallAct, Trouble, TroubleKind, as_question};
use crate::ui::canvas::prelude::*;
use crate::ui::pane::PaneId;
use crate::ui::scene::ScreenId;
use crate::ui::screen_layout::{BorderMode, SEVERAL};
use crate::ui::state::{PaneArrangement, PaneContent, Tab};
use crate::ui::status::{DisplayStatus, attention_word};
use crate::ui::views::{ClickTarget, longest_running, view_of};

/// Style of the tab labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tabs {
    Names,
    Digits,
    /// Only the tab that is shown.
    Here,
}

/// Variants of the top bar, tried one after the other until one fits.
const TRIES: [(Tabs, Words); 4] = [
    (Tabs::Names, Words::All),
    (Tabs::Digits, Words::All),
    (Tabs::Digits, Words::Few),
    (Tabs::Here, Words::Few),
];
/// Columns left for the tabs, however many banners there are.
const LEAST_LEFT: usize = 16;

/// Draws the top row. Parts that do not fit are dropped: the machine's figures, run time, agents, counts one by one, then the names of tabs
/// become digits, then banners are shortened, then only the tab that is shown is left. Banners stay.
pub(super) fn top_bar(frame: &FrameContext<'_>, canvas: &mut Canvas<'_>) {
    let area = frame.layout.top_bar;
    canvas.apply_role(area, StyleRole::Bar);
    let fits = |left: &TopBarLeft, right: &[StyledText]| {
        let left: usize = left.iter().map(|(pieces, _)| pieces_width(pieces)).sum();
        left + pieces_width(right) < usize::from(area.width)
    };
    let both = |(tabs, words)| (left(frame, tabs), banners(frame, words));
    let mut tries = TRIES.into_iter().map(both);
    let found = tries.find(|(left, banners)| fits(left, banners));
    let (left, banners) = found.unwrap_or_else(|| {
        let room = usize::from(area.width).saturating_sub(LEAST_LEFT);
        (left(frame, Tabs::Here), that_fit(frame, room))
    });
    let counts = counts(frame);
    let shown = (0..=counts.len()).map(|gone| fewer(&counts, gone));
    let with = |counts: Vec<StyledText>| banners.iter().cloned().chain(counts).collect::<Vec<StyledText>>();
    let right = shown
        .map(with)
        .find(|right| fits(&left, right))
        .unwrap_or(banners);
    let wider = more(frame).map(|more| [right.clone(), more].concat());
    let right = { wider }.find(|wider| fits(&left, wider)).unwrap_or(right);
    let used = canvas.right(area, &right);
    let mut room = skip_right(area, used);
    for (pieces, hit) in left {
        let used = canvas.line(room, &pieces);
        if let Some(hit) = hit {
            canvas.hits.push((Rect { width: used, ..room }, hit));
        }
        room = skip_left(room, used);
    }
    // The space before the name of the program, in the project's colour.
    let first = Rect { width: 1, ..area };
    canvas.apply_style(first, frame.scene.theme.accent(&frame.scene.session.project));
}

/// Returns the variants of the right end if there is room, the longest first.
fn more(frame: &FrameContext<'_>) -> impl Iterator<Item = Vec<StyledText>> {
    let with_machine = (0..=machine::FIGURES)
        .map(|gone| [agents(frame), machine::figures(frame, gone), run_time(frame)].concat());
    with_machine.chain([agents(frame)])
}

/// The left part of the top bar with its click targets.
type TopBarLeft = Vec<(Vec<StyledText>, Option<ClickTarget>)>;

fn left(frame: &FrameContext<'_>, tabs: Tabs) -> TopBarLeft {
    // A long name leaves room for everything else.
    let room = match tabs {
        Tabs::Here => 6,
        Tabs::Names | Tabs::Digits if frame.layout.top_bar.width < SEVERAL => 14,
        Tabs::Names | Tabs::Digits => 24,
    };
    let project = frame.cut(&frame.scene.session.project, room);
    let mut parts = vec![(vec![strong(" dbs "), plain(project)], None)];
    if frame.layout.framing == BorderMode::Borderless {
        parts.push((vec![plain(" ")], None));
        parts.extend(bare(frame));
        return parts;
    }
    for (at, tab) in frame.state.tabs.iter().enumerate() {
        let number = at + 1;
        let here = at == frame.state.tab;
        let text = match tabs {
            Tabs::Here if !here => continue,
            Tabs::Names => format!("{number} {}", tab.title),
            Tabs::Digits | Tabs::Here => number.to_string(),
        };
        let name = if here {
            piece(format!("[{text}]"), StyleRole::TabHere)
        } else if is_called_from(frame, tab) {
            piece(
                format!("{text}{}", frame.glyph(DisplayStatus::NeedsYou)),
                StyleRole::Human,
            )
        } else {
            dim(text)
        };
        parts.push((vec![plain(" "), name], Some(ClickTarget::Tab(at))));
    }
    parts
}

/// Returns true if the program in a pane of that tab has called and the call was not seen yet.
fn is_called_from(frame: &FrameContext<'_>, tab: &Tab) -> bool {
    let scene = &frame.scene;
    let has_called = |id: ScreenId| scene.screens.reported(id).call.is_some();
    let mut panes = tab.arrangement.panes().into_iter();
    let follows = matches!(tab.arrangement, PaneArrangement::Agents { .. });
    panes.any(|pane| frame.state.pane(pane).content.screen().is_some_and(has_called))
        || (follows
            && scene
                .model
                .agents()
                .any(|row| has_called(ScreenId::Attempt(row.attempt.id))))
}

/// Returns the title of the one terminal without lines, with its number among all agents.
fn bare(frame: &FrameContext<'_>) -> Option<(Vec<StyledText>, Option<ClickTarget>)> {
    let placed = frame.layout.focused()?;
    let pane = frame.state.pane(placed.pane);
    let ctx = frame.ctx(placed.pane, &pane);
    let mut pieces = view_of(&placed.content).title(&ctx);
    let agents: Vec<&PaneId> = frame
        .layout
        .order
        .iter()
        .filter(|id| matches!(id, PaneId::Agent(_)))
        .collect();
    if let (PaneContent::Attempt(_), Some(at)) =
        (&placed.content, agents.iter().position(|id| **id == placed.pane))
    {
        pieces.insert(0, dim(format!(" {}/{} ", at + 1, agents.len())));
    }
    if let Some(note) = view_of(&placed.content).title_note(&ctx) {
        pieces.insert(0, plain(" "));
        pieces.insert(1, note);
        pieces.insert(2, plain(" "));
    }
    Some((pieces, Some(ClickTarget::Pane(placed.pane))))
}

fn agents(frame: &FrameContext<'_>) -> Vec<StyledText> {
    let model = frame.scene.model;
    vec![
        dim(" agents "),
        plain(format!("{}/{} ", model.agents().count(), model.max_agents)),
    ]
}

/// Returns the counts without the first `gone` to be dropped: first the count that the row below shows too, then finished tasks, then those
/// under way.
fn fewer(counts: &[(DisplayStatus, StyledText)], gone: usize) -> Vec<StyledText> {
    let order = [
        DisplayStatus::NeedsYou,
        DisplayStatus::Done,
        DisplayStatus::Running,
        DisplayStatus::Failed,
    ];
    let there = order
        .iter()
        .filter(|mark| counts.iter().any(|(known, _)| known == *mark));
    let gone: Vec<&DisplayStatus> = there.take(gone).collect();
    let left = counts.iter().filter(|(mark, _)| !gone.contains(&mark));
    left.map(|(_, piece)| piece.clone()).collect()
}

/// Returns the numbers of tasks that are under way, need a person, failed or are done: glyph and number, only those above zero.
pub(super) fn counts(frame: &FrameContext<'_>) -> Vec<(DisplayStatus, StyledText)> {
    let needs = frame.scene.model.attention.len();
    let (mut active, mut failed, mut done) = (0_usize, 0_usize, 0_usize);
    for task in frame.scene.model.tasks.values() {
        match &task.state {
            TaskState::Active | TaskState::Verifying => active += 1,
            TaskState::Failed(_) => failed += 1,
            TaskState::Done => done += 1,
            TaskState::Backlog
            | TaskState::Released
            | TaskState::Held(_)
            | TaskState::Parked(_)
            | TaskState::Skipped(_)
            | TaskState::Cancelled => {}
        }
    }
    let all = [
        (DisplayStatus::Running, active, StyleRole::Running),
        (DisplayStatus::NeedsYou, needs, StyleRole::Human),
        (DisplayStatus::Failed, failed, StyleRole::Failed),
        (DisplayStatus::Done, done, StyleRole::Done),
    ];
    let glyphs = frame.scene.theme.glyphs;
    all.into_iter()
        .filter(|(_, many, _)| *many > 0)
        .map(|(mark, many, role)| (mark, piece(format!("{}{many} ", mark.glyph(glyphs)), role)))
        .collect()
}

fn run_time(frame: &FrameContext<'_>) -> Vec<StyledText> {
    let Span(millis) = frame.scene.now.since(frame.scene.session.started);
    let seconds = millis / 1000;
    let text = format!(
        " {:02}:{:02}:{:02} ",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    );
    vec![dim(text)]
}

/// Minimum columns of a cut title.
const LEAST_TITLE: usize = 10;

/// Draws the notice that a run has stalled, the reason, and the action that ends it.
fn stalled(frame: &FrameContext<'_>, stall: &Stall, canvas: &mut Canvas<'_>) {
    let area = frame.layout.attention_bar;
    let key = |action| piece(frame.key_of(action), StyleRole::Key);
    let act = |action, word: &str| {
        let go = [key(Action::GoToAttention), plain(" go there, ")];
        go.into_iter()
            .chain([key(action), plain(format!(" {word} "))])
            .collect()
    };
    let way: Vec<StyledText> = match stall.act {
        StallAct::Release => act(Action::Release, "release"),
        StallAct::Approve => act(Action::Approve, "approve"),
        StallAct::Retry => act(Action::Retry, "retry"),
        StallAct::SetBase | StallAct::Look => vec![piece(format!("{} ", stall.command()), StyleRole::Key)],
    };
    let used = canvas.right(area, &way);
    let glyph = frame.glyph(DisplayStatus::NeedsYou);
    let pieces = [
        piece(format!(" {glyph} STALLED "), StyleRole::Needs),
        plain(format!(" {}", stall.text)),
    ];
    canvas.line(skip_right(area, used + 1), &pieces);
}

/// Draws the row below: the number of tasks that need a person, and the one that has waited longest.
pub(super) fn attention_bar(frame: &FrameContext<'_>, canvas: &mut Canvas<'_>) {
    let area = frame.layout.attention_bar;
    let model = frame.scene.model;
    let Some(oldest) = model.attention.first() else {
        if let Some(trouble) = model.troubles.first() {
            return degraded(frame, trouble, canvas);
        }
        if let Some(stall) = model.stall() {
            return stalled(frame, &stall, canvas);
        }
        let longest = longest_running(frame.scene);
        let longest = longest.as_deref().unwrap_or("No agent is running.");
        let pieces = [dim(" Nothing needs you. "), dim(longest)];
        canvas.line(area, &pieces);
        return;
    };
    let glyph = frame.glyph(DisplayStatus::NeedsYou);
    let title = model
        .tasks
        .get(&oldest.task)
        .map(|task| task.title.as_str())
        .unwrap_or_default();
    let age = frame.scene.now.since(oldest.since);
    let key = frame.key_of(Action::GoToAttention);
    let go = [
        dim(format!("  {age}  ")),
        piece(key, StyleRole::Key),
        plain(" go there "),
    ];
    let used = canvas.right(area, &go);
    let room = skip_right(area, used);
    let mut pieces = vec![
        piece(format!(" {glyph} "), StyleRole::Needs),
        piece(format!("NEEDS YOU {} ", model.attention.len()), StyleRole::Human),
        strong(format!(" {} ", oldest.task)),
    ];
    pieces.extend(wanted(frame, oldest));
    // The request matters more than the name of the task.
    let left = usize::from(room.width).saturating_sub(pieces_width(&pieces) + 2);
    let title = clean(title);
    if left >= width(&title).min(LEAST_TITLE) {
        let title = cut(&title, left, frame.scene.theme.ellipsis());
        pieces.insert(3, plain(format!("{title}  ")));
    }
    canvas.line(room, &pieces);
    canvas.hits.push((area, ClickTarget::AttentionBar));
}

/// Returns the request to the person.
fn wanted(frame: &FrameContext<'_>, item: &AttentionItem) -> Vec<StyledText> {
    let (word, role) = attention_word(item.kind);
    let key = |action| piece(frame.key_of(action), StyleRole::Key);
    match item.kind {
        AttentionKind::Approval => vec![
            piece(&item.text, role),
            plain(": "),
            key(Action::Approve),
            plain(" approve, "),
            key(Action::Reject),
            plain(" send back"),
        ],
        // A cause that says itself that it failed needs no word before it.
        AttentionKind::Gate | AttentionKind::Merge if item.text.starts_with("failed ") => {
            vec![piece(&item.text, role)]
        }
        AttentionKind::Permission => vec![piece(format!("{word} "), role), plain(as_question(&item.text))],
        _ => vec![piece(format!("{word} "), role), plain(&item.text)],
    }
}

/// Draws the trouble outside that keeps work from continuing: the cause, the waiting tasks, the next automatic retry, the key to act.
fn degraded(frame: &FrameContext<'_>, trouble: &Trouble, canvas: &mut Canvas<'_>) {
    let area = frame.layout.attention_bar;
    canvas.apply_role(area, StyleRole::Banner);
    let waits = match trouble.tasks.as_slice() {
        [] if trouble.kind == TroubleKind::Untrusted => String::new(),
        [] => "work goes on for now".to_owned(),
        [only] => format!("{only} waits"),
        several => format!("{} tasks wait", several.len()),
    };
    let again = trouble.retry_at.map(|again| again.since(frame.scene.now));
    let again = match again {
        None => String::new(),
        Some(Span(0)) => ", retry now".to_owned(),
        Some(left) => format!(", retry in {left}"),
    };
    let mut right = vec![piece(format!("  {waits}{again} "), StyleRole::Banner)];
    if trouble.kind == TroubleKind::Untrusted
        && let Some(key) = frame.state.keymap.hint(Action::ReviewTrust)
    {
        right.push(piece(format!(" {key} look "), StyleRole::Banner));
    }
    let key = frame.state.keymap.hint(Action::RetryNow);
    if let (Some(key), Some(_)) = (key, frame.scene.model.delayed().next()) {
        right.push(piece(format!(" {key} now "), StyleRole::Banner));
    }
    let glyph = frame.glyph(DisplayStatus::Unsure);
    let left = [piece(
        format!(" {glyph} {}: {}", trouble.kind.word(), trouble.text),
        StyleRole::Banner,
    )];
    canvas.both_ends(area, &left, &right);
}
