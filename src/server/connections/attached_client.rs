//! An attached client: its input becomes requests, its screen becomes frames, at its pace. Draws nothing that is not on its screen, and is
//! not even woken by it.

mod changes;
mod display;
mod fetches;
mod frames;
mod goodbye;
mod notifications;
mod pane_sizes;
mod requests;
mod settings;
mod shown_log;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::FutureExt as _;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::adapters::clock;
use crate::adapters::crash::payload;
use crate::adapters::ipc::{FrameReceiver, FrameSender};
use crate::config::Config;
use crate::domain::{Command, NoticeLevel};
use crate::protocol::wire::{AttachRequest, FromClient, InputEvent};
use crate::server::clients::arrangements::{self, ArrangementSaver};
use crate::server::clients::frame::{ClientFrame, StaleScope};
use crate::server::clients::frame_pacer::FramePacer;
use crate::server::connections::peer::{ConnectionError, bye, next};
use crate::server::services::Services;
use crate::server::terminals::hub::{OutputWatch, TerminalChanges};
use crate::server::terminals::search::{HistorySearch, SearchProgress};
use crate::server::terminals::shells::PromisedShells;
use crate::ui::{
    self, CacheEntry, CacheKey, PaneId, PlanQuestion, Scene, ScreenId, ScrollbackLine, Themes, UiInput,
    UiRequest, UiState, UiStateError,
};
use changes::either_changed;
use display::ClientDisplay;
use fetches::ClientFetches;
use frames::EchoWait;
use goodbye::ClientFlow;
use notifications::ClientNotifier;
use requests::{RequestContext, RequestOutcome};
use settings::{appearance_of, first_state};
use shown_log::ShownLog;

static CLIENTS: AtomicU64 = AtomicU64::new(1);

/// Server-side state of one attached client: its UI state, display, frame and pending work.
struct AttachedClient {
    services: Arc<Services>,
    state: UiState,
    number: u64,
    display: ClientDisplay,
    settings: watch::Receiver<Arc<Config>>,
    frame: ClientFrame,
    pace: FramePacer,
    echo: EchoWait,
    watches: Vec<OutputWatch>,
    terminal_changes: u64,
    log: ShownLog,
    fetches: ClientFetches,
    saver: ArrangementSaver,
    /// Work under way whose end changes the screen.
    work: JoinSet<WorkResult>,
    promised: PromisedShells,
    notifier: ClientNotifier,
    /// Mouse capture that the client was last asked for; true if it was asked to capture.
    mouse_captured: Option<bool>,
    /// True if its terminal sends Alt as Escape before the key.
    alt_is_escape: bool,
}

/// Draws for one client until it leaves or the server ends.
pub(in crate::server) async fn serve_client(
    services: &Arc<Services>,
    sender: &mut FrameSender,
    receiver: &mut FrameReceiver,
    attach: AttachRequest,
) -> Result<(), ConnectionError> {
    let mut client = match AttachedClient::new(services, &attach) {
        Ok(client) => client,
        Err(error) => return bye(sender, receiver, format!("could not {error}")).await,
    };
    let living = AssertUnwindSafe(client.run(services, sender, receiver)).catch_unwind();
    let ended = living.await.unwrap_or_else(|panic| {
        Ok(goodbye::client_panicked(
            &services.settings.paths.logs,
            &payload(&*panic),
        ))
    });
    client.save_on_detach().await;
    ended?.tell(sender, receiver).await
}

/// Result of work that was done in the background for a client.
enum WorkResult {
    Toast(NoticeLevel, String),
    /// The command that the board refused, and the reason.
    Refused(Box<Command>, String),
    Shell(PaneId, u64),
    /// The pane for which no shell could be opened, and the reason.
    NoShell(PaneId, String),
    Fetched(CacheKey, CacheEntry),
    Searched(CacheKey, Box<HistorySearch>, SearchProgress),
    Older(ScreenId, Vec<ScrollbackLine>),
    /// The question about a plan that was read.
    Plan(Box<PlanQuestion>),
    Nothing,
}

impl AttachedClient {
    fn new(services: &Arc<Services>, attach: &AttachRequest) -> Result<AttachedClient, UiStateError> {
        let mut settings = services.settings.changes();
        let (appearance, problems) = appearance_of(&services.settings.paths, &mut settings);
        let mut state = first_state(&appearance, attach, services)?;
        state.set_themes(Themes::new(appearance.own_themes.clone()).names());
        let size = state.size;
        let mut client = AttachedClient {
            settings,
            services: Arc::clone(services),
            state,
            number: CLIENTS.fetch_add(1, Ordering::Relaxed),
            frame: ClientFrame::new(size),
            pace: FramePacer::default(),
            echo: EchoWait::default(),
            watches: Vec::new(),
            terminal_changes: 0,
            log: ShownLog::new(&services.engine.journal),
            fetches: ClientFetches::default(),
            saver: ArrangementSaver::default(),
            work: JoinSet::new(),
            promised: PromisedShells::default(),
            notifier: ClientNotifier::new(&appearance, attach.caps, services.hub.calls_after(0).0),
            mouse_captured: None,
            alt_is_escape: attach.alt_is_escape,
            display: ClientDisplay::new(appearance, attach.caps),
        };
        for problem in problems {
            client.toast(NoticeLevel::Warning, problem);
        }
        if let Some(why) = services.settings.problem() {
            client.toast(NoticeLevel::Error, why);
        }
        client.say_what_was_lost();
        services.clients.presence.set_focused(client.number, true);
        client.publish_colours();
        client.apply_theme();
        Ok(client)
    }

    /// Draws until the person leaves or the server ends.
    async fn run(
        &mut self,
        services: &Arc<Services>,
        sender: &mut FrameSender,
        receiver: &mut FrameReceiver,
    ) -> Result<ClientFlow, ConnectionError> {
        let mut read_models = services.engine.read_models.clone();
        let mut screens = services.hub.changes();
        let mut lines = services.engine.journal.changes();
        let begun = ui::initial_requests(&self.state);
        self.carry_out_all(begun, sender).await?;
        loop {
            self.send_notifications(sender).await?;
            self.send_frame(sender).await?;
            let (due, stale) = (self.next_frame_at(), self.frame.stale());
            let flow = tokio::select! {
                () = services.stop.cancelled() => goodbye::server_stopped(&services.engine, services.hub.poison()),
                message = next(receiver) => self.on_message(message?, sender).await?,
                alive = either_changed(&mut read_models, &mut lines), if stale < StaleScope::Everything =>
                    self.on_change(alive.then_some(StaleScope::Everything)),
                // Between two frames it does not matter how often terminals write.
                changed = screens.changed(), if stale < StaleScope::Terminals =>
                    self.on_terminal_change(changed.is_ok().then(|| *screens.borrow_and_update())),
                () = self.echo.wait() => ClientFlow::On,
                Some(done) = self.work.join_next() => self.on_work_done(done),
                Ok(()) = self.settings.changed() => self.apply_settings(),
                () = tokio::time::sleep_until(due) => self.on_tick(),
            };
            match flow {
                ClientFlow::On => self.save_arrangement(),
                end @ (ClientFlow::Gone | ClientFlow::Bye(_) | ClientFlow::Left(_)) => return Ok(end),
            }
        }
    }

    async fn on_message(
        &mut self,
        message: Option<FromClient>,
        sender: &mut FrameSender,
    ) -> Result<ClientFlow, ConnectionError> {
        let Some(message) = message else {
            return Ok(ClientFlow::Gone);
        };
        // A person who saw in a frame that settings changed already types by them, whichever of the two arrived here first.
        if self.settings.has_changed().unwrap_or(false) {
            self.apply_settings();
        }
        match message {
            FromClient::Input(event) => return self.on_input(event, sender).await,
            FromClient::Edited(text) => {
                self.frame.reset(self.state.size);
                let requests = self.update(UiInput::Edited(text));
                return self.carry_out_all(requests, sender).await;
            }
            FromClient::Failed(why) => {
                self.toast(NoticeLevel::Warning, why);
                self.frame.mark_stale(StaleScope::Everything);
            }
            FromClient::Colour(colour) => self.on_colour(colour),
            FromClient::Ack(number) => self.pace.on_ack(number),
            FromClient::Hello(_) | FromClient::Attach(_) | FromClient::Call(_) => {}
        }
        Ok(ClientFlow::On)
    }

    /// Handles a change of the shown data, or the end of all reports of changes.
    fn on_change(&mut self, stale: Option<StaleScope>) -> ClientFlow {
        match stale {
            Some(stale) => {
                self.frame.mark_stale(stale);
                ClientFlow::On
            }
            None => ClientFlow::Bye("the session has ended".to_owned()),
        }
    }

    /// Handles output of terminals, and terminals that came, went or got another size.
    fn on_terminal_change(&mut self, changes: Option<TerminalChanges>) -> ClientFlow {
        let stale = changes.map(|changes| {
            if std::mem::replace(&mut self.terminal_changes, changes.terminals) == changes.terminals {
                StaleScope::Terminals
            } else {
                StaleScope::Everything
            }
        });
        self.on_change(stale)
    }

    fn toast(&mut self, level: NoticeLevel, text: String) {
        self.state.show_toast(clock::now(), level, text);
    }

    /// Saves the arrangement if it has changed, at most every few seconds; it must survive a server that is killed.
    fn save_arrangement(&mut self) {
        let Some(saved) = self.saver.changed(&self.state, Instant::now()) else {
            return;
        };
        let settings = Arc::clone(&self.services.settings);
        self.work.spawn_blocking(move || {
            arrangements::save(&settings.paths, &saved);
            WorkResult::Nothing
        });
    }

    /// Saves the arrangement for the next time, and the time at which the person left.
    async fn save_on_detach(&mut self) {
        let mut saved = self.state.save_arrangement();
        saved.left = Some(clock::now());
        let settings = Arc::clone(&self.services.settings);
        let save = move || arrangements::save(&settings.paths, &saved);
        // Nothing depends on the result.
        drop(tokio::task::spawn_blocking(save).await);
    }

    async fn on_input(
        &mut self,
        event: InputEvent,
        sender: &mut FrameSender,
    ) -> Result<ClientFlow, ConnectionError> {
        self.services.clients.received(self.number, &event);
        let input = match event {
            InputEvent::Key(key) => UiInput::Key(key),
            InputEvent::Mouse(mouse) => UiInput::Mouse(mouse),
            InputEvent::Paste(text) => UiInput::Paste(text),
            InputEvent::Resize(cols, rows) => {
                self.frame.reset((cols.max(1), rows.max(1)));
                UiInput::Resize(cols.max(1), rows.max(1))
            }
            InputEvent::Focus(here) => UiInput::Focus(here),
        };
        if let UiInput::Focus(here) = input {
            self.notifier.alerts.set_focused(here);
            self.services.clients.presence.set_focused(self.number, here);
        }
        self.pace.on_key(Instant::now());
        let before = self.state.focus_fingerprint();
        let requests = self.update(input);
        // A key for a program changes nothing here; the answer of the program will.
        let only_typed = !requests.is_empty()
            && requests
                .iter()
                .all(|request| matches!(request, UiRequest::SendInput(..)));
        if !only_typed || self.state.focus_fingerprint() != before {
            self.frame.mark_stale(StaleScope::Everything);
        }
        self.carry_out_all(requests, sender).await
    }

    /// Returns the requests of an input in the present state.
    fn update(&mut self, input: UiInput) -> Vec<UiRequest> {
        self.with_scene(|state, _, scene| ui::update(state, scene, input))
    }

    /// Runs `work` on the state and the frame with the present scene.
    fn with_scene<T>(&mut self, work: impl FnOnce(&mut UiState, &mut ClientFrame, &Scene<'_>) -> T) -> T {
        let services = &self.services;
        let (model, facts) = (services.engine.read_model(), services.settings.facts());
        let scene = Scene {
            model: &model,
            screens: &services.hub,
            log: self.log.lines(),
            cache: &self.fetches.cache,
            now: clock::now(),
            session: &facts,
            theme: &self.display.theme,
        };
        work(&mut self.state, &mut self.frame, &scene)
    }

    async fn carry_out_all(
        &mut self,
        requests: Vec<UiRequest>,
        sender: &mut FrameSender,
    ) -> Result<ClientFlow, ConnectionError> {
        for request in requests {
            let context = RequestContext {
                services: &self.services,
                client: self.number,
                alt_is_escape: self.alt_is_escape,
                layout: self.frame.layout(),
                shells: self.state.shells(),
                promised: &mut self.promised,
                echo: &mut self.echo,
                notifier: &mut self.notifier,
                work: &mut self.work,
            };
            match context.carry_out(request, sender).await? {
                RequestOutcome::Done => {}
                RequestOutcome::Toast(level, text) => self.toast(level, text),
                RequestOutcome::ApplyTheme => self.apply_theme(),
                RequestOutcome::Redraw => self.frame.reset(self.state.size),
                RequestOutcome::Detach => {
                    let root = &self.services.settings.paths.root;
                    return Ok(goodbye::person_left(root, &self.services.engine.read_model()));
                }
                RequestOutcome::Leave => return Ok(ClientFlow::Bye(String::new())),
            }
        }
        Ok(ClientFlow::On)
    }

    fn on_work_done(&mut self, done: Result<WorkResult, tokio::task::JoinError>) -> ClientFlow {
        // A measurement of the machine is not a reason for a frame: it is seen in the next one, within a second.
        if !matches!(done, Ok(WorkResult::Fetched(CacheKey::Machine, _))) {
            self.frame.mark_stale(StaleScope::Everything);
        }
        let now = clock::now();
        match done {
            Ok(WorkResult::Toast(level, text)) => self.toast(level, text),
            Ok(WorkResult::Shell(pane, number)) => self.state.shell_opened(pane, self.promised.kept(number)),
            Ok(WorkResult::NoShell(pane, why)) => {
                self.state.shell_not_opened(pane);
                self.toast(NoticeLevel::Warning, why);
            }
            Ok(WorkResult::Fetched(key, entry)) => self.fetches.cache.put(key, entry, now),
            Ok(WorkResult::Searched(key, search, came)) => {
                self.fetches
                    .on_search_step(key, search, &came, now, &mut self.work);
            }
            Ok(WorkResult::Older(screen, lines)) => self.state.add_older_lines(now, screen, lines),
            Ok(WorkResult::Plan(asked)) => self.state.ask_about_plan(*asked),
            Ok(WorkResult::Refused(command, why)) => {
                self.state.drop_refused(&command);
                self.toast(NoticeLevel::Warning, why);
            }
            Ok(WorkResult::Nothing) => {}
            Err(error) => self.toast(NoticeLevel::Error, format!("something broke: {error}")),
        }
        ClientFlow::On
    }
}

impl Drop for AttachedClient {
    fn drop(&mut self) {
        self.services.clients.left(self.number);
    }
}
