//! The server itself: in the background (`dbs` starts it) or in the foreground with a line per event (`dbs watch`, K64).

use std::process::ExitCode;
use std::sync::Arc;

use crate::adapters::crash;
use crate::adapters::ending;
use crate::adapters::ipc::Listener;
use crate::adapters::logging;
use crate::adapters::out;
use crate::app::narrating::{QUIET, narrate};
use crate::app::spawning;
use crate::cli::args::Json;
use crate::cli::commands::Outcome;
use crate::cli::commands::showing::print_line;
use crate::config::edge::Edge;
use crate::config::place::Place;
use crate::config::setup;
use crate::ports::store::StoreError;
use crate::protocol::neighbours;
use crate::server::{Server, Session, SessionError};

/// Runs the server in the foreground.
pub(super) fn watch(edge: &Edge, json: Json) -> Outcome {
    run(edge, Some(json))
}

/// Runs the server without any output but its log.
pub(super) fn serve(edge: &Edge) -> Outcome {
    run(edge, None)
}

fn run(edge: &Edge, lines: Option<Json>) -> Outcome {
    let place = Place::find(&edge.folder, edge).map_err(|why| format!("could not {why}"))?;
    let _log = logging::to_folder(&place.logs, edge.get("DBS_LOG").as_deref())?;
    crash::keep_reports(&place.logs);
    let setup = setup::read(&place, edge)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .worker_threads(2)
        .build()
        .map_err(|error| format!("could not start: {error}"))?;
    let session = match Session::begin(place, setup, runtime.handle()) {
        Ok(session) => session,
        Err(taken @ SessionError::Store(StoreError::Locked { .. })) if lines.is_none() => {
            out::problem(&format!("could not {taken}"));
            return Ok(ExitCode::from(spawning::TAKEN));
        }
        Err(error) => return Err(format!("could not {error}")),
    };
    let served = runtime.block_on(serve_until_told(session, lines));
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    served
}

async fn serve_until_told(session: Session, lines: Option<Json>) -> Outcome {
    let socket = session.place.socket.clone();
    let listener = Listener::bind(&socket)
        .map_err(|error| format!("could not listen at {}: {error}", socket.display()))?;
    neighbours::leave_card(&session.place, &session.name());
    let server = Arc::new(Server::new(session));
    let telling = {
        let (server, stop) = (Arc::clone(&server), server.stop.clone());
        async move {
            let tell = tell(&server, lines);
            tokio::select! { () = stop.cancelled() => {}, () = tell => {} }
        }
    };
    let interrupted = {
        let stop = server.stop.clone();
        async move {
            ending::told_to_end().await;
            stop.cancel();
        }
    };
    let watching = {
        let server = Arc::clone(&server);
        async move {
            let stop = server.stop.clone();
            tokio::select! { () = stop.cancelled() => {}, () = server.watch_settings() => stop.cancelled().await }
        }
    };
    let serving = async {
        server.serve(&listener).await;
        server.stop.cancel();
    };
    tokio::select! {
        _all = async { tokio::join!(serving, telling, watching, server.notify()) } => {}
        () = async { interrupted.await; std::future::pending::<()>().await } => return Ok(ExitCode::SUCCESS),
    }
    let ended = server.end(server.stop_agents()).await;
    neighbours::take_card(&socket);
    // Last, so that whoever waits for the end of this server waits for all of it.
    drop(listener);
    ended?;
    if server.is_broken() {
        return Err("could not go on: a part of the server broke, see the log; agents go on".to_owned());
    }
    Ok(ExitCode::SUCCESS)
}

async fn tell(server: &Server, lines: Option<Json>) {
    let Some(json) = lines else {
        return std::future::pending().await;
    };
    out::problem(&format!(
        "watching {}; Ctrl-C ends the server, agents go on",
        server.session.place.root.display()
    ));
    let session = &server.session;
    narrate(&session.journal, &session.engine.read_models, QUIET, |line| {
        print_line(line, json);
    })
    .await;
}
