//! What a client asked for, carried out: commands to the board, input to terminals, shells. What takes time is done beside the
//! drawing.

use std::sync::Arc;

use crate::adapters::ipc::FrameSender;
use crate::config::schema;
use crate::domain::command::{Command, TaskDraft};
use crate::domain::{AttemptId, NoticeLevel};
use crate::protocol::task_ids::free_id;
use crate::protocol::wire::FromServer;
use crate::server::attached_client::goodbye::ClientFlow;
use crate::server::attached_client::pane_sizes::shell_size;
use crate::server::attached_client::{AttachedClient, WorkResult};
use crate::server::engine_handle::EngineHandle;
use crate::server::hub::TerminalHub;
use crate::server::peer::{ConnectionError, say};
use crate::server::screens::holder_of;
use crate::server::services::Services;
use crate::server::{first_start, scrollback};
use crate::term::{Modes, keys};
use crate::ui::{NewTask, PaneId, ProgramInput, ScreenId, UiRequest};

/// Carries out what a client asked for.
pub(super) async fn carry_out(
    client: &mut AttachedClient,
    request: UiRequest,
    sender: &mut FrameSender,
) -> Result<ClientFlow, ConnectionError> {
    let services = Arc::clone(&client.services);
    match request {
        UiRequest::Command(command) => in_background(client, move || ask(&services.engine, command)),
        UiRequest::NewTask(task) => in_background(client, move || create(&services, *task)),
        UiRequest::OpenEditor(text) => say(sender, &FromServer::Edit(text)).await?,
        UiRequest::OpenShell(pane) => open_shell(client, pane),
        UiRequest::OpenShellIn(pane, attempt) => open_shell_at(client, pane, (Some(attempt), None)),
        UiRequest::RunInShell(pane, attempt, command) => {
            open_shell_at(client, pane, (attempt, Some(command)));
        }
        UiRequest::CloseShell(number) => in_background(client, move || match services.shells.end(number) {
            Ok(()) => WorkResult::Nothing,
            Err(why) => WorkResult::Toast(NoticeLevel::Warning, why),
        }),
        UiRequest::SendInput(id, typed) => {
            if services.clients.typed(client.number, &holder_of(id)) {
                client.fit_terminals();
            }
            client.await_echo(id);
            type_into(&services.hub, id, &typed);
        }
        UiRequest::LoadOlderLines(id, columns) => in_background(client, move || {
            WorkResult::Older(id, scrollback::lines(&services.hub, id, columns))
        }),
        UiRequest::OpenLink(target) => say(sender, &FromServer::Open(target)).await?,
        UiRequest::CopyToClipboard(text) => say(sender, &FromServer::Clipboard(text)).await?,
        UiRequest::SwitchSession(root) => {
            say(sender, &FromServer::Go(root)).await?;
            return Ok(ClientFlow::Bye(String::new()));
        }
        UiRequest::PlayDemo => {
            say(sender, &FromServer::Demo).await?;
            return Ok(ClientFlow::Bye(String::new()));
        }
        UiRequest::SaveSettings(answers) => {
            // Before anything else is done: the next wish may be to leave.
            let save = move || first_start::save_answers(&services.settings.place, &answers);
            if let Ok((level, text)) = tokio::task::spawn_blocking(save).await {
                client.toast(level, text);
            }
        }
        UiRequest::Trust(hash) => trust(client, hash),
        UiRequest::RenameSession(name) => in_background(client, move || {
            let (level, text) = services.reloader.rename(&name);
            WorkResult::Toast(level, text)
        }),
        UiRequest::ApplyTheme => client.apply_theme(),
        UiRequest::Redraw => {}
        UiRequest::Detach => return Ok(ClientFlow::Bye(String::new())),
        UiRequest::StopServer => services.stop.cancel(),
    }
    Ok(ClientFlow::On)
}

/// Does work that takes time beside the drawing.
fn in_background(client: &mut AttachedClient, work: impl FnOnce() -> WorkResult + Send + 'static) {
    client.work.spawn_blocking(work);
}

fn ask(engine: &EngineHandle, command: Command) -> WorkResult {
    match engine.ask("person", command.clone()) {
        Ok(Ok(accepted)) => WorkResult::Toast(NoticeLevel::Success, accepted.0),
        Ok(Err(refusal)) => WorkResult::Refused(Box::new(command), refusal.why),
        Err(closed) => WorkResult::Toast(NoticeLevel::Error, format!("could not {closed}")),
    }
}

/// Trusts what has that hash.
fn trust(client: &mut AttachedClient, hash: String) {
    let services = Arc::clone(&client.services);
    in_background(client, move || {
        let (level, text) = services.reloader.trust(&hash);
        WorkResult::Toast(level, text)
    });
}

/// Creates a task, and releases it if that was wished.
fn create(services: &Services, task: NewTask) -> WorkResult {
    let engine = &services.engine;
    let taken = |id: &str| engine.read_model().tasks.contains_key(&id.into());
    let prefix = services.settings.config().value(&schema::PREFIX);
    let id = free_id(&prefix, &task.title, &taken);
    let release = task.release.then(|| Command::Release(vec![id.as_str().into()]));
    let draft = TaskDraft::new(&id, task.title);
    let create = Command::Create(TaskDraft {
        workflow: task.workflow.unwrap_or(draft.workflow),
        body: task.body,
        kind: task.kind,
        priority: task.priority,
        ..draft
    });
    match (ask(engine, create), release) {
        (WorkResult::Toast(NoticeLevel::Success, _), Some(release)) => ask(engine, release),
        (done, _) => done,
    }
}

/// Shows a shell that runs and that this client does not show, or a new one.
fn open_shell(client: &mut AttachedClient, pane: PaneId) {
    let (services, shown) = (Arc::clone(&client.services), client.state.shells());
    let size = shell_size(client.frame.layout(), pane);
    in_background(client, move || {
        let mut running = services.shells.running().into_iter();
        let free = running.find(|number| !shown.contains(number));
        opened(
            pane,
            free.map_or_else(|| services.shells.open(size, None, None), Ok),
        )
    });
}

/// A shell where an attempt works, or in the project's folder; one that runs a command first, if there is one.
fn open_shell_at(
    client: &mut AttachedClient,
    pane: PaneId,
    (attempt, command): (Option<AttemptId>, Option<String>),
) {
    let services = Arc::clone(&client.services);
    let size = shell_size(client.frame.layout(), pane);
    in_background(client, move || {
        let model = services.engine.read_model();
        let attempt = attempt.and_then(|attempt| model.attempts.get(&attempt));
        let place = attempt.and_then(|attempt| attempt.workplace.as_ref());
        let folder = place.map(|place| place.path.as_str());
        opened(pane, services.shells.open(size, folder, command.as_deref()))
    });
}

fn opened(pane: PaneId, shell: Result<u64, String>) -> WorkResult {
    match shell {
        Ok(number) => WorkResult::Shell(pane, number),
        Err(why) => WorkResult::Toast(NoticeLevel::Warning, why),
    }
}

/// The server encodes: only it knows what the program in the terminal has asked for.
fn type_into(hub: &TerminalHub, id: ScreenId, typed: &ProgramInput) {
    let id = holder_of(id);
    let Some(pane) = hub.terminal(&id) else {
        return;
    };
    let modes: Modes = *pane.terminal.lock().modes();
    let bytes = match typed {
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
        hub.input(&id, &bytes);
    }
}
