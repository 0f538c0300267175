//! What a client asked for, carried out: commands to the board, input to terminals, shells. What takes time is done beside the
//! drawing.

use std::sync::Arc;

use crate::adapters::clock;
use crate::adapters::ipc::Sender;
use crate::domain::command::{Command, Draft};
use crate::domain::{AttemptId, Level, Span};
use crate::ports::holders::{HolderId, Holders as _};
use crate::protocol::naming::free_id;
use crate::protocol::wire::FromServer;
use crate::server::consenting::consent;
use crate::server::drawing::{Client, Next};
use crate::server::first_start;
use crate::server::listening::{Server, TalkError, say};
use crate::server::reloading;
use crate::server::screens::holder_of;
use crate::server::seeking::{Came, Search};
use crate::server::session;
use crate::term::{Modes, keys};
use crate::ui::{Consent, NewTask, PaneId, Paper, Request, ScreenId, Sheet, StillLine, Typed};

/// How long a shell that is closed has to end by itself.
const GRACE: Span = Span(1_000);

/// What work that took time led to.
#[derive(Debug)]
pub(super) enum Done {
    /// Something to tell the person.
    Said(Level, String),
    /// The board refused that, and why.
    Refused(Box<Command>, String),
    /// A shell for that pane.
    Shell(PaneId, u64),
    /// Something a view wanted.
    Fetched(Paper, Sheet),
    /// A search took a step.
    Searched(Paper, Box<Search>, Came),
    /// Older lines of a terminal.
    Older(ScreenId, Vec<StillLine>),
    /// Nothing to be seen.
    Nothing,
}

/// Carries out one request.
pub(super) async fn carry_out(
    client: &mut Client,
    request: Request,
    sender: &mut Sender,
) -> Result<Next, TalkError> {
    let server = Arc::clone(&client.server);
    match request {
        Request::Command(command) => ask(client, server, command),
        Request::NewTask(task) => make(client, server, *task),
        Request::Edit(text) => say(sender, &FromServer::Edit(text)).await?,
        Request::OpenShellAt(pane, attempt) => open_shell_at(client, server, pane, (Some(attempt), None)),
        Request::RunInShell(pane, attempt, command) => {
            open_shell_at(client, server, pane, (attempt, Some(command)));
        }
        Request::TypeInto(id, typed) => {
            if server.sizes.typed(client.number, &holder_of(id)) {
                client.fit_terminals();
            }
            client.await_echo(id);
            type_into(&server, id, &typed);
        }
        Request::Consent(attempt, what, says) => {
            let (level, text) = consented(&server, attempt, (&what, says));
            client.state.tell(clock::now(), level, text);
        }
        Request::OpenShell(pane) => open_shell(client, server, pane),
        Request::CloseShell(number) => close_shell(client, server, number),
        Request::Older(id, columns) => {
            client.work.spawn_blocking(move || {
                Done::Older(id, crate::server::history::lines(&server.session, id, columns))
            });
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
                tokio::task::spawn_blocking(move || first_start::keep(&server.session.place, &answers));
            if let Ok((level, text)) = kept.await {
                client.state.tell(clock::now(), level, text);
            }
        }
        Request::NameSession(name) => {
            client.work.spawn_blocking(move || {
                let (level, text) = reloading::rename(&server.session, &name);
                Done::Said(level, text)
            });
        }
        Request::Dress => client.dress(),
        Request::Redraw => {}
        Request::Detach => return Ok(Next::Bye(String::new())),
        Request::StopServer => server.stop.cancel(),
    }
    Ok(Next::On)
}

fn consented(server: &Server, attempt: AttemptId, said: (&str, Consent)) -> (Level, String) {
    match consent(&server.session, attempt, said) {
        Ok(accepted) => (Level::Success, accepted.0),
        Err(refusal) => (Level::Warning, refusal.0),
    }
}

fn ask(client: &mut Client, server: Arc<Server>, command: Command) {
    client.work.spawn_blocking(move || asked(&server, command));
}

fn asked(server: &Server, command: Command) -> Done {
    match session::ask(&server.session.inbox, "person", command.clone()) {
        Ok(Ok(accepted)) => Done::Said(Level::Success, accepted.0),
        Ok(Err(refusal)) => Done::Refused(Box::new(command), refusal.0),
        Err(closed) => Done::Said(Level::Error, format!("could not {closed}")),
    }
}

/// Makes a task, and releases it if that was wished.
fn make(client: &mut Client, server: Arc<Server>, task: NewTask) {
    let taken = |id: &str| server.session.pictures.borrow().tasks.contains_key(&id.into());
    let prefix = server
        .session
        .in_force
        .config()
        .text("prefix")
        .unwrap_or_default();
    let id = free_id(&prefix, &task.title, &taken);
    let release = task.release.then(|| Command::Release(vec![id.as_str().into()]));
    let create = Command::Create(draft(&id, task));
    client
        .work
        .spawn_blocking(move || match (asked(&server, create), release) {
            (Done::Said(Level::Success, _), Some(release)) => asked(&server, release),
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

fn open_shell(client: &mut Client, server: Arc<Server>, pane: PaneId) {
    let shown = client.state.shells();
    let size = client.size_of(pane);
    client.work.spawn_blocking(move || {
        let free = crate::server::shells::Shells::running(&server.session)
            .into_iter()
            .find(|number| !shown.contains(number));
        match free.map_or_else(|| server.shells.open(&server.session, size), Ok) {
            Ok(number) => Done::Shell(pane, number),
            Err(why) => Done::Said(Level::Warning, why),
        }
    });
}

fn close_shell(client: &mut Client, server: Arc<Server>, number: u64) {
    client.work.spawn_blocking(move || {
        let id = HolderId::new(format!("shell-{number}"));
        match server.session.holders.stop(&id, GRACE) {
            Ok(_) => Done::Nothing,
            Err(error) => Done::Said(Level::Warning, format!("could not {error}")),
        }
    });
}

/// A shell where an attempt works, or in the project's folder; one that runs a command first, if there is one.
fn open_shell_at(
    client: &mut Client,
    server: Arc<Server>,
    pane: PaneId,
    (attempt, command): (Option<AttemptId>, Option<String>),
) {
    let size = client.size_of(pane);
    client.work.spawn_blocking(move || {
        let model = Arc::clone(&server.session.pictures.borrow());
        let attempt = attempt.and_then(|attempt| model.attempts.get(&attempt));
        let place = attempt.and_then(|attempt| attempt.workplace.as_ref().map(|place| place.path.clone()));
        let folder = server.session.place.root.join(place.unwrap_or_default());
        match server
            .shells
            .open_in(&server.session, size, folder, command.as_deref())
        {
            Ok(number) => Done::Shell(pane, number),
            Err(why) => Done::Said(Level::Warning, why),
        }
    });
}

/// The server encodes: only it knows what the program in the terminal has asked for.
fn type_into(server: &Server, id: ScreenId, typed: &Typed) {
    let id = holder_of(id);
    let Some(pane) = server.session.hub.pane(&id) else {
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
        server.session.hub.input(&id, &bytes);
    }
}
