//! A client's frame: the parts that became stale since it was drawn, and the bytes that update it. Must not draw everything when only
//! terminals wrote something, and must give the same bytes' worth of screen as if it did.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::server::clients::frame_buffer::FrameBuffer;
use crate::ui::{CacheRequest, RenderedFrame, RenderedLayout, Scene, ScreenId, UiState};

/// Part of a client's frame that is out of date: nothing, terminals or everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::server) enum StaleScope {
    Nothing,
    /// The output of terminals, perhaps.
    Terminals,
    Everything,
}

/// A client's frame: its buffer, its layout and the part that is out of date.
pub(in crate::server) struct ClientFrame {
    buffer: FrameBuffer,
    frame: RenderedFrame,
    stale: StaleScope,
    is_full_redraw: bool,
}

impl ClientFrame {
    pub(in crate::server) fn new(size: (u16, u16)) -> ClientFrame {
        ClientFrame {
            buffer: FrameBuffer::new(size),
            frame: RenderedFrame::default(),
            stale: StaleScope::Everything,
            is_full_redraw: false,
        }
    }

    /// Starts over, on a terminal with unknown contents.
    pub(in crate::server) fn reset(&mut self, size: (u16, u16)) {
        self.buffer = FrameBuffer::new(size);
        self.stale = StaleScope::Everything;
    }

    pub(in crate::server) fn mark_stale(&mut self, stale: StaleScope) {
        self.stale = self.stale.max(stale);
    }

    /// Returns the part that is not up to date.
    pub(in crate::server) fn stale(&self) -> StaleScope {
        self.stale
    }

    /// Returns true if a program is in the middle of a frame of its own, which is waited for a little.
    pub(in crate::server) fn is_in_sync_update(&self) -> bool {
        self.frame.is_deferred()
    }

    /// Returns true if everything was drawn the last time, so that the positions may have changed.
    pub(in crate::server) fn is_full_redraw(&self) -> bool {
        self.is_full_redraw
    }

    pub(in crate::server) fn layout(&self) -> &RenderedLayout {
        &self.frame.layout
    }

    /// Takes the cache entries that the frame needs.
    pub(in crate::server) fn take_cache_requests(&mut self) -> Vec<CacheRequest> {
        std::mem::take(&mut self.frame.layout.cache_requests)
    }

    /// Returns the terminals whose output is on the frame.
    pub(in crate::server) fn visible_terminals(&self) -> impl Iterator<Item = ScreenId> + '_ {
        self.frame.drawn_screens()
    }

    /// Draws the output of one terminal and leaves the rest as it is; returns the bytes for that, `None` if more must be drawn.
    pub(in crate::server) fn draw_terminal(
        &mut self,
        state: &UiState,
        scene: &Scene<'_>,
        terminal: ScreenId,
    ) -> Option<Vec<u8>> {
        if self.stale == StaleScope::Everything || self.buffer.is_blank() {
            return None;
        }
        let (_, next) = self.buffer.buffers();
        let patch = || self.frame.draw_changes(state, scene, next, Some(terminal));
        let rows = catch_unwind(AssertUnwindSafe(patch)).ok().flatten()?;
        Some(self.buffer.flush_rows(&rows, self.frame.layout.cursor))
    }

    /// Draws the stale parts; returns the bytes that bring the client's terminal there, empty if it is there.
    pub(in crate::server) fn draw(&mut self, state: &UiState, scene: &Scene<'_>) -> Vec<u8> {
        let what = std::mem::replace(&mut self.stale, StaleScope::Nothing);
        let fresh = self.buffer.is_blank();
        let (shown, next) = self.buffer.buffers();
        // A failure here affects its pane alone when everything is drawn.
        let patch = || self.frame.draw_changes(state, scene, next, None);
        let patched = match what {
            StaleScope::Terminals if !fresh => catch_unwind(AssertUnwindSafe(patch)).ok().flatten(),
            _ => None,
        };
        self.is_full_redraw = patched.is_none();
        if let Some(rows) = patched {
            return self.buffer.flush_rows(&rows, self.frame.layout.cursor);
        }
        self.frame = RenderedFrame::draw_all(&self.frame, shown, state, scene, next);
        self.buffer.flush(self.frame.layout.cursor)
    }
}

#[cfg(test)]
mod tests;
