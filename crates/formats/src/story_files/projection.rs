//! `state.json` and `history.md` as they are while stories are worked on (A18, A21): the record of the base, and what is known beyond it.

use std::collections::BTreeSet;
use std::path::Path;

use super::history::{self, BlockEntry};
use super::record::go_to_prd;
use super::state::{StoryState, StoryStateError, read_state, write_state};
use crate::prd;

/// Story whose work is not on the base yet.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpenStory {
    /// File name of its PRD.
    pub prd: String,
    pub id: String,
    pub title: String,
    pub is_at_work: bool,
    /// Sessions of its agents so far.
    pub sessions: u64,
    /// Times, in UTC, at which it got stuck, each with its reason.
    pub blocks: Vec<(String, String)>,
}

/// A file of the record: its text on the base, and the one in the checkout.
#[derive(Debug, Clone, Copy, Default)]
pub struct RecordTexts<'a> {
    pub base: Option<&'a str>,
    pub own: Option<&'a str>,
}

/// Returns the text of `state.json` while these stories are open; `None` if there is nothing to tell. `prd` returns the text of a PRD by
/// its file name. Fields of the checkout's file that are not known stay in it.
///
/// # Errors
/// When one of the texts is not understood: such a file is never written over.
pub fn state_now(
    texts: RecordTexts<'_>,
    open: &[OpenStory],
    prd: &dyn Fn(&str) -> String,
    at: &str,
) -> Result<Option<String>, StoryStateError> {
    let own = texts.own.map(read_state).transpose()?;
    let at_work = open.iter().find(|story| story.is_at_work);
    let Some(first) = at_work.or_else(|| open.iter().min()) else {
        return Ok(texts.base.map(str::to_owned));
    };
    let base = texts.base.map(read_state).transpose()?.unwrap_or_default();
    let is_same = base.current_prd.as_ref() == Some(&first.prd);
    let done: BTreeSet<&String> = base.completed_stories.iter().filter(|_| is_same).collect();
    let sessions = open.iter().map(|story| story.sessions);
    let mut now = StoryState {
        last_updated: at.to_owned(),
        session_count: sessions.fold(base.session_count, u64::saturating_add),
        other: own.as_ref().map_or(base.other, |own| own.other.clone()),
        ..StoryState::default()
    };
    let document = prd::read(Path::new(&first.prd), &prd(&first.prd));
    let is_done = |id: &str| done.iter().any(|done| *done == id);
    go_to_prd(&mut now, &first.prd, &document, is_done);
    if let Some(story) = at_work {
        make_current(&mut now, &story.id);
    }
    // The time alone is no news.
    let is_news = own.is_none_or(|own| {
        StoryState {
            last_updated: at.to_owned(),
            ..own
        } != now
    });
    if is_news {
        write_state(&now).map(Some)
    } else {
        Ok(texts.own.map(str::to_owned))
    }
}

/// Makes a story current; the one that was is the next.
fn make_current(state: &mut StoryState, id: &str) {
    if state.current_story.as_deref() == Some(id) {
        return;
    }
    for list in [&mut state.remaining_stories, &mut state.completed_stories] {
        list.retain(|known| known != id);
    }
    let before = state.current_story.replace(id.to_owned());
    state.remaining_stories.splice(0..0, before);
}

/// Returns the text of `history.md` while these stories are open: entries of the base and of blocks that the checkout's file lacks are added
/// to it, and nothing else of it changes. `sessions` counts those before the open stories.
///
/// # Errors
/// When a time is not a time in UTC.
pub fn history_now(
    texts: RecordTexts<'_>,
    open: &[OpenStory],
    sessions: u64,
) -> Result<String, StoryStateError> {
    let mut blocks: Vec<(&OpenStory, &(String, String))> = Vec::new();
    for story in open {
        blocks.extend(story.blocks.iter().map(|block| (story, block)));
    }
    blocks.sort_by_key(|(_, (at, _))| at);
    let mut whole = texts.base.unwrap_or_default().to_owned();
    for (story, (at, reason)) in blocks {
        let entry = BlockEntry {
            at,
            prd: &story.prd,
            story: &story.id,
            title: &story.title,
            reason,
            session: sessions.saturating_add(story.sessions),
        };
        whole = history::append_block(&whole, &entry)?;
    }
    Ok(texts
        .own
        .map_or(whole.clone(), |own| history::with_missing(own, &whole)))
}
