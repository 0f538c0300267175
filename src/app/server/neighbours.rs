//! The other servers of this person: asked over their sockets; one that left its card and does not answer was cut off.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::app::client;
use crate::app::place::Place;
use crate::app::wire::{Answer, Call, FromClient, FromServer, Packet, Who};
use crate::read_model::{SessionRow, SessionState};

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// What a server leaves beside its socket: who was here, should it be cut off.
#[derive(Debug, Serialize, Deserialize)]
struct Card {
    name: String,
    root: String,
}

fn card_of(socket: &Path) -> PathBuf {
    socket.with_extension("json")
}

/// Leaves the card of a server that begins.
pub fn leave_card(place: &Place) {
    let card = Card {
        name: place.name.clone(),
        root: place.root.to_string_lossy().into_owned(),
    };
    let file = card_of(&place.socket);
    let text = serde_json::to_vec(&card).unwrap_or_default();
    if let Err(error) = std::fs::write(&file, text) {
        tracing::warn!("could not write {}: {error}", file.display());
    }
}

/// Takes the card away: the server ends as it should.
pub fn take_card(socket: &Path) {
    drop(std::fs::remove_file(card_of(socket)));
}

/// Every server of this person, the one that asks among them, by name. Blocks: call it from a blocking thread of a runtime.
pub(super) fn sessions(place: &Place) -> Vec<SessionRow> {
    let folder = place.socket.parent().unwrap_or(&place.root);
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let sockets = entries.map(|entry| entry.path());
    let sockets = sockets.filter(|path| path.extension().is_some_and(|end| end == "json"));
    let runtime = tokio::runtime::Handle::current();
    let mut found: Vec<SessionRow> = sockets
        .filter_map(|card| {
            let socket = card.with_extension("sock");
            let answer = runtime.block_on(who(&socket));
            answer.map_or_else(|| interrupted(&card), |who| Some(row(who, place)))
        })
        .collect();
    found.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.root.cmp(&b.root)));
    found
}

/// Names of the servers at these sockets, by their cards: nobody is asked.
pub fn names(sockets: &[PathBuf]) -> Vec<String> {
    let cards = sockets.iter().filter_map(|socket| {
        let card: Card = serde_json::from_slice(&std::fs::read(card_of(socket)).ok()?).ok()?;
        Some(card.name)
    });
    let mut names: Vec<String> = cards.collect();
    names.sort();
    names.dedup();
    names
}

fn row(who: Who, place: &Place) -> SessionRow {
    SessionRow {
        state: match who.clients {
            _ if Path::new(&who.root) == place.root => SessionState::Here,
            0 => SessionState::Detached,
            _ => SessionState::Running,
        },
        name: who.name,
        root: who.root,
        agents: who.agents,
        needs: who.needs,
        counts: who.counts,
        since: Some(who.since),
    }
}

fn interrupted(card: &Path) -> Option<SessionRow> {
    let card: Card = serde_json::from_slice(&std::fs::read(card).ok()?).ok()?;
    Path::new(&card.root).is_dir().then(|| SessionRow {
        name: card.name,
        root: card.root,
        state: SessionState::Interrupted,
        agents: 0,
        needs: 0,
        counts: BTreeMap::new(),
        since: None,
    })
}

async fn who(socket: &Path) -> Option<Who> {
    let ask = async {
        let (mut sender, mut receiver) = client::greet(socket).await.ok()?;
        let call = FromClient::Call(Box::new(Call::Who));
        client::say(&mut sender, &call).await.ok()?;
        match client::hear(&mut receiver).await.ok()? {
            Some(Packet::Said(FromServer::Answer(Answer::Who(who)))) => Some(who),
            _ => None,
        }
    };
    tokio::time::timeout(PATIENCE, ask).await.ok().flatten()
}
