//! Drawing and sending of a client's frames: their times and their input. Must not wait for anything but the client.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::adapters::clock;
use crate::adapters::ipc::FrameSender;
use crate::protocol::wire;
use crate::server::clients::frame::StaleScope;
use crate::server::clients::frame_pacer::DrawExtent;
use crate::server::connections::attached_client::AttachedClient;
use crate::server::connections::attached_client::goodbye::ClientFlow;
use crate::server::connections::attached_client::pane_sizes::fit_terminals;
use crate::server::connections::attached_client::settings::is_settings_notice;
use crate::server::connections::peer::ConnectionError;
use crate::server::terminals::hub::{OutputWatch, TerminalHub};
use crate::server::terminals::screens::holder_of;
use crate::ui::{self, ScreenId, UiInput};

/// Pause before checking that a program took too long for a frame of its own.
const SYNC_TIMEOUT: Duration = Duration::from_millis(50);

/// The terminal that was typed into last, whose output is sent without delay.
#[derive(Default)]
pub(super) struct EchoWait {
    /// The terminal that was typed into, and the receiver of its changes.
    terminal: Option<(ScreenId, watch::Receiver<()>)>,
    /// Set when the terminal wrote something that is not drawn yet.
    has_output: bool,
}

impl EchoWait {
    /// Returns when the terminal has written something; never when that is known already, or no terminal is waited for.
    pub(super) async fn wait(&mut self) {
        if let Some((_, wrote)) = self.terminal.as_mut().filter(|_| !self.has_output)
            && wrote.changed().await.is_ok()
        {
            self.has_output = true;
            return;
        }
        std::future::pending::<()>().await;
    }

    /// Begins to wait for the answer of a terminal to the keys typed into it.
    pub(super) fn begin(&mut self, hub: &TerminalHub, id: ScreenId) {
        if self.terminal.as_ref().is_some_and(|(of, _)| *of == id) {
            return;
        }
        let pane = hub.terminal(&holder_of(id));
        *self = EchoWait {
            terminal: pane.map(|pane| (id, pane.wrote.subscribe())),
            has_output: false,
        };
    }

    fn mark_drawn(&mut self) {
        self.has_output = false;
    }
}

impl AttachedClient {
    /// Handles the passing of time: ages on the screen, or a program that took too long for a frame.
    pub(super) fn on_tick(&mut self) -> ClientFlow {
        if self.frame.stale() == StaleScope::Nothing {
            self.frame.mark_stale(if self.frame.is_in_sync_update() {
                StaleScope::Terminals
            } else {
                StaleScope::Everything
            });
        }
        ClientFlow::On
    }

    /// Returns the time to wake up if nothing happens: the next frame that is due, or the next change by time alone.
    pub(super) fn next_frame_at(&self) -> Instant {
        let now = Instant::now();
        let next = self
            .extents()
            .filter_map(|extent| self.pace.next_frame_at(now, extent))
            .min();
        next.unwrap_or_else(|| {
            let at = clock::now();
            let change = ui::next_redraw(&self.state, at);
            let change = self.notifier.due().map_or(change, |due| due.min(change));
            let change = now + Duration::from_millis(change.since(at).0);
            if self.frame.is_in_sync_update() {
                change.min(now + SYNC_TIMEOUT)
            } else {
                change
            }
        })
    }

    /// Sends a frame if one is due.
    pub(super) async fn send_frame(&mut self, sender: &mut FrameSender) -> Result<(), ConnectionError> {
        let now = Instant::now();
        if !self.pace.is_after_key(now) {
            self.echo = EchoWait::default();
        }
        let is_due = |extent: &DrawExtent| self.pace.next_frame_at(now, *extent).is_some_and(|at| at <= now);
        let Some(extent) = self.extents().find(is_due) else {
            return Ok(());
        };
        if extent == DrawExtent::Typed {
            return self.send_echo(now, sender).await;
        }
        self.echo.mark_drawn();
        if self.frame.stale() == StaleScope::Everything {
            let noticed = self.update(UiInput::Tick);
            self.carry_out_all(noticed, sender).await?;
            self.read_log();
        }
        let bytes = self.compose(None).unwrap_or_default();
        self.pace.on_drawn(now, extent);
        if self.frame.is_full_redraw() {
            fit_terminals(&self.services, self.number, self.frame.layout());
            self.update_watches();
            let missing = self.frame.take_cache_requests();
            self.fetches
                .begin(missing, clock::now(), &self.services, &mut self.work);
        }
        self.send_bytes(&bytes, sender).await
    }

    /// Sends a frame, unless it has nothing new.
    async fn send_bytes(&mut self, bytes: &[u8], sender: &mut FrameSender) -> Result<(), ConnectionError> {
        if !bytes.is_empty() {
            let frame = wire::encode_frame(self.pace.next_number(), bytes);
            sender.send(frame).await?;
        }
        Ok(())
    }

    /// Returns the extents to draw, the largest first.
    fn extents(&self) -> impl Iterator<Item = DrawExtent> + use<> {
        let all = match self.frame.stale() {
            StaleScope::Nothing => None,
            StaleScope::Terminals => Some(DrawExtent::Terminals),
            StaleScope::Everything => Some(DrawExtent::Everything),
        };
        let echo = self.echo.has_output.then_some(DrawExtent::Typed);
        all.into_iter().chain(echo)
    }

    /// Sends the output of the terminal that was typed into, and nothing else.
    async fn send_echo(&mut self, now: Instant, sender: &mut FrameSender) -> Result<(), ConnectionError> {
        let of = self.echo.terminal.as_ref().map(|(id, _)| *id);
        self.echo.mark_drawn();
        let Some(bytes) = of.and_then(|id| self.compose(Some(id))) else {
            // More than its rows changed; that is drawn in its turn.
            self.frame.mark_stale(StaleScope::Terminals);
            return Ok(());
        };
        self.pace.on_drawn(now, DrawExtent::Typed);
        self.send_bytes(&bytes, sender).await
    }

    /// Watches the terminals that are on the screen, and no others.
    fn update_watches(&mut self) {
        let hub = &self.services.hub;
        let panes: Vec<_> = self
            .frame
            .visible_terminals()
            .filter_map(|id| hub.terminal(&holder_of(id)))
            .collect();
        let known = |watch: &OutputWatch| panes.iter().any(|pane| watch.is_of(pane));
        self.watches.retain(known);
        for pane in panes {
            if !self.watches.iter().any(|watch| watch.is_of(&pane)) {
                self.watches.push(OutputWatch::begin(pane));
                // Output between its drawing and the start of the watch was not noticed.
                self.frame.mark_stale(StaleScope::Terminals);
            }
        }
    }

    /// Draws the present frame, or one terminal of it; returns the bytes that bring the client's terminal there, `None` if that one
    /// cannot be drawn alone.
    fn compose(&mut self, alone: Option<ScreenId>) -> Option<Vec<u8>> {
        self.with_scene(|state, frame, scene| match alone {
            Some(id) => frame.draw_terminal(state, scene, id),
            None => Some(frame.draw(state, scene)),
        })
    }

    /// Shows the lines of the watcher log, and the messages for this person alone.
    fn read_log(&mut self) {
        let news = self.log.read(&self.services.engine.journal);
        for line in news.iter().filter(|line| is_settings_notice(line)) {
            let (level, text) = (line.notice.level, line.notice.text.clone());
            self.state.show_toast(clock::now(), level, text);
        }
        self.log.add_messages(self.state.take_messages());
    }
}
