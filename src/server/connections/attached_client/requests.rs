//! Execution of a client's requests: commands to the board, input to terminals, shells. Slow work is done beside the drawing.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::task::JoinSet;

use crate::adapters::ipc::FrameSender;
use crate::config::schema;
use crate::domain::command::{Command, TaskDraft};
use crate::domain::{AttemptId, Cause, NoticeLevel};
use crate::ports::holders::HolderId;
use crate::protocol::task_ids::free_id;
use crate::protocol::wire::FromServer;
use crate::server::connections::attached_client::WorkResult;
use crate::server::connections::attached_client::frames::EchoWait;
use crate::server::connections::attached_client::notifications::ClientNotifier;
use crate::server::connections::attached_client::pane_sizes::{fit_terminals, shell_size};
use crate::server::connections::peer::{ConnectionError, say};
use crate::server::connections::plan_orders;
use crate::server::engine_handle::EngineHandle;
use crate::server::services::Services;
use crate::server::settings::first_start;
use crate::server::signals::hooks::leave_to_terminal;
use crate::server::terminals::hub::TerminalHub;
use crate::server::terminals::screens::holder_of;
use crate::server::terminals::scrollback;
use crate::server::terminals::shells::PromisedShells;
use crate::term::{Modes, keys};
use crate::ui::{NewTask, PaneId, ProgramInput, RenderedLayout, ScreenId, UiRequest};

/// Context for executing the request of one client.
pub(super) struct RequestContext<'a> {
    pub(super) services: &'a Arc<Services>,
    /// The number of the client.
    pub(super) client: u64,
    /// True if its terminal sends Alt as Escape before the key.
    pub(super) alt_is_escape: bool,
    /// Layout of its screen.
    pub(super) layout: &'a RenderedLayout,
    /// The shells it shows.
    pub(super) shells: BTreeSet<u64>,
    /// The shells promised to it.
    pub(super) promised: &'a mut PromisedShells,
    pub(super) echo: &'a mut EchoWait,
    pub(super) notifier: &'a mut ClientNotifier,
    pub(super) work: &'a mut JoinSet<WorkResult>,
}

/// Remaining work for the client itself after its request was executed.
pub(super) enum RequestOutcome {
    Done,
    Toast(NoticeLevel, String),
    ApplyTheme,
    Redraw,
    /// The person leaves, and comes back.
    Detach,
    /// The person continues elsewhere.
    Leave,
}

impl RequestContext<'_> {
    /// Executes a request of the client.
    pub(super) async fn carry_out(
        mut self,
        request: UiRequest,
        sender: &mut FrameSender,
    ) -> Result<RequestOutcome, ConnectionError> {
        let services = Arc::clone(self.services);
        match request {
            UiRequest::Command(command) => self.in_background(move || ask(&services.engine, command)),
            UiRequest::NewTask(task) => self.in_background(move || create(&services, *task)),
            UiRequest::ReadPlan(file) => self.in_background(move || plan_asked(&services, &file)),
            UiRequest::Design(goal) => self.in_background(move || design_ordered(&services, &goal)),
            UiRequest::OpenEditor(text) => say(sender, &FromServer::Edit(text)).await?,
            UiRequest::OpenShell(pane) => self.open_shell(pane),
            UiRequest::OpenShellIn(pane, attempt) => self.open_shell_at(pane, Some(attempt), None),
            UiRequest::RunInShell(pane, attempt, command) => self.open_shell_at(pane, attempt, Some(command)),
            UiRequest::CloseShell(number) => self.in_background(move || match services.shells.end(number) {
                Ok(()) => WorkResult::Nothing,
                Err(why) => WorkResult::Toast(NoticeLevel::Warning, why.text),
            }),
            UiRequest::SendInput(id, typed) => self.send_input(id, &typed),
            UiRequest::LoadOlderLines(id, columns) => self
                .in_background(move || WorkResult::Older(id, scrollback::lines(&services.hub, id, columns))),
            UiRequest::OpenLink(target) => say(sender, &FromServer::Open(target)).await?,
            UiRequest::CopyToClipboard(text) => say(sender, &FromServer::Clipboard(text)).await?,
            UiRequest::TakeOffer => {
                return self.take_offer(sender).await;
            }
            UiRequest::SwitchSession(root) => return leave(sender, &FromServer::Go(root)).await,
            UiRequest::PlayDemo => return leave(sender, &FromServer::Demo).await,
            UiRequest::SaveSettings(answers) => {
                // Before anything else is done: the next request may be to leave, and the screen shows what was chosen.
                let save = move || {
                    let saved = first_start::save_answers(&services.settings.paths, &answers);
                    // A problem is published as a notice.
                    drop(services.reloader.reload("your answers"));
                    saved
                };
                if let Ok((level, text)) = tokio::task::spawn_blocking(save).await {
                    return Ok(RequestOutcome::Toast(level, text));
                }
            }
            UiRequest::Trust(hash) => self.in_background(move || toast(services.reloader.trust(&hash))),
            UiRequest::RenameSession(name) => {
                self.in_background(move || toast(services.reloader.rename(&name)));
            }
            UiRequest::ApplyTheme => return Ok(RequestOutcome::ApplyTheme),
            UiRequest::Redraw => return Ok(RequestOutcome::Redraw),
            UiRequest::Detach => return Ok(RequestOutcome::Detach),
            UiRequest::StopServer => services.stop.cancel(),
        }
        Ok(RequestOutcome::Done)
    }

    /// Copies the text that a program offered to the clipboard.
    async fn take_offer(self, sender: &mut FrameSender) -> Result<RequestOutcome, ConnectionError> {
        let Some(text) = self.notifier.offer.take() else {
            let why = "take copy: no program wants to put a text into your clipboard".to_owned();
            return Ok(RequestOutcome::Toast(NoticeLevel::Warning, why));
        };
        let said = format!(
            "copied {} characters (by OSC 52; some terminals ignore it)",
            text.chars().count()
        );
        say(sender, &FromServer::Clipboard(text)).await?;
        Ok(RequestOutcome::Toast(NoticeLevel::Info, said))
    }

    /// Does slow work beside the drawing.
    fn in_background(&mut self, work: impl FnOnce() -> WorkResult + Send + 'static) {
        self.work.spawn_blocking(work);
    }

    /// Types into a terminal, which gets its size on this screen if this client takes it over.
    fn send_input(&mut self, id: ScreenId, typed: &ProgramInput) {
        let services = self.services;
        if services.clients.typed(self.client, &holder_of(id)) {
            fit_terminals(services, self.client, self.layout);
        }
        self.echo.begin(&services.hub, id);
        // Before the key is known: an agent that receives keys counts as at work, and its request as closed.
        if matches!(typed, ProgramInput::Key(_) | ProgramInput::Paste(_))
            && let Some(attempt) = holder_of(id).attempt()
        {
            leave_to_terminal(&services.engine, &services.settings.agents, attempt);
        }
        type_into(&services.hub, id, typed, self.alt_is_escape);
    }

    /// Shows a running shell that this client does not show, or a new one.
    fn open_shell(&mut self, pane: PaneId) {
        let services = Arc::clone(self.services);
        let (number, runs) = self.promised.choose(services.shells.running(), &self.shells, || {
            services.shells.next_number()
        });
        let size = shell_size(self.layout, pane);
        let from = self.notifier.last_focused.map(holder_of);
        self.in_background(move || {
            let open = || {
                let folder = folder_of(&services.hub, from);
                services.shells.open(number, size, folder.as_deref(), None)
            };
            let shell = if runs { Ok(()) } else { open() };
            opened(pane, shell.map(|()| number))
        });
    }

    /// Opens a shell where an attempt works, or in the project's folder; with a command, it runs that first.
    fn open_shell_at(&mut self, pane: PaneId, attempt: Option<AttemptId>, command: Option<String>) {
        let services = Arc::clone(self.services);
        let number = services.shells.next_number();
        self.promised.promise(number);
        let size = shell_size(self.layout, pane);
        self.in_background(move || {
            let model = services.engine.read_model();
            let attempt = attempt.and_then(|attempt| model.attempts.get(&attempt));
            let place = attempt.and_then(|attempt| attempt.workplace.as_ref());
            let folder = place.map(|place| place.path.as_str());
            let shell = services.shells.open(number, size, folder, command.as_deref());
            opened(pane, shell.map(|()| number))
        });
    }
}

/// Sends the client elsewhere and ends its connection.
async fn leave(sender: &mut FrameSender, word: &FromServer) -> Result<RequestOutcome, ConnectionError> {
    say(sender, word).await?;
    Ok(RequestOutcome::Leave)
}

fn toast(outcome: (NoticeLevel, String)) -> WorkResult {
    WorkResult::Toast(outcome.0, outcome.1)
}

fn ask(engine: &EngineHandle, command: Command) -> WorkResult {
    match engine.ask("person", command.clone()) {
        Ok(Ok(accepted)) => WorkResult::Toast(NoticeLevel::Success, accepted.0),
        Ok(Err(refusal)) => WorkResult::Refused(Box::new(command), refusal.why),
        Err(closed) => WorkResult::Toast(NoticeLevel::Error, format!("could not {closed}")),
    }
}

/// Reads a plan for the question about it.
fn plan_asked(services: &Services, file: &str) -> WorkResult {
    match plan_orders::question(services, file) {
        Ok(asked) => WorkResult::Plan(Box::new(asked)),
        Err(why) => WorkResult::Toast(NoticeLevel::Warning, why.to_string()),
    }
}

/// Orders a plan for a goal.
fn design_ordered(services: &Services, goal: &str) -> WorkResult {
    match plan_orders::design(services, goal) {
        Ok(order) => ask(&services.engine, order),
        Err(why) => WorkResult::Toast(NoticeLevel::Warning, why.to_string()),
    }
}

/// Creates a task, and releases it if requested.
fn create(services: &Services, task: NewTask) -> WorkResult {
    let engine = &services.engine;
    let taken = |id: &str| engine.read_model().tasks.contains_key(&id.into());
    let prefix = services.settings.config().value(&schema::PREFIX);
    let id = free_id(&prefix, &services.settings.paths.board(), &task.title, &taken);
    let release = task.release.then(|| Command::Release(vec![id.as_str().into()]));
    let draft = TaskDraft::new(&id, task.title);
    let create = Command::Create(TaskDraft {
        workflow: task.workflow.unwrap_or(draft.workflow),
        body: task.body,
        tags: task.tags,
        deps: task.deps,
        kind: task.kind,
        priority: task.priority,
        ..draft
    });
    match (ask(engine, create), release) {
        (WorkResult::Toast(NoticeLevel::Success, _), Some(release)) => ask(engine, release),
        (done, _) => done,
    }
}

/// Returns the folder that the program of a terminal reported, if it still exists.
fn folder_of(hub: &TerminalHub, from: Option<HolderId>) -> Option<String> {
    let folder = hub.report(&from?).folder.filter(|folder| folder.is_dir())?;
    folder.to_str().map(str::to_owned)
}

fn opened(pane: PaneId, shell: Result<u64, Cause>) -> WorkResult {
    match shell {
        Ok(number) => WorkResult::Shell(pane, number),
        Err(why) => WorkResult::NoShell(pane, why.text),
    }
}

/// Types into a terminal. The server encodes: only it knows the modes that the program in the terminal has requested.
fn type_into(hub: &TerminalHub, id: ScreenId, typed: &ProgramInput, alt_is_escape: bool) {
    let id = holder_of(id);
    let Some(pane) = hub.terminal(&id) else {
        return;
    };
    let modes: Modes = *pane.terminal.lock().modes();
    let bytes = match typed {
        ProgramInput::Key(key) if alt_is_escape => keys::encode_key_alt_is_escape(key, &modes),
        ProgramInput::Key(key) => keys::encode_key(key, &modes),
        ProgramInput::Paste(text) => keys::encode_paste(text, &modes),
        ProgramInput::Mouse(mouse) => keys::encode_mouse(mouse, &modes)
            .or_else(|| keys::encode_wheel(mouse, &modes))
            .unwrap_or_default(),
        ProgramInput::Focus(focused) => keys::encode_focus(*focused, &modes)
            .map(<[u8]>::to_vec)
            .unwrap_or_default(),
    };
    if !bytes.is_empty() {
        if matches!(typed, ProgramInput::Key(_) | ProgramInput::Paste(_)) {
            hub.typed(&id);
        }
        hub.input(&id, &bytes);
    }
}
