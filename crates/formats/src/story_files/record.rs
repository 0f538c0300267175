//! Changes of the files of a project once a story is done: `state.json`, `history.md`, its PRD, and the archive (A9, A18–A21, LA-3, LA-9).
//! Texts go in and come out; a second time changes nothing.

use std::path::Path;

use super::history::{self, BlockEntry, CompletionEntry};
use super::state::{StoryState, read_state, write_state};
use crate::prd::{self, PrdDocument, SetPassesError, set_passes};
use dbs_domain::Cause;

/// The state of the queue, at the root of a project.
pub const STATE_FILE: &str = "state.json";
/// Folder of the documents that stories are written by, at the root of a project.
pub const DOCUMENTS: &str = ".swanson";
/// The log of finished and stuck stories, at the root of a project.
pub const HISTORY_FILE: &str = "history.md";
/// Folder of PRDs whose stories all pass, in the folder of PRDs.
pub const ARCHIVE_FOLDER: &str = "archive";

/// A story that is done.
#[derive(Debug, Clone, Copy)]
pub struct DoneStory<'a> {
    /// Folder of PRDs, relative to the project.
    pub folder: &'a str,
    pub entry: &'a CompletionEntry<'a>,
    /// Times, in UTC, at which the story got stuck before, each with its reason.
    pub blocks: &'a [(String, String)],
    /// Sessions of its agents.
    pub sessions: u64,
}

/// Function that reads a file of the project by its path; nothing if there is none.
pub type ReadStoryFile<'a> = &'a dyn Fn(&str) -> Result<Option<String>, Cause>;

/// A file that is written, or removed when it has no text.
pub type WrittenFile = (String, Option<String>);

/// Returns the files that change when a story is done. `prds` are the names of the files in the folder of PRDs.
///
/// # Errors
/// When a file cannot be read, contradicts itself, or the PRD is missing; reads after "could not record the story:".
pub fn record_story(
    done: &DoneStory<'_>,
    prds: &[String],
    read: ReadStoryFile<'_>,
) -> Result<Vec<WrittenFile>, Cause> {
    let (folder, name) = (done.folder, done.entry.prd);
    let place = |name: &str| format!("{folder}/{name}");
    let old_history = read(HISTORY_FILE)?.unwrap_or_default();
    let Some(prd) = read(&place(name))? else {
        let is_known = history::read_history(&old_history)
            .iter()
            .any(|known| known.prd.as_deref() == Some(name) && known.story == done.entry.story);
        if is_known {
            return Ok(Vec::new());
        }
        return Err(format!("{} is not in the base any more; put it back", place(name)).into());
    };
    let marked = match set_passes(&prd, done.entry.story) {
        Ok(marked) => marked,
        // The template dialect keeps it only in the state.
        Err(SetPassesError::NoField(_)) => prd.clone(),
        Err(error) => return Err(format!("could not mark it in {}: {error}", place(name)).into()),
    };
    let old_state = read(STATE_FILE)?;
    let state = match &old_state {
        Some(text) => {
            read_state(text).map_err(|error| Cause::from(format!("could not read {STATE_FILE}: {error}")))?
        }
        None => StoryState::default(),
    };
    let document = prd::read(Path::new(name), &marked);
    let mut next = completed(state, &document, done);
    let is_whole = next.current_story.is_none();
    if is_whole {
        go_to_next_prd(&mut next, done, prds, read)?;
    }
    let new_history = appended(&old_history, done, next.session_count)?;
    if new_history == old_history {
        return Ok(Vec::new());
    }
    let new_state =
        write_state(&next).map_err(|error| Cause::from(format!("could not write {STATE_FILE}: {error}")))?;
    let mut files = vec![
        (STATE_FILE.to_owned(), Some(new_state)),
        (HISTORY_FILE.to_owned(), Some(new_history)),
    ];
    if is_whole {
        files.push((place(&format!("{ARCHIVE_FOLDER}/{name}")), Some(marked)));
        files.push((place(name), None));
    } else if marked != prd {
        files.push((place(name), Some(marked)));
    }
    Ok(files)
}

/// Returns the state behind the story: it is done, and the next one of its PRD is current, if there is one.
fn completed(state: StoryState, prd: &PrdDocument, done: &DoneStory<'_>) -> StoryState {
    let name = done.entry.prd;
    let is_other = state.current_prd.as_deref() != Some(name);
    let known = if is_other {
        Vec::new()
    } else {
        state.completed_stories
    };
    let is_done = |id: &str| known.iter().any(|known| known == id) || id == done.entry.story;
    let mut next = StoryState {
        last_updated: done.entry.at.to_owned(),
        session_count: state.session_count.saturating_add(done.sessions),
        other: state.other,
        ..StoryState::default()
    };
    go_to_prd(&mut next, name, prd, is_done);
    next
}

/// Makes a PRD and its first open story current; `is_done` names stories that do not pass by the PRD.
pub(super) fn go_to_prd(
    state: &mut StoryState,
    name: &str,
    prd: &PrdDocument,
    is_done: impl Fn(&str) -> bool,
) {
    let stories = prd.in_order().into_iter();
    let (over, open): (Vec<_>, Vec<_>) =
        stories.partition(|story| story.passes == Some(true) || is_done(&story.id));
    let mut open = open.into_iter().map(|story| story.id.clone());
    state.current_prd = Some(name.to_owned());
    state.current_story = open.next();
    state.remaining_stories = open.collect();
    state.completed_stories = over.into_iter().map(|story| story.id.clone()).collect();
}

/// Moves to the first PRD of the queue with open stories, other than the one that is complete (A20).
fn go_to_next_prd(
    state: &mut StoryState,
    done: &DoneStory<'_>,
    prds: &[String],
    read: ReadStoryFile<'_>,
) -> Result<(), Cause> {
    let mut names: Vec<&String> = prds.iter().filter(|name| *name != done.entry.prd).collect();
    names.sort();
    for name in names {
        let Some(text) = read(&format!("{}/{name}", done.folder))? else {
            continue;
        };
        go_to_prd(state, name, &prd::read(Path::new(name), &text), |_| false);
        if state.current_story.is_some() {
            return Ok(());
        }
    }
    state.current_prd = None;
    state.completed_stories = Vec::new();
    Ok(())
}

/// Returns the history with the end of the story; unchanged if it has that entry already.
fn appended(old: &str, done: &DoneStory<'_>, session: u64) -> Result<String, Cause> {
    let wrong = |error| Cause::from(format!("could not write {HISTORY_FILE}: {error}"));
    let entry = CompletionEntry {
        session,
        ..done.entry.clone()
    };
    let whole = history::append_completion(old, &entry).map_err(wrong)?;
    if whole == old {
        return Ok(whole);
    }
    let mut text = old.to_owned();
    for (at, reason) in done.blocks {
        let block = BlockEntry {
            at,
            prd: entry.prd,
            story: entry.story,
            title: entry.title,
            reason,
            session,
        };
        text = history::append_block(&text, &block).map_err(wrong)?;
    }
    history::append_completion(&text, &entry).map_err(wrong)
}
