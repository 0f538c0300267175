//! One attached client: what it presses becomes requests, what it sees becomes pictures. Paced: the first change is drawn at
//! once, then at most every 16 ms (2 ms right after a key), and never more than two pictures ahead of what the client has
//! shown, so that a slow line costs nothing but freshness.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crossterm::event::Event as InputEvent;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::canvas::Canvas;
use super::fetching;
use super::listening::{Server, TalkError, bye, next};
use super::requests::{Done, carry_out};
use super::screens::holder_of;
use crate::adapters::clock;
use crate::adapters::ipc::{Receiver, Sender};
use crate::app::taste::Taste;
use crate::app::wire::{self, Attach, FromClient};
use crate::domain::Timestamp;
use crate::ports::holders::PaneSize;
use crate::ui::{self, Input, Layouted, LogLine, Request, Scene, ScreenId, Shelf, State, Theme};

/// Pictures that may be on their way.
const AHEAD: u64 = 2;
/// Pause between pictures, ordinarily and for a while after a key.
const PACE: Duration = Duration::from_millis(16);
const PACE_AFTER_KEY: Duration = Duration::from_millis(2);
const AFTER_KEY: Duration = Duration::from_millis(30);
/// Lines of the watcher log a client keeps.
const LOG_LINES: usize = 2_000;
/// An agent's terminal is never narrower: its own interface would fall apart.
const NARROWEST_AGENT: u16 = 60;

/// Numbers clients; the one that last pressed something decides the sizes of the terminals it sees.
static CLIENTS: AtomicU64 = AtomicU64::new(1);

/// One attached client.
pub(super) struct Client {
    pub(super) server: Arc<Server>,
    pub(super) state: State,
    number: u64,
    theme: Theme,
    canvas: Canvas,
    layout: Layouted,
    log: Vec<LogLine>,
    shelf: Shelf,
    read_to: u64,
    sent: u64,
    shown: u64,
    key_at: Option<Instant>,
    drawn_at: Option<Instant>,
    stale: bool,
    /// Work under way whose end changes what is seen.
    pub(super) work: JoinSet<Done>,
}

/// Whether the conversation goes on.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It does.
    On,
    /// It ends, with these words.
    Bye(String),
    /// The client is gone.
    Gone,
}

/// Draws for one client until it leaves or the server ends.
pub(super) async fn draw(
    server: &Arc<Server>,
    sender: &mut Sender,
    receiver: &mut Receiver,
    attach: Attach,
) -> Result<(), TalkError> {
    let mut client = match Client::new(server, &attach) {
        Ok(client) => client,
        Err(why) => return bye(sender, receiver, why).await,
    };
    let mut pictures = server.session.pictures.clone();
    let mut screens = server.session.hub.changes();
    let mut lines = server.session.journal.changes();
    let begun = ui::begin(&client.state);
    client.carry_out_all(begun, sender).await?;
    loop {
        client.picture(sender).await?;
        let due = client.due();
        let happened = tokio::select! {
            () = server.stop.cancelled() => Happened::Stop,
            said = next(receiver) => Happened::Said(said?),
            changed = pictures.changed() => Happened::Changed(changed.is_ok()),
            changed = screens.changed() => Happened::Changed(changed.is_ok()),
            changed = lines.changed() => Happened::Changed(changed.is_ok()),
            Some(done) = client.work.join_next() => Happened::Done(done),
            () = tokio::time::sleep_until(due) => Happened::Changed(true),
        };
        match client.take(happened, sender).await? {
            Next::On => {}
            Next::Gone => return Ok(()),
            Next::Bye(why) => return bye(sender, receiver, why).await,
        }
    }
}

/// What woke the drawing up.
enum Happened {
    /// The server ends.
    Stop,
    /// The client said something, or is gone.
    Said(Option<FromClient>),
    /// The board, a terminal or the log changed; or who tells of that is gone.
    Changed(bool),
    /// Work beside the drawing has ended.
    Done(Result<Done, tokio::task::JoinError>),
}

impl Client {
    fn new(server: &Arc<Server>, attach: &Attach) -> Result<Client, String> {
        let size = (attach.cols.max(1), attach.rows.max(1));
        let taste = Taste::of(&server.session.place.config());
        let keymap = taste.keymap().map_err(|error| format!("could not {error}"))?;
        let state = State::new(size, keymap).map_err(|error| format!("could not {error}"))?;
        Ok(Client {
            server: Arc::clone(server),
            state,
            number: CLIENTS.fetch_add(1, Ordering::Relaxed),
            theme: taste.theme(attach.looks),
            canvas: Canvas::new(size),
            layout: Layouted::default(),
            log: Vec::new(),
            shelf: Shelf::default(),
            read_to: 0,
            sent: 0,
            shown: 0,
            key_at: None,
            drawn_at: None,
            stale: true,
            work: JoinSet::new(),
        })
    }

    async fn take(&mut self, happened: Happened, sender: &mut Sender) -> Result<Next, TalkError> {
        Ok(match happened {
            Happened::Stop => Next::Bye("the server ends; agents go on unless you stopped them".to_owned()),
            Happened::Said(None) => Next::Gone,
            Happened::Said(Some(FromClient::Input(event))) => self.input(event, sender).await?,
            Happened::Said(Some(FromClient::Ack(number))) => {
                self.shown = self.shown.max(number);
                Next::On
            }
            Happened::Said(Some(FromClient::Hello(_) | FromClient::Attach(_) | FromClient::Call(_))) => {
                Next::On
            }
            Happened::Changed(alive) => self.changed(alive),
            Happened::Done(done) => self.done(done),
        })
    }

    fn changed(&mut self, alive: bool) -> Next {
        self.stale = true;
        if alive {
            Next::On
        } else {
            Next::Bye("the session has ended".to_owned())
        }
    }

    /// When to wake up if nothing happens: the next picture that is due, or the next change by time alone.
    fn due(&self) -> Instant {
        let now = Instant::now();
        if self.stale && self.sent - self.shown < AHEAD {
            return self.drawn_at.map_or(now, |at| at + self.pace(now));
        }
        let at = clock::now();
        now + Duration::from_millis(ui::next_change(&self.state, at).since(at).0)
    }

    fn pace(&self, now: Instant) -> Duration {
        let soon = self.key_at.is_some_and(|at| now.duration_since(at) < AFTER_KEY);
        if soon { PACE_AFTER_KEY } else { PACE }
    }

    /// Sends a picture if one is due.
    async fn picture(&mut self, sender: &mut Sender) -> Result<(), TalkError> {
        if self.stale {
            let noticed = self.update(Input::Tick);
            self.carry_out_all(noticed, sender).await?;
        }
        let now = Instant::now();
        let early = self.drawn_at.is_some_and(|at| now < at + self.pace(now));
        if !self.stale || early || self.sent - self.shown >= AHEAD {
            return Ok(());
        }
        let bytes = self.compose();
        self.stale = false;
        self.drawn_at = Some(now);
        self.fit_terminals();
        self.fetch_wanted();
        if !bytes.is_empty() {
            self.sent += 1;
            sender.send(wire::picture(self.sent, &bytes)).await?;
        }
        Ok(())
    }

    /// Draws the frame as it is now; answers the bytes that bring the client's terminal there.
    fn compose(&mut self) -> Vec<u8> {
        self.read_log();
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
        let (state, layout) = (&self.state, &mut self.layout);
        self.canvas.draw(|buffer| {
            *layout = ui::view(state, &scene, buffer);
            layout.cursor
        })
    }

    /// Begins to fetch what the frame just drawn lacks.
    fn fetch_wanted(&mut self) {
        let now = clock::now();
        for want in std::mem::take(&mut self.layout.wants) {
            if !self.shelf.begin(&want, now) {
                continue;
            }
            let server = Arc::clone(&self.server);
            self.work.spawn_blocking(move || {
                let sheet = fetching::fetch(&server.session, &want.paper);
                Done::Fetched(want.paper, sheet)
            });
        }
    }

    /// Gives the terminals that this client shows their sizes, if it is the one that last pressed something.
    fn fit_terminals(&self) {
        let leader = self.server.leader.load(Ordering::Relaxed);
        if leader != self.number && leader != 0 {
            return;
        }
        for pane in &self.layout.panes {
            let Some(id) = pane.screen else { continue };
            let least = if matches!(id, ScreenId::Attempt(_)) {
                NARROWEST_AGENT
            } else {
                2
            };
            let size = PaneSize::cells(pane.area.width.max(least), pane.area.height.max(2));
            self.server.session.hub.resize(&holder_of(id), size);
        }
    }

    /// The size of the terminal a pane would have.
    pub(super) fn size_of(&self, pane: ui::PaneId) -> PaneSize {
        let area = self
            .layout
            .panes
            .iter()
            .find(|area| area.pane == pane)
            .map(|area| area.area);
        area.map_or(PaneSize::cells(80, 24), |area| {
            PaneSize::cells(area.width.max(2), area.height.max(2))
        })
    }

    fn read_log(&mut self) {
        for line in self.server.session.journal.after(self.read_to) {
            self.read_to = line.seq;
            self.log.push(LogLine {
                at: line.at,
                notice: line.notice.clone(),
            });
        }
        let surplus = self.log.len().saturating_sub(LOG_LINES);
        self.log.drain(..surplus);
    }

    async fn input(&mut self, event: InputEvent, sender: &mut Sender) -> Result<Next, TalkError> {
        let input = match event {
            InputEvent::Key(key) => Input::Key(key),
            InputEvent::Mouse(mouse) => Input::Mouse(mouse),
            InputEvent::Paste(text) => Input::Paste(text),
            InputEvent::Resize(cols, rows) => {
                self.canvas = Canvas::new((cols.max(1), rows.max(1)));
                Input::Resize(cols.max(1), rows.max(1))
            }
            InputEvent::FocusGained => Input::Focus(true),
            InputEvent::FocusLost => Input::Focus(false),
        };
        self.server.leader.store(self.number, Ordering::Relaxed);
        self.key_at = Some(Instant::now());
        self.stale = true;
        let requests = self.update(input);
        self.carry_out_all(requests, sender).await
    }

    /// What an input means, as things are.
    fn update(&mut self, input: Input) -> Vec<Request> {
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
        ui::update(&mut self.state, &scene, input)
    }

    async fn carry_out_all(
        &mut self,
        requests: Vec<Request>,
        sender: &mut Sender,
    ) -> Result<Next, TalkError> {
        for request in requests {
            if request == Request::Redraw {
                self.canvas = Canvas::new(self.state.size);
                self.stale = true;
            }
            match carry_out(self, request, sender).await? {
                Next::On => {}
                end @ (Next::Bye(_) | Next::Gone) => return Ok(end),
            }
        }
        Ok(Next::On)
    }

    fn done(&mut self, done: Result<Done, tokio::task::JoinError>) -> Next {
        self.stale = true;
        let now: Timestamp = clock::now();
        match done {
            Ok(Done::Said(level, text)) => self.state.tell(now, level, text),
            Ok(Done::Shell(pane, number)) => self.state.shell_opened(pane, number),
            Ok(Done::Fetched(paper, sheet)) => self.shelf.put(paper, sheet, now),
            Ok(Done::Nothing) => {}
            Err(error) => self.state.tell(
                now,
                crate::domain::Level::Error,
                format!("something broke: {error}"),
            ),
        }
        Next::On
    }
}
