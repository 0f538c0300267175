//! One attached client: what it presses becomes requests, what it sees becomes pictures, at its pace. Draws nothing that is
//! not on its screen, and is not even woken by it.

mod calling;
mod dressing;
mod keeping;
mod parting;
mod requests;
mod sending;
mod services;
mod sizing;
mod tasting;
mod work;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crossterm::event::{Event as InputEvent, MouseEventKind};
use futures::FutureExt as _;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::adapters::clock;
use crate::adapters::crash::payload;
use crate::adapters::ipc::{Receiver, Sender};
use crate::config::Config;
use crate::config::taste::Taste;
use crate::config::themes::own_themes;
use crate::domain::Timestamp;
use crate::protocol::wire::{Attach, FromClient};
use crate::server::colours::Known;
use crate::server::hub::{Changes, Watch};
use crate::server::pace::Pace;
use crate::server::peer::{TalkError, bye, next};
use crate::server::picture::{Picture, Stale};
use crate::ui::{self, Input, LogLine, Looks, Paper, Request, Saved, Scene, Shelf, State, Theme};
use calling::Calling;
use parting::Next;
use requests::carry_out;
use sending::Echo;
pub(super) use services::Services;
use tasting::first_state;
use work::Done;

/// Numbers clients.
static CLIENTS: AtomicU64 = AtomicU64::new(1);

/// One attached client.
struct Client {
    services: Arc<Services>,
    state: State,
    number: u64,
    taste: Taste,
    theme: Theme,
    looks: Looks,
    colours: Known,
    /// The settings in force.
    settings: watch::Receiver<Arc<Config>>,
    began: Timestamp,
    picture: Picture,
    pace: Pace,
    echo: Echo,
    watching: Vec<Watch>,
    terminals: u64,
    log: Vec<LogLine>,
    shelf: Shelf,
    /// Searches that the last whole picture showed; others go no further.
    sought: Vec<Paper>,
    read_to: u64,
    /// The arrangement as it was kept last, and when that was looked at.
    kept: Option<Saved>,
    kept_at: Option<Instant>,
    /// Work under way whose end changes what is seen.
    work: JoinSet<Done>,
    calling: Calling,
    /// Whether its mouse is ours, as it was told.
    mouse: Option<bool>,
}

/// Draws for one client until it leaves or the server ends.
pub(super) async fn draw(
    services: &Arc<Services>,
    sender: &mut Sender,
    receiver: &mut Receiver,
    attach: Attach,
) -> Result<(), TalkError> {
    let mut client = match Client::new(services, &attach) {
        Ok(client) => client,
        Err(why) => return bye(sender, receiver, why).await,
    };
    let living = AssertUnwindSafe(client.live(services, sender, receiver)).catch_unwind();
    let ended = living
        .await
        .unwrap_or_else(|panic| Ok(parting::broke(&services.settings.place.logs, &payload(&*panic))));
    client.leave().await;
    match ended? {
        Next::On | Next::Gone => Ok(()),
        Next::Bye(why) => bye(sender, receiver, why).await,
    }
}

/// What woke the drawing up.
enum Happened {
    /// The server ends.
    Stop,
    /// The client said something, or is gone.
    Said(Option<FromClient>),
    /// The board or the log changed; or who tells of that is gone.
    Changed(bool),
    /// Terminals changed; or who tells of that is gone.
    Wrote(Option<Changes>),
    /// The terminal that was typed into wrote something.
    Echoed,
    /// The time has come for a picture.
    Due,
    /// Other settings are in force.
    Settings,
    /// Work beside the drawing has ended.
    Done(Result<Done, tokio::task::JoinError>),
}

impl Client {
    fn new(services: &Arc<Services>, attach: &Attach) -> Result<Client, String> {
        let (own, problems) = own_themes(&services.settings.place);
        let taste = Taste::of(&services.settings.config()).with(own);
        let mut state = first_state(&taste, attach, services)?;
        for problem in problems {
            state.tell(clock::now(), crate::domain::Level::Warning, problem);
        }
        let (changes, now) = (services.settings.changes(), clock::now());
        if let Some(why) = services.settings.problem() {
            state.tell(now, crate::domain::Level::Error, why);
        }
        let size = state.size;
        state.offer_themes(taste.themes());
        let mut client = Client {
            looks: attach.looks,
            colours: Known::by(attach.looks.ground),
            settings: changes,
            began: now,
            services: Arc::clone(services),
            state,
            number: CLIENTS.fetch_add(1, Ordering::Relaxed),
            theme: taste.plain_theme(attach.looks),
            picture: Picture::new(size),
            pace: Pace::default(),
            echo: Echo::default(),
            watching: Vec::new(),
            terminals: 0,
            log: Vec::new(),
            shelf: Shelf::default(),
            sought: Vec::new(),
            read_to: 0,
            kept: None,
            kept_at: None,
            work: JoinSet::new(),
            calling: Calling::new(&taste, attach.looks),
            mouse: None,
            taste,
        };
        client.services.clients.presence.looks(client.number, true);
        client.tell_colours();
        client.dress();
        Ok(client)
    }

    /// Draws until the person leaves or the server ends.
    async fn live(
        &mut self,
        services: &Arc<Services>,
        sender: &mut Sender,
        receiver: &mut Receiver,
    ) -> Result<Next, TalkError> {
        let mut read_models = services.engine.read_models.clone();
        let mut screens = services.hub.changes();
        let mut lines = services.journal.changes();
        let begun = ui::begin(&self.state);
        self.carry_out_all(begun, sender).await?;
        loop {
            self.call_person(sender).await?;
            self.send_picture(sender).await?;
            let (due, stale) = (self.due(), self.picture.stale());
            let happened = tokio::select! {
                () = services.stop.cancelled() => Happened::Stop,
                said = next(receiver) => Happened::Said(said?),
                alive = either(&mut read_models, &mut lines), if stale < Stale::Everything => Happened::Changed(alive),
                // Between two pictures it does not matter how often terminals write.
                changed = screens.changed(), if stale < Stale::Terminals =>
                    Happened::Wrote(changed.is_ok().then(|| *screens.borrow_and_update())),
                () = self.echo.comes() => Happened::Echoed,
                Some(done) = self.work.join_next() => Happened::Done(done),
                Ok(()) = self.settings.changed() => Happened::Settings,
                () = tokio::time::sleep_until(due) => Happened::Due,
            };
            match self.take(happened, sender).await? {
                Next::On => self.keep_arrangement(),
                end @ (Next::Gone | Next::Bye(_)) => return Ok(end),
            }
        }
    }

    async fn take(&mut self, happened: Happened, sender: &mut Sender) -> Result<Next, TalkError> {
        Ok(match happened {
            Happened::Stop => parting::stopped(&self.services.engine, self.services.hub.whole()),
            Happened::Said(None) => Next::Gone,
            Happened::Said(Some(FromClient::Input(event))) => self.input(event, sender).await?,
            Happened::Said(Some(FromClient::Edited(text))) => {
                self.picture.anew(self.state.size);
                let requests = self.update(Input::Edited(text));
                self.carry_out_all(requests, sender).await?
            }
            Happened::Said(Some(FromClient::Failed(why))) => {
                self.state.tell(clock::now(), crate::domain::Level::Warning, why);
                self.picture.mark(Stale::Everything);
                Next::On
            }
            Happened::Said(Some(FromClient::Colour(colour))) => {
                self.has_colour(colour);
                Next::On
            }
            Happened::Said(Some(FromClient::Ack(number))) => {
                self.pace.shown(number);
                Next::On
            }
            Happened::Said(Some(FromClient::Hello(_) | FromClient::Attach(_) | FromClient::Call(_))) => {
                Next::On
            }
            Happened::Changed(alive) => self.changed(alive.then_some(Stale::Everything)),
            Happened::Wrote(changes) => {
                let stale = changes.map(|changes| self.wrote(changes));
                self.changed(stale)
            }
            Happened::Echoed => Next::On,
            Happened::Due => {
                self.time_passed();
                Next::On
            }
            Happened::Done(done) => self.done(done),
            Happened::Settings => {
                self.take_settings();
                Next::On
            }
        })
    }

    fn changed(&mut self, stale: Option<Stale>) -> Next {
        match stale {
            Some(stale) => {
                self.picture.mark(stale);
                Next::On
            }
            None => Next::Bye("the session has ended".to_owned()),
        }
    }

    fn wrote(&mut self, changes: Changes) -> Stale {
        if std::mem::replace(&mut self.terminals, changes.terminals) == changes.terminals {
            Stale::Terminals
        } else {
            Stale::Everything
        }
    }

    async fn input(&mut self, event: InputEvent, sender: &mut Sender) -> Result<Next, TalkError> {
        if is_of_a_person(&event) {
            self.services.clients.used(self.number);
        }
        let input = match event {
            InputEvent::Key(key) => Input::Key(key),
            InputEvent::Mouse(mouse) => Input::Mouse(mouse),
            InputEvent::Paste(text) => Input::Paste(text),
            InputEvent::Resize(cols, rows) => {
                self.picture.anew((cols.max(1), rows.max(1)));
                Input::Resize(cols.max(1), rows.max(1))
            }
            InputEvent::FocusGained => Input::Focus(true),
            InputEvent::FocusLost => Input::Focus(false),
        };
        if let Input::Focus(here) = input {
            self.calling.looked_at(here);
            self.services.clients.presence.looks(self.number, here);
        }
        self.pace.pressed(Instant::now());
        let before = self.state.keys_at();
        let requests = self.update(input);
        // A key for a program changes nothing here; what the program answers will.
        let only_typed = !requests.is_empty()
            && requests
                .iter()
                .all(|request| matches!(request, Request::TypeInto(..)));
        if !only_typed || self.state.keys_at() != before {
            self.picture.mark(Stale::Everything);
        }
        self.carry_out_all(requests, sender).await
    }

    /// What an input means, as things are.
    fn update(&mut self, input: Input) -> Vec<Request> {
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
        ui::update(&mut self.state, &scene, input)
    }

    async fn carry_out_all(
        &mut self,
        requests: Vec<Request>,
        sender: &mut Sender,
    ) -> Result<Next, TalkError> {
        for request in requests {
            if request == Request::Redraw {
                self.picture.anew(self.state.size);
            }
            match carry_out(self, request, sender).await? {
                Next::On => {}
                end @ (Next::Bye(_) | Next::Gone) => return Ok(end),
            }
        }
        Ok(Next::On)
    }

    fn done(&mut self, done: Result<Done, tokio::task::JoinError>) -> Next {
        // A measure of the machine is no reason for a picture: it is seen in the next one, within a second.
        if !matches!(done, Ok(Done::Fetched(Paper::Machine, _))) {
            self.picture.mark(Stale::Everything);
        }
        let now: Timestamp = clock::now();
        match done {
            Ok(Done::Said(level, text)) => self.state.tell(now, level, text),
            Ok(Done::Shell(pane, number)) => self.state.shell_opened(pane, number),
            Ok(Done::Fetched(paper, sheet)) => self.shelf.put(paper, sheet, now),
            Ok(Done::Searched(paper, search, came)) => self.searched(paper, search, &came),
            Ok(Done::Older(screen, lines)) => self.state.older(now, screen, lines),
            Ok(Done::Refused(command, why)) => {
                self.state.refused(&command);
                self.state.tell(now, crate::domain::Level::Warning, why);
            }
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

/// Whether somebody sits in front of a terminal that says so.
fn is_of_a_person(event: &InputEvent) -> bool {
    match event {
        InputEvent::Key(_) | InputEvent::Paste(_) | InputEvent::FocusGained => true,
        InputEvent::Mouse(mouse) => mouse.kind != MouseEventKind::Moved,
        InputEvent::FocusLost | InputEvent::Resize(..) => false,
    }
}

/// Waits for a change of one of two; answers whether who tells of it is still there.
async fn either<A, B>(one: &mut watch::Receiver<A>, other: &mut watch::Receiver<B>) -> bool {
    tokio::select! {
        changed = one.changed() => changed.is_ok(),
        changed = other.changed() => changed.is_ok(),
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.services.clients.left(self.number);
    }
}
