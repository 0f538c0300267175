//! When a client's picture is drawn and sent, and what is drawn from. Must not wait for anything but the client.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::adapters::clock;
use crate::adapters::ipc::Sender;
use crate::domain::Notice;
use crate::protocol::wire;
use crate::server::drawing::Client;
use crate::server::drawing::work::Done;
use crate::server::hub::{Hub, Watch};
use crate::server::pace::Extent;
use crate::server::peer::TalkError;
use crate::server::picture::Stale;
use crate::server::screens::holder_of;
use crate::server::seeking::{Came, Search};
use crate::ui::{self, Input, LogLine, Paper, Scene, ScreenId, Sheet};

/// Pause before it is looked whether a program took too long for a frame of its own.
const HELD: Duration = Duration::from_millis(50);
/// What a client was told between two lines of the watcher log has numbers between theirs.
const TOLD_BETWEEN: u64 = 1_000;
/// Lines of the watcher log a client keeps.
const LOG_LINES: usize = 2_000;

/// What is waited for after a key that was typed into a terminal.
#[derive(Default)]
pub(super) struct Echo {
    /// That terminal, and what changes with its output.
    of: Option<(ScreenId, watch::Receiver<()>)>,
    /// It wrote something that is not drawn yet.
    came: bool,
}

impl Echo {
    /// Comes back when it has written something; never when that is known already, or nothing is waited for.
    pub(super) async fn comes(&mut self) {
        if let Some((_, wrote)) = self.of.as_mut().filter(|_| !self.came)
            && wrote.changed().await.is_ok()
        {
            self.came = true;
            return;
        }
        std::future::pending::<()>().await;
    }

    fn is_drawn(&mut self) {
        self.came = false;
    }
}

impl Client {
    /// Nothing happened but that time passed: ages on the screen, or a program that took too long for a frame.
    pub(super) fn time_passed(&mut self) {
        if self.picture.stale() == Stale::Nothing {
            self.picture.mark(if self.picture.is_held() {
                Stale::Terminals
            } else {
                Stale::Everything
            });
        }
    }

    /// When to wake up if nothing happens: the next picture that is due, or the next change by time alone.
    pub(super) fn due(&self) -> Instant {
        let now = Instant::now();
        let next = self
            .extents()
            .filter_map(|extent| self.pace.next(now, extent))
            .min();
        next.unwrap_or_else(|| {
            let at = clock::now();
            let change = ui::next_change(&self.state, at);
            let change = self.calling.due().map_or(change, |due| due.min(change));
            let change = now + Duration::from_millis(change.since(at).0);
            if self.picture.is_held() {
                change.min(now + HELD)
            } else {
                change
            }
        })
    }

    /// Sends a picture if one is due.
    pub(super) async fn send_picture(&mut self, sender: &mut Sender) -> Result<(), TalkError> {
        let now = Instant::now();
        if !self.pace.is_after_key(now) {
            self.echo = Echo::default();
        }
        let is_due = |extent: &Extent| self.pace.next(now, *extent).is_some_and(|at| at <= now);
        let Some(extent) = self.extents().find(is_due) else {
            return Ok(());
        };
        if extent == Extent::Typed {
            return self.send_echo(now, sender).await;
        }
        self.echo.is_drawn();
        if self.picture.stale() == Stale::Everything {
            let noticed = self.update(Input::Tick);
            self.carry_out_all(noticed, sender).await?;
            self.read_log();
        }
        let bytes = self.compose(None).unwrap_or_default();
        self.pace.drawn(now, extent);
        if self.picture.is_whole() {
            self.fit_terminals();
            self.watch();
            self.fetch_wanted();
        }
        if !bytes.is_empty() {
            sender.send(wire::picture(self.pace.number(), &bytes)).await?;
        }
        Ok(())
    }

    /// What is to be drawn, most first.
    fn extents(&self) -> impl Iterator<Item = Extent> + use<> {
        let all = match self.picture.stale() {
            Stale::Nothing => None,
            Stale::Terminals => Some(Extent::Terminals),
            Stale::Everything => Some(Extent::Everything),
        };
        let echo = self.echo.came.then_some(Extent::Typed);
        all.into_iter().chain(echo)
    }

    /// Waits for what a terminal answers to what was typed into it.
    pub(super) fn await_echo(&mut self, id: ScreenId) {
        let hub = &self.services.hub;
        if self.echo.of.as_ref().is_some_and(|(of, _)| *of == id) {
            return;
        }
        let pane = hub.pane(&holder_of(id));
        self.echo = Echo {
            of: pane.map(|pane| (id, pane.wrote.subscribe())),
            came: false,
        };
    }

    /// Sends what the terminal that was typed into wrote, and nothing else.
    async fn send_echo(&mut self, now: Instant, sender: &mut Sender) -> Result<(), TalkError> {
        let of = self.echo.of.as_ref().map(|(id, _)| *id);
        self.echo.is_drawn();
        let Some(bytes) = of.and_then(|id| self.compose(Some(id))) else {
            // More than its rows changed, which is drawn in its turn.
            self.picture.mark(Stale::Terminals);
            return Ok(());
        };
        self.pace.drawn(now, Extent::Typed);
        if !bytes.is_empty() {
            sender.send(wire::picture(self.pace.number(), &bytes)).await?;
        }
        Ok(())
    }

    /// Listens to the terminals that are on the screen, and to no other.
    fn watch(&mut self) {
        let hub = &self.services.hub;
        let panes: Vec<_> = self
            .picture
            .watched()
            .filter_map(|id| hub.pane(&holder_of(id)))
            .collect();
        let known = |watch: &Watch| panes.iter().any(|pane| watch.is_of(pane));
        self.watching.retain(known);
        for pane in panes {
            if !self.watching.iter().any(|watch| watch.is_of(&pane)) {
                self.watching.push(Hub::watch(pane));
                // What it wrote between being drawn and being watched was not heard.
                self.picture.mark(Stale::Terminals);
            }
        }
    }

    /// Draws the frame as it is now, or one terminal of it; answers the bytes that bring the client's terminal there, nothing
    /// when that one cannot be drawn alone.
    fn compose(&mut self, alone: Option<ScreenId>) -> Option<Vec<u8>> {
        let model = self.services.engine.read_model();
        let (hub, facts) = (self.services.hub.clone(), self.services.identity.facts());
        let scene = Scene {
            model: &model,
            screens: &hub,
            log: &self.log,
            shelf: &self.shelf,
            now: clock::now(),
            session: &facts,
            theme: &self.theme,
        };
        match alone {
            Some(id) => self.picture.draw_alone(&self.state, &scene, id),
            None => Some(self.picture.draw(&self.state, &scene)),
        }
    }

    /// Begins to fetch what the frame just drawn lacks.
    fn fetch_wanted(&mut self) {
        let now = clock::now();
        let wants = self.picture.take_wants();
        let papers = wants.iter().map(|want| &want.paper);
        let sought = papers.filter(|paper| matches!(paper, Paper::Past(_)));
        self.sought = sought.cloned().collect();
        for want in wants {
            if !self.shelf.begin(&want, now) {
                continue;
            }
            let (fetcher, shells) = (
                Arc::clone(&self.services.fetcher),
                Arc::clone(&self.services.shells),
            );
            self.work.spawn_blocking(move || {
                if let Paper::Past(words) = &want.paper {
                    let search = Search::begin(&fetcher.records, &shells.running(), words);
                    return Done::Searched(want.paper, Box::new(search), Came::On);
                }
                let sheet = fetcher.fetch(&want.paper);
                Done::Fetched(want.paper, sheet)
            });
        }
    }

    /// Shows what a search found so far, and lets it go on while somebody looks at it.
    pub(super) fn searched(&mut self, paper: Paper, mut search: Box<Search>, came: &Came) {
        if *came == Came::ToItsEnd {
            let sheet = Sheet::Past(search.found().into());
            return self.shelf.put(paper, sheet, clock::now());
        }
        if !self.sought.contains(&paper) {
            return self.shelf.forget(&paper);
        }
        let sheet = Sheet::Past(search.found().into());
        self.shelf.put_part(&paper, sheet, clock::now());
        self.work.spawn_blocking(move || {
            let came = search.step();
            Done::Searched(paper, search, came)
        });
    }

    fn read_log(&mut self) {
        for line in self.services.journal.after(self.read_to) {
            self.read_to = line.seq;
            let line = LogLine {
                seq: line.seq * TOLD_BETWEEN,
                at: line.at,
                notice: line.notice.clone(),
            };
            self.tell_of_settings(&line);
            self.log.push(line);
        }
        self.log_told();
        let surplus = self.log.len().saturating_sub(LOG_LINES);
        self.log.drain(..surplus);
    }

    /// What this person was told in passing stands in their log, too (A11).
    fn log_told(&mut self) {
        for told in self.state.take_told() {
            let last = self.log.last();
            let is_there = last.is_some_and(|line| line.notice.text == told.text);
            if is_there {
                continue;
            }
            self.log.push(LogLine {
                seq: last.map_or(1, |line| line.seq + 1),
                at: told.at,
                notice: Notice {
                    level: told.level,
                    kind: "told".to_owned(),
                    task: None,
                    attempt: None,
                    text: told.text,
                },
            });
        }
    }
}
