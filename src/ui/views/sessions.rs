//! The servers of this person's projects: those that run, those that were cut off, and the tasks that wait there; one key goes to another.

use super::{MoveOutcome, View, ViewContext, ViewMove};
use crate::display::text::cut_front;
use crate::domain::{Span, pluralized};
use crate::keymap::ViewName;
use crate::read_model::{SessionRow, SessionState};
use crate::ui::cache::{CacheEntry, CacheKey, CacheRequest};
use crate::ui::canvas::prelude::*;
use crate::ui::list_filter::sessions;
use crate::ui::status::DisplayStatus;
use crate::ui::target::marked_session;

/// The view of the servers of this person's projects.
pub(super) struct SessionsView;

/// Name of the view.
pub(crate) const PAGE: ViewName = ViewName::of("sessions");
/// Maximum age of the list.
const FRESH: Span = Span::seconds(3);
/// Inner width from which a row shows the place of the project.
const WIDE: u16 = 100;

impl View for SessionsView {
    fn description(&self) -> &'static str {
        "Your projects with a server: running, detached, or interrupted. Enter switches; agents here keep running."
    }

    fn title(&self, ctx: &ViewContext<'_>) -> Vec<StyledText> {
        let many = rows(ctx).map_or_else(String::new, |rows| format!(" {}", rows.len()));
        vec![piece(format!("Sessions{many}"), StyleRole::Title)]
    }

    fn cache_requests(&self, _ctx: &ViewContext<'_>) -> Vec<CacheRequest> {
        vec![CacheRequest::new(CacheKey::Sessions, FRESH)]
    }

    fn match_count(&self, ctx: &ViewContext<'_>) -> Option<(usize, usize)> {
        let shown = sessions(&ctx.filter(), ctx.scene).len();
        Some((shown, rows(ctx).map_or(0, <[SessionRow]>::len)))
    }

    fn copy_items(&self, ctx: &ViewContext<'_>) -> Vec<(&'static str, String)> {
        let marked = marked_session(ctx.pane, ctx.scene);
        marked
            .map(|(_, row)| ("folder", row.root.clone()))
            .into_iter()
            .collect()
    }

    fn draw(&self, ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
        let found = sessions(&ctx.filter(), ctx.scene);
        if rows(ctx).is_none_or(<[SessionRow]>::is_empty) {
            let hint = "A demo is not listed. `dbs` in a repository of your own starts one.";
            let none = "None of your projects has a server.";
            return ctx.draw_missing(&CacheKey::Sessions, area, "sessions", none, hint, canvas);
        }
        let marked = marked_session(ctx.pane, ctx.scene).map(|(number, _)| number);
        let at = found.iter().position(|(number, _)| Some(*number) == marked);
        let list = ctx.list(area, 2, &found, at);
        list.draw(canvas, |(number, row), place, canvas| {
            draw_session(ctx, row, place, canvas);
            Some(ctx.row(*number))
        });
        for (_, (_, row), place) in list.visible() {
            // As in the top bar of that session.
            canvas.apply_style(left_part(place, 1), ctx.scene.theme.accent(&row.name));
        }
    }

    fn navigate(&self, ctx: &ViewContext<'_>, area: Rect, movement: ViewMove) -> MoveOutcome {
        let found = sessions(&ctx.filter(), ctx.scene);
        let marked = marked_session(ctx.pane, ctx.scene).map(|(number, _)| number);
        let at = found.iter().position(|(number, _)| Some(*number) == marked);
        movement.in_list(area.height / 2, &found, at, |(number, _)| {
            MoveOutcome::to_row(*number)
        })
    }
}

fn rows<'a>(ctx: &ViewContext<'a>) -> Option<&'a [SessionRow]> {
    match ctx.scene.cache.get(&CacheKey::Sessions)? {
        CacheEntry::Sessions(rows) => Some(rows),
        _ => None,
    }
}

fn draw_session(ctx: &ViewContext<'_>, row: &SessionRow, area: Rect, canvas: &mut Canvas<'_>) {
    let (mark, word, role) = match row.state {
        SessionState::Here => (DisplayStatus::Running, "here", StyleRole::Strong),
        SessionState::Running => (DisplayStatus::Running, "running", StyleRole::Running),
        SessionState::Detached => (DisplayStatus::Quiet, "detached", StyleRole::Running),
        SessionState::Interrupted => (DisplayStatus::Unsure, "interrupted", StyleRole::Retry),
    };
    let glyphs = ctx.scene.theme.glyphs;
    let age = row
        .since
        .map_or_else(String::new, |since| ctx.scene.now.since(since).to_string());
    let mut pieces = vec![
        piece(format!(" {} ", mark.glyph(glyphs)), role),
        strong(format!("{:<16} ", row.name)),
        piece(format!("{word:<12}"), role),
    ];
    if area.width >= WIDE {
        let half = usize::from(area.width) / 2;
        let folder = cut_front(&row.root, half, canvas.theme.ellipsis());
        pieces.push(dim(folder));
    }
    canvas.both_ends(row_of(area, 0), &pieces, &[dim(format!(" {age} "))]);
    let mut counts = vec![plain("   ")];
    if row.needs > 0 {
        let needs = format!(
            "{} {} need you  ",
            DisplayStatus::NeedsYou.glyph(glyphs),
            row.needs
        );
        counts.push(piece(needs, StyleRole::Human));
    }
    if row.state != SessionState::Interrupted {
        counts.push(plain(pluralized(row.agents, "agent") + "  "));
    }
    let states = row.counts.iter().map(|(word, many)| format!("{many} {word}"));
    counts.push(dim(states.collect::<Vec<_>>().join(", ")));
    canvas.line(row_of(area, 1), &counts);
}
