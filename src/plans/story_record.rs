//! Record of the stories of a project while they are worked on: `state.json` and `history.md` of the base, with what the board knows of
//! stories that are not on the base yet.

use crate::adapters::stories::utc;
use crate::domain::{Cause, Task, TaskState, Timestamp};
use crate::formats::story_files::{
    HISTORY_FILE, OpenStory, RecordTexts, STATE_FILE, history_now, read_state, state_now,
};
use crate::ports::git::{BranchName, CommitFile, CommitId, Git, Head, Revision};

/// Maximum bytes of a file that is read.
const LARGEST: usize = 1024 * 1024;

/// Record of the stories on the base.
#[derive(Debug, Default)]
pub struct BaseRecord {
    commit: Option<CommitId>,
    state: Option<String>,
    history: Option<String>,
}

impl BaseRecord {
    /// Reads the record of a base branch, as the remote has it.
    ///
    /// # Errors
    /// When the remote or git cannot be asked; for people.
    pub fn read(git: &dyn Git, base: Option<&str>) -> Result<BaseRecord, Cause> {
        let Some(base) = base else {
            return Ok(BaseRecord::default());
        };
        let branch = BranchName::new(base).map_err(|error| Cause::from(error.to_string()))?;
        match git.resolve(&Revision::RemoteBranch(branch)) {
            Head::Absent => Ok(BaseRecord::default()),
            Head::Unknown(why) => Err(why.after("could not look for the base: ")),
            Head::At(commit) => BaseRecord::at(git, commit),
        }
    }

    /// Reads the record in a commit.
    ///
    /// # Errors
    /// When git cannot be asked, or a file is none; for people.
    pub fn at(git: &dyn Git, commit: CommitId) -> Result<BaseRecord, Cause> {
        Ok(BaseRecord {
            state: text(git, &commit, STATE_FILE)?,
            history: text(git, &commit, HISTORY_FILE)?,
            commit: Some(commit),
        })
    }

    /// Returns the text of a file of the base; empty if there is none.
    pub fn text(&self, git: &dyn Git, path: &str) -> String {
        let read = self.commit.as_ref().map(|commit| text(git, commit, path));
        read.and_then(Result::ok).flatten().unwrap_or_default()
    }
}

fn text(git: &dyn Git, commit: &CommitId, path: &str) -> Result<Option<String>, Cause> {
    match git.file_at(commit, path, LARGEST) {
        Ok(CommitFile::Text(text)) if !text.truncated => Ok(Some(text.text)),
        Ok(CommitFile::Absent) => Ok(None),
        Ok(CommitFile::Text(_) | CommitFile::NoFile) => {
            Err(format!("could not read {path} of the base: it is too large, or no file").into())
        }
        Err(error) => Err(error.cause().after("could not ")),
    }
}

/// Sources of the record: the base, the checkout's own files, and the stories of the board.
pub struct StoryRecord<'a> {
    pub base: &'a BaseRecord,
    pub state: Option<&'a str>,
    pub history: Option<&'a str>,
    pub stories: Vec<&'a Task>,
}

/// Texts of the record; `None` if there is nothing to tell.
#[derive(Debug, PartialEq, Eq)]
pub struct RecordedTexts {
    pub state: Option<String>,
    pub history: Option<String>,
}

impl StoryRecord<'_> {
    /// Returns the record at this time. `prd` returns the text of a PRD by its path in the project.
    ///
    /// # Errors
    /// When a file is not understood, which is not written over then; for people.
    pub fn now(&self, prd: &dyn Fn(&str) -> String, at: Timestamp) -> Result<RecordedTexts, Cause> {
        let wrong = |file: &'static str| {
            move |error| Cause::from(format!("could not tell the state of stories in {file}: {error}"))
        };
        let open: Vec<OpenStory> = self.stories.iter().filter_map(|task| open_story(task)).collect();
        let text_of = |name: &str| {
            let sources = self.stories.iter().filter_map(|task| task.plan.as_ref());
            let mut paths = sources.map(|plan| plan.source.plan.as_str());
            paths
                .find(|path| file_name(path) == name)
                .map_or_else(String::new, prd)
        };
        let state = RecordTexts {
            base: self.base.state.as_deref(),
            own: self.state,
        };
        let history = RecordTexts {
            base: self.base.history.as_deref(),
            own: self.history,
        };
        let before = state.base.and_then(|text| read_state(text).ok());
        let sessions = before.map_or(0, |state| state.session_count);
        let history = history_now(history, &open, sessions).map_err(wrong(HISTORY_FILE))?;
        Ok(RecordedTexts {
            state: state_now(state, &open, &text_of, &utc(at)).map_err(wrong(STATE_FILE))?,
            history: Some(history).filter(|text| !text.is_empty()),
        })
    }
}

fn open_story(task: &Task) -> Option<OpenStory> {
    let plan = task.plan.as_ref()?;
    let tests = plan.tests.as_ref()?;
    let work = &task.record.work;
    let is_open = !matches!(task.state, TaskState::Done | TaskState::Cancelled);
    let stuck = work.stuck.iter();
    is_open.then(|| OpenStory {
        prd: file_name(&plan.source.plan).to_owned(),
        id: tests.id.clone(),
        title: task.title.clone(),
        is_at_work: matches!(task.state, TaskState::Active | TaskState::Verifying),
        sessions: work.sessions.into(),
        blocks: stuck.map(|stuck| (utc(stuck.at), stuck.why.clone())).collect(),
    })
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}
