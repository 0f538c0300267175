//! The sessions of this person: their servers, asked over their sockets, and those that left a card and do not answer: cut off.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use atomic_write_file::AtomicWriteFile;
use serde::{Deserialize, Serialize};

use crate::adapters::clock;
use crate::config::edge::Edge;
use crate::config::place::{Place, sockets};
use crate::protocol::connection;
use crate::protocol::wire::{Answer, Call, FromClient, FromServer, Packet, Who};
use crate::read_model::{SessionRow, SessionState};

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// What a server leaves beside its socket: who is here, should it be cut off. When it was written or [`touched`](touch) is when
/// somebody was last there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// Name of the session.
    pub name: String,
    /// Root of the project.
    pub root: String,
}

/// A session as it was found.
#[derive(Debug)]
pub enum Neighbour {
    /// Its server answers.
    Answers(Who),
    /// Its server was cut off; its agents may go on.
    CutOff(Card),
}

impl Neighbour {
    /// Name of the session.
    pub fn name(&self) -> &str {
        match self {
            Neighbour::Answers(who) => &who.name,
            Neighbour::CutOff(card) => &card.name,
        }
    }

    /// Root of the project.
    pub fn root(&self) -> &str {
        match self {
            Neighbour::Answers(who) => &who.root,
            Neighbour::CutOff(card) => &card.root,
        }
    }

    /// As a row of the list; `place` is the session that asks.
    fn row(self, place: &Place) -> SessionRow {
        match self {
            Neighbour::Answers(who) => SessionRow {
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
            },
            Neighbour::CutOff(card) => SessionRow {
                name: card.name,
                root: card.root,
                state: SessionState::Interrupted,
                agents: 0,
                needs: 0,
                counts: BTreeMap::new(),
                since: None,
            },
        }
    }
}

fn card_of(socket: &Path) -> PathBuf {
    socket.with_extension("json")
}

fn read_card(socket: &Path) -> Option<Card> {
    serde_json::from_slice(&fs::read(card_of(socket)).ok()?).ok()
}

/// Leaves the card of a server that begins, or that is called something else now.
pub fn leave_card(place: &Place, name: &str) {
    let card = Card {
        name: name.to_owned(),
        root: place.root.to_string_lossy().into_owned(),
    };
    let file = card_of(&place.socket);
    let text = serde_json::to_vec(&card).unwrap_or_default();
    let written = AtomicWriteFile::open(&file).and_then(|mut out| {
        out.write_all(&text)?;
        out.commit()
    });
    if let Err(error) = written {
        tracing::warn!("could not write {}: {error}", file.display());
    }
}

/// Takes the card away: the server ends as it should.
pub fn take_card(socket: &Path) {
    drop(fs::remove_file(card_of(socket)));
}

/// Somebody comes to that session now; [`last`] finds it again.
pub fn touch(place: &Place) {
    let now = UNIX_EPOCH + Duration::from_millis(clock::now().0);
    let card = File::options().append(true).open(card_of(&place.socket));
    // A session that cannot be marked is still there by its name.
    drop(card.and_then(|card| card.set_modified(now)));
}

/// All of them for the list of one, by name. Blocks: call it from a blocking thread of a runtime.
pub fn rows(place: &Place) -> Vec<SessionRow> {
    let folder = place.socket.parent().unwrap_or(&place.root);
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let cards = entries.map(|entry| entry.path());
    let cards = cards.filter(|path| path.extension().is_some_and(|end| end == "json"));
    let sockets: Vec<PathBuf> = cards.map(|card| card.with_extension("sock")).collect();
    let runtime = tokio::runtime::Handle::current();
    let found = at(&sockets, |socket| runtime.block_on(who(socket)));
    found.into_iter().map(|one| one.row(place)).collect()
}

/// All of them, by name.
///
/// # Errors
/// When no socket can be asked at all.
pub fn all(edge: &Edge) -> Result<Vec<Neighbour>, String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("could not start: {error}"))?;
    Ok(at(&sockets(&edge.runtime), |socket| {
        runtime.block_on(who(socket))
    }))
}

fn at(sockets: &[PathBuf], ask: impl Fn(&Path) -> Option<Who>) -> Vec<Neighbour> {
    let cut_off = |socket: &Path| {
        let card = read_card(socket).filter(|card| Path::new(&card.root).is_dir());
        card.map(Neighbour::CutOff)
    };
    let mut found: Vec<Neighbour> = sockets
        .iter()
        .filter_map(|socket| ask(socket).map(Neighbour::Answers).or_else(|| cut_off(socket)))
        .collect();
    found.sort_by(|a, b| (a.name(), a.root()).cmp(&(b.name(), b.root())));
    found
}

/// The root of the one session that is called that, or lies there.
///
/// # Errors
/// When there is none, or several are called so. For people.
pub fn called(edge: &Edge, name: &str) -> Result<PathBuf, String> {
    let mut found = all(edge)?;
    found.retain(|one| one.name() == name || one.root() == name);
    match found.as_slice() {
        [] => Err(format!(
            "could not find a session called {name}; `dbs sessions` lists all"
        )),
        [only] => Ok(PathBuf::from(only.root())),
        several => {
            let roots: Vec<&str> = several.iter().map(Neighbour::root).collect();
            Err(format!(
                "could not choose: {} sessions are called {name}; name the folder instead: {}",
                several.len(),
                roots.join(", ")
            ))
        }
    }
}

/// Whether that project's server left its card behind.
pub fn is_cut_off(place: &Place) -> bool {
    read_card(&place.socket).is_some()
}

/// The root of the session that somebody was at last, by the cards: nobody is asked.
pub fn last(edge: &Edge) -> Option<PathBuf> {
    let sockets = sockets(&edge.runtime).into_iter();
    let known = sockets.filter_map(|socket| {
        let card = read_card(&socket).filter(|card| Path::new(&card.root).is_dir())?;
        let at: SystemTime = fs::metadata(card_of(&socket)).ok()?.modified().ok()?;
        Some((at, PathBuf::from(card.root)))
    });
    known.max().map(|(_, root)| root)
}

/// Names of the servers at these sockets, by their cards: nobody is asked.
pub fn names(sockets: &[PathBuf]) -> Vec<String> {
    let cards = sockets.iter().filter_map(|socket| read_card(socket));
    let mut names: Vec<String> = cards.map(|card| card.name).collect();
    names.sort();
    names.dedup();
    names
}

async fn who(socket: &Path) -> Option<Who> {
    let ask = async {
        let (mut sender, mut receiver) = connection::greet(socket).await.ok()?;
        let call = FromClient::Call(Box::new(Call::Who));
        connection::say(&mut sender, &call).await.ok()?;
        match connection::hear(&mut receiver).await.ok()? {
            Some(Packet::Said(FromServer::Answer(Answer::Who(who)))) => Some(who),
            _ => None,
        }
    };
    tokio::time::timeout(PATIENCE, ask).await.ok().flatten()
}
