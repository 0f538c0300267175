//! Opening links: the one under the cursor or the mouse, or one of the visible ones. The whole target is shown first.

use super::{UiRequest, UpdateContext};
use crate::ui::link::{Hyperlink, is_allowed, links};
use crate::ui::scene::ScreenId;
use crate::ui::screen_layout::ScreenLayout;
use crate::ui::scrollback::TextPosition;
use crate::ui::state::{ClientLocation, ConfirmAction, MenuAction};
use crate::ui::views::first_row_shown;

impl UpdateContext<'_, '_> {
    /// Asks about the link under the cursor; without one there, lets the person choose among the visible ones.
    pub(super) fn open_link(&mut self, layout: &ScreenLayout) {
        let found = self.links_seen(layout);
        let cursor = self.focused_copy_mode(layout).map(|copying| copying.cursor);
        if let Some(link) = cursor.and_then(|at| found.iter().find(|link| link.is_at(at))) {
            let target = link.target.clone();
            return self.ask_link(target);
        }
        let mut targets: Vec<String> = Vec::new();
        // The latest output is likeliest.
        for link in found.into_iter().rev() {
            if !targets.contains(&link.target) {
                targets.push(link.target);
            }
        }
        match targets.as_slice() {
            [] => self.warn("open link: there is none on this screen"),
            [only] => self.ask_link(only.clone()),
            _ => {
                let items = targets
                    .into_iter()
                    .map(|target| (target.clone(), MenuAction::Link(target)));
                self.menu("Open which link?", items, 0);
            }
        }
    }

    /// Asks about the link under the mouse; returns true if there is one.
    pub(super) fn click_link(&mut self, column: u16, row: u16, layout: &ScreenLayout) -> bool {
        let Some(area) = layout.at(column, row).map(|placed| placed.inner) else {
            return false;
        };
        if !area.contains((column, row).into()) {
            return false;
        }
        let Some((found, top)) = self.links_in(layout, column, row) else {
            return false;
        };
        let at: TextPosition = (top + usize::from(row - area.y), usize::from(column - area.x));
        let Some(link) = found.into_iter().find(|link| link.is_at(at)) else {
            return false;
        };
        self.ask_link(link.target);
        true
    }

    /// Shows the whole target and asks for confirmation to open it; over a connection it is copied instead.
    pub(super) fn ask_link(&mut self, target: String) {
        let mut lines = vec![target.clone()];
        let host = target.split('/').nth(2).unwrap_or_default();
        if !host.is_ascii() || host.contains("xn--") {
            lines.push("The name of its host has letters that look like others.".to_owned());
        }
        if host.contains('@') {
            lines.push("What stands before the @ is not where it leads.".to_owned());
        }
        let (question, yes) = match self.state.location {
            ClientLocation::Local => ("Open this link?", "open it"),
            ClientLocation::Remote => ("Copy this link? You are connected from elsewhere.", "copy it"),
        };
        self.confirm(question, lines, yes, ConfirmAction::Link(target));
    }

    /// Opens a confirmed link.
    pub(super) fn follow_link(&mut self, target: String) {
        match self.state.location {
            _ if !is_allowed(&target) => self.warn("open link: only http and https are opened"),
            ClientLocation::Local => self.ask(UiRequest::OpenLink(target)),
            ClientLocation::Remote => self.copy_text(Some("link"), &target),
        }
    }

    fn links_seen(&self, layout: &ScreenLayout) -> Vec<Hyperlink> {
        let area = layout.focused().map(|placed| placed.inner);
        let found = area.and_then(|area| self.links_in(layout, area.x, area.y));
        found.map(|(found, _)| found).unwrap_or_default()
    }

    /// Returns the links visible in the terminal that is drawn there, and the line at its upper edge.
    fn links_in(&self, layout: &ScreenLayout, column: u16, row: u16) -> Option<(Vec<Hyperlink>, usize)> {
        let placed = layout.at(column, row)?;
        let height = placed.inner.height;
        let seen = |top: usize| top..top + usize::from(height);
        let held = self
            .state
            .copy_mode
            .as_ref()
            .filter(|copying| copying.pane == placed.pane);
        if let Some(copying) = held {
            return Some((links(&copying.scrollback, seen(copying.top)), copying.top));
        }
        let id: ScreenId = placed.content.screen()?;
        let scroll = self.state.pane(placed.pane).scroll;
        self.scene.screens.read(id, |screen| {
            let back = scroll.min(screen.history_len());
            let top = screen.history_len() - back + usize::from(first_row_shown(screen, height));
            (links(&screen.scrollback(), seen(top)), top)
        })
    }
}
