//! What a client asked for, carried out: commands to the board, input to terminals, shells. What takes time is done beside the
//! drawing.

use std::sync::Arc;

use crate::adapters::clock;
use crate::adapters::ipc::Sender;
use crate::domain::command::{Command, Draft};
use crate::domain::{AttemptId, Level};
use crate::protocol::naming::free_id;
use crate::protocol::wire::FromServer;
use crate::server::consenting::Approvals;
use crate::server::drawing::Client;
use crate::server::drawing::parting::Next;
use crate::server::drawing::work::Done;
use crate::server::engine_handle::EngineHandle;
use crate::server::hub::Hub;
use crate::server::in_force::InForce;
use crate::server::peer::{TalkError, say};
use crate::server::screens::holder_of;
use crate::server::{first_start, history};
use crate::term::{Modes, keys};
use crate::ui::{Consent, NewTask, PaneId, Request, ScreenId, Typed};

/// Carries out one request.
pub(super) async fn carry_out(
    client: &mut Client,
    request: Request,
    sender: &mut Sender,
) -> Result<Next, TalkError> {
    let services = Arc::clone(&client.services);
    match request {
        Request::Command(command) => ask(client, services.engine.clone(), command),
        Request::NewTask(task) => make(client, (services.engine.clone(), &services.settings), *task),
        Request::Edit(text) => say(sender, &FromServer::Edit(text)).await?,
        Request::OpenShellAt(pane, attempt) => open_shell_at(client, pane, (Some(attempt), None)),
        Request::RunInShell(pane, attempt, command) => {
            open_shell_at(client, pane, (attempt, Some(command)));
        }
        Request::TypeInto(id, typed) => {
            if services.clients.typed(client.number, &holder_of(id)) {
                client.fit_terminals();
            }
            client.await_echo(id);
            type_into(&services.hub, id, &typed);
        }
        Request::Consent(attempt, what, says) => {
            let (level, text) = consented(&services.approvals, attempt, (&what, says));
            client.state.tell(clock::now(), level, text);
        }
        Request::OpenShell(pane) => open_shell(client, pane),
        Request::CloseShell(number) => close_shell(client, number),
        Request::Older(id, columns) => {
            client
                .work
                .spawn_blocking(move || Done::Older(id, history::lines(&services.hub, id, columns)));
        }
        Request::OpenLink(target) => say(sender, &FromServer::Open(target)).await?,
        Request::Copy(text) => say(sender, &FromServer::Clipboard(text)).await?,
        Request::Switch(root) => {
            say(sender, &FromServer::Go(root)).await?;
            return Ok(Next::Bye(String::new()));
        }
        Request::Demo => {
            say(sender, &FromServer::Demo).await?;
            return Ok(Next::Bye(String::new()));
        }
        Request::Answered(answers) => {
            // Before anything else is done: the next wish may be to leave.
            let kept =
                tokio::task::spawn_blocking(move || first_start::keep(&services.settings.place, &answers));
            if let Ok((level, text)) = kept.await {
                client.state.tell(clock::now(), level, text);
            }
        }
        Request::NameSession(name) => {
            client.work.spawn_blocking(move || {
                let (level, text) = services.reloader.rename(&name);
                Done::Said(level, text)
            });
        }
        Request::Dress => client.dress(),
        Request::Redraw => {}
        Request::Detach => return Ok(Next::Bye(String::new())),
        Request::StopServer => services.stop.cancel(),
    }
    Ok(Next::On)
}

fn consented(approvals: &Approvals, attempt: AttemptId, said: (&str, Consent)) -> (Level, String) {
    match approvals.consent(attempt, said) {
        Ok(accepted) => (Level::Success, accepted.0),
        Err(refusal) => (Level::Warning, refusal.0),
    }
}

fn ask(client: &mut Client, engine: EngineHandle, command: Command) {
    client.work.spawn_blocking(move || asked(&engine, command));
}

fn asked(engine: &EngineHandle, command: Command) -> Done {
    match engine.ask("person", command.clone()) {
        Ok(Ok(accepted)) => Done::Said(Level::Success, accepted.0),
        Ok(Err(refusal)) => Done::Refused(Box::new(command), refusal.0),
        Err(closed) => Done::Said(Level::Error, format!("could not {closed}")),
    }
}

/// Makes a task, and releases it if that was wished.
fn make(client: &mut Client, (engine, settings): (EngineHandle, &InForce), task: NewTask) {
    let taken = |id: &str| engine.read_model().tasks.contains_key(&id.into());
    let prefix = settings.config().text("prefix").unwrap_or_default();
    let id = free_id(&prefix, &task.title, &taken);
    let release = task.release.then(|| Command::Release(vec![id.as_str().into()]));
    let create = Command::Create(draft(&id, task));
    client
        .work
        .spawn_blocking(move || match (asked(&engine, create), release) {
            (Done::Said(Level::Success, _), Some(release)) => asked(&engine, release),
            (done, _) => done,
        });
}

fn draft(id: &str, task: NewTask) -> Draft {
    let draft = Draft::new(id, task.title);
    Draft {
        workflow: task.workflow.unwrap_or(draft.workflow),
        body: task.body,
        kind: task.kind,
        priority: task.priority,
        ..draft
    }
}

fn open_shell(client: &mut Client, pane: PaneId) {
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

fn close_shell(client: &mut Client, number: u64) {
    let shells = Arc::clone(&client.services.shells);
    client.work.spawn_blocking(move || match shells.end(number) {
        Ok(()) => Done::Nothing,
        Err(why) => Done::Said(Level::Warning, why),
    });
}

/// A shell where an attempt works, or in the project's folder; one that runs a command first, if there is one.
fn open_shell_at(client: &mut Client, pane: PaneId, (attempt, command): (Option<AttemptId>, Option<String>)) {
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

fn opened(pane: PaneId, shell: Result<u64, String>) -> Done {
    match shell {
        Ok(number) => Done::Shell(pane, number),
        Err(why) => Done::Said(Level::Warning, why),
    }
}

/// The server encodes: only it knows what the program in the terminal has asked for.
fn type_into(hub: &Hub, id: ScreenId, typed: &Typed) {
    let id = holder_of(id);
    let Some(pane) = hub.pane(&id) else {
        return;
    };
    let modes: Modes = *pane.terminal.lock().modes();
    let bytes = match typed {
        Typed::Key(key) => keys::encode_key(key, &modes),
        Typed::Paste(text) => keys::encode_paste(text, &modes),
        Typed::Mouse(mouse) => keys::encode_mouse(mouse, &modes)
            .or_else(|| keys::encode_wheel(mouse, &modes))
            .unwrap_or_default(),
        Typed::Focus(focused) => keys::encode_focus(*focused, &modes)
            .map(<[u8]>::to_vec)
            .unwrap_or_default(),
    };
    if !bytes.is_empty() {
        hub.input(&id, &bytes);
    }
}
