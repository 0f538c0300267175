//! When a client's picture is drawn and sent, and what is drawn from. Must not wait for anything but the client.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::super::fetching;
use super::super::hub::{Hub, Watch};
use super::super::listening::TalkError;
use super::super::picture::Stale;
use super::super::requests::Done;
use super::super::screens::holder_of;
use super::super::seeking::{Came, Search};
use super::Client;
use crate::adapters::clock;
use crate::adapters::ipc::Sender;
use crate::app::wire;
use crate::ui::{self, Input, LogLine, Paper, Scene, Sheet};

/// Pause before it is looked whether a program took too long for a frame of its own.
const HELD: Duration = Duration::from_millis(50);
/// Lines of the watcher log a client keeps.
const LOG_LINES: usize = 2_000;

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
            .pace
            .next(now)
            .filter(|_| self.picture.stale() > Stale::Nothing);
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
        let is_due = self.pace.next(now).is_some_and(|at| at <= now);
        if self.picture.stale() == Stale::Nothing || !is_due {
            return Ok(());
        }
        if self.picture.stale() == Stale::Everything {
            let noticed = self.update(Input::Tick);
            self.carry_out_all(noticed, sender).await?;
            self.read_log();
        }
        let bytes = self.compose();
        self.pace.drawn(now);
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

    /// Listens to the terminals that are on the screen, and to no other.
    fn watch(&mut self) {
        let hub = &self.server.session.hub;
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

    /// Draws the frame as it is now; answers the bytes that bring the client's terminal there.
    fn compose(&mut self) -> Vec<u8> {
        let model = Arc::clone(&self.server.session.pictures.borrow());
        let (hub, facts) = (self.server.session.hub.clone(), self.server.session.facts());
        let scene = Scene {
            model: &model,
            screens: &hub,
            log: &self.log,
            shelf: &self.shelf,
            now: clock::now(),
            session: &facts,
            theme: &self.theme,
        };
        self.picture.draw(&self.state, &scene)
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
            let server = Arc::clone(&self.server);
            self.work.spawn_blocking(move || {
                if let Paper::Past(words) = &want.paper {
                    let search = Search::begin(&server.session, words);
                    return Done::Searched(want.paper, Box::new(search), Came::On);
                }
                let sheet = fetching::fetch(&server.session, &want.paper);
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
        for line in self.server.session.journal.after(self.read_to) {
            self.read_to = line.seq;
            let line = LogLine {
                seq: line.seq,
                at: line.at,
                notice: line.notice.clone(),
            };
            self.tell_of_settings(&line);
            self.log.push(line);
        }
        let surplus = self.log.len().saturating_sub(LOG_LINES);
        self.log.drain(..surplus);
    }
}
