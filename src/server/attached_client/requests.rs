//! What a client asked for, carried out: commands to the board, input to terminals, shells. What takes time is done beside the
//! drawing.

use std::sync::Arc;

use crate::adapters::clock;
use crate::adapters::ipc::FrameSender;
use crate::config::schema;
use crate::domain::command::{Command, TaskDraft};
use crate::domain::{AttemptId, NoticeLevel};
use crate::protocol::task_ids::free_id;
use crate::protocol::wire::FromServer;
use crate::server::attached_client::AttachedClient;
use crate::server::attached_client::goodbye::ClientFlow;
use crate::server::attached_client::work::WorkResult;
use crate::server::engine_handle::EngineHandle;
use crate::server::hub::TerminalHub;
use crate::server::in_force::ActiveSettings;
use crate::server::peer::{ConnectionError, say};
use crate::server::permissions::Approvals;
use crate::server::screens::holder_of;
use crate::server::{first_start, scrollback};
use crate::term::{Modes, keys};
use crate::ui::{NewTask, PaneId, PermissionReply, ProgramInput, ScreenId, UiRequest};

pub(super) async fn carry_out(
    client: &mut AttachedClient,
    request: UiRequest,
    sender: &mut FrameSender,
) -> Result<ClientFlow, ConnectionError> {
    let services = Arc::clone(&client.services);
    match request {
        UiRequest::Command(command) => ask(client, services.engine.clone(), command),
        UiRequest::NewTask(task) => make(client, (services.engine.clone(), &services.settings), *task),
        UiRequest::OpenEditor(text) => say(sender, &FromServer::Edit(text)).await?,
        UiRequest::OpenShellIn(pane, attempt) => open_shell_at(client, pane, (Some(attempt), None)),
        UiRequest::RunInShell(pane, attempt, command) => {
            open_shell_at(client, pane, (attempt, Some(command)));
        }
        UiRequest::SendInput(id, typed) => {
            if services.clients.typed(client.number, &holder_of(id)) {
                client.fit_terminals();
            }
            client.await_echo(id);
            type_into(&services.hub, id, &typed);
        }
        UiRequest::ReplyPermission(attempt, what, says) => {
            let (level, text) = consented(&services.approvals, attempt, (&what, says));
            client.state.show_toast(clock::now(), level, text);
        }
        UiRequest::OpenShell(pane) => open_shell(client, pane),
        UiRequest::CloseShell(number) => close_shell(client, number),
        UiRequest::LoadOlderLines(id, columns) => {
            client
                .work
                .spawn_blocking(move || WorkResult::Older(id, scrollback::lines(&services.hub, id, columns)));
        }
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
            let kept = tokio::task::spawn_blocking(move || {
                first_start::save_answers(&services.settings.place, &answers)
            });
            if let Ok((level, text)) = kept.await {
                client.state.show_toast(clock::now(), level, text);
            }
        }
        UiRequest::RenameSession(name) => {
            client.work.spawn_blocking(move || {
                let (level, text) = services.reloader.rename(&name);
                WorkResult::Said(level, text)
            });
        }
        UiRequest::ApplyTheme => client.apply_theme(),
        UiRequest::Redraw => {}
        UiRequest::Detach => return Ok(ClientFlow::Bye(String::new())),
        UiRequest::StopServer => services.stop.cancel(),
    }
    Ok(ClientFlow::On)
}

fn consented(
    approvals: &Approvals,
    attempt: AttemptId,
    said: (&str, PermissionReply),
) -> (NoticeLevel, String) {
    match approvals.reply(attempt, said) {
        Ok(accepted) => (NoticeLevel::Success, accepted.0),
        Err(refusal) => (NoticeLevel::Warning, refusal.0),
    }
}

fn ask(client: &mut AttachedClient, engine: EngineHandle, command: Command) {
    client.work.spawn_blocking(move || asked(&engine, command));
}

fn asked(engine: &EngineHandle, command: Command) -> WorkResult {
    match engine.ask("person", command.clone()) {
        Ok(Ok(accepted)) => WorkResult::Said(NoticeLevel::Success, accepted.0),
        Ok(Err(refusal)) => WorkResult::Refused(Box::new(command), refusal.0),
        Err(closed) => WorkResult::Said(NoticeLevel::Error, format!("could not {closed}")),
    }
}

/// Makes a task, and releases it if that was wished.
fn make(client: &mut AttachedClient, (engine, settings): (EngineHandle, &ActiveSettings), task: NewTask) {
    let taken = |id: &str| engine.read_model().tasks.contains_key(&id.into());
    let prefix = settings.config().value(&schema::PREFIX);
    let id = free_id(&prefix, &task.title, &taken);
    let release = task.release.then(|| Command::Release(vec![id.as_str().into()]));
    let create = Command::Create(draft(&id, task));
    client
        .work
        .spawn_blocking(move || match (asked(&engine, create), release) {
            (WorkResult::Said(NoticeLevel::Success, _), Some(release)) => asked(&engine, release),
            (done, _) => done,
        });
}

fn draft(id: &str, task: NewTask) -> TaskDraft {
    let draft = TaskDraft::new(id, task.title);
    TaskDraft {
        workflow: task.workflow.unwrap_or(draft.workflow),
        body: task.body,
        kind: task.kind,
        priority: task.priority,
        ..draft
    }
}

fn open_shell(client: &mut AttachedClient, pane: PaneId) {
    let shown = client.state.shells();
    let (shells, size) = (Arc::clone(&client.services.shells), client.size_of(pane));
    client.work.spawn_blocking(move || {
        let free = shells
            .running()
            .into_iter()
            .find(|number| !shown.contains(number));
        opened(pane, free.map_or_else(|| shells.open(size, None, None), Ok))
    });
}

fn close_shell(client: &mut AttachedClient, number: u64) {
    let shells = Arc::clone(&client.services.shells);
    client.work.spawn_blocking(move || match shells.end(number) {
        Ok(()) => WorkResult::Nothing,
        Err(why) => WorkResult::Said(NoticeLevel::Warning, why),
    });
}

/// A shell where an attempt works, or in the project's folder; one that runs a command first, if there is one.
fn open_shell_at(
    client: &mut AttachedClient,
    pane: PaneId,
    (attempt, command): (Option<AttemptId>, Option<String>),
) {
    let (services, size) = (&client.services, client.size_of(pane));
    let (engine, shells) = (services.engine.clone(), Arc::clone(&services.shells));
    client.work.spawn_blocking(move || {
        let model = engine.read_model();
        let attempt = attempt.and_then(|attempt| model.attempts.get(&attempt));
        let place = attempt.and_then(|attempt| attempt.workplace.as_ref());
        let folder = place.map(|place| place.path.as_str());
        opened(pane, shells.open(size, folder, command.as_deref()))
    });
}

fn opened(pane: PaneId, shell: Result<u64, String>) -> WorkResult {
    match shell {
        Ok(number) => WorkResult::Shell(pane, number),
        Err(why) => WorkResult::Said(NoticeLevel::Warning, why),
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
