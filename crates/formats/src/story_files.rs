//! The files in which the progress of stories is kept: `state.json` and `history.md` (4.11), and the parts that are read of the standards
//! of a project. Texts go in and texts come out; the writer of the files writes them whole, or appends under a lock.

mod history;
mod projection;
mod record;
mod standards;
mod state;
mod templates;
mod test_names;

pub use history::{
    BlockEntry, CompletionEntry, HISTORY_HEADER, HistoryEntry, append_block, append_completion, read_history,
};
pub use projection::{OpenStory, RecordTexts, history_now, state_now};
pub use record::{
    ARCHIVE_FOLDER, DOCUMENTS, DoneStory, HISTORY_FILE, ReadStoryFile, STATE_FILE, WrittenFile, record_story,
};
pub use standards::testing_sections;
pub use state::{StoryState, StoryStateError, read_state, write_state};
pub use templates::STORY_TEMPLATES;
pub use test_names::{planned_test_names, test_names};
