//! The one change that is made to a PRD: a passing story is marked as such.

use thiserror::Error;

use crate::json_place::{self, JsonContent};
use crate::text_edit::edited;

/// Error of setting the field `passes` of a story; each reads after "could not mark the story as passing:".
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SetPassesError {
    /// The text is not a PRD that can be read.
    #[error("the PRD is not readable any more: {0}; fix the file")]
    Unreadable(String),
    /// No story, or more than one, has that id.
    #[error("the PRD has {0} stories with the id {1:?}, not one; fix the file")]
    NotOneStory(usize, String),
    /// The story has no field for passing, as in the template dialect.
    #[error("story {0:?} has no field \"passes\"; add \"passes\": false to have it kept here, too")]
    NoField(String),
    /// The field appears twice or is neither true nor false.
    #[error("the field \"passes\" of story {0:?} is not one value of true or false; fix the file")]
    NotASwitch(String),
}

/// Returns the text with `passes` of that story true, and every other byte as it was. A story that passes already leaves the text as it is;
/// nothing here ever makes it false (LA-17).
///
/// # Errors
/// See [`SetPassesError`].
pub fn set_passes(text: &str, story: &str) -> Result<String, SetPassesError> {
    let root = json_place::parse(text).map_err(|fault| SetPassesError::Unreadable(fault.text))?;
    let stories = root.member("userStories").and_then(|stories| stories.entries());
    let stories = stories.unwrap_or_default().iter();
    let of_id = stories.filter(|one| one.member("id").and_then(|id| id.text()).map(str::trim) == Some(story));
    let found: Vec<_> = of_id.collect();
    let [one] = found.as_slice() else {
        return Err(SetPassesError::NotOneStory(found.len(), story.to_owned()));
    };
    let members = one.members().unwrap_or_default().iter();
    let fields: Vec<_> = members.filter(|(key, _)| key == "passes").collect();
    let [(_, field)] = fields.as_slice() else {
        return Err(if fields.is_empty() {
            SetPassesError::NoField(story.to_owned())
        } else {
            SetPassesError::NotASwitch(story.to_owned())
        });
    };
    match field.content {
        JsonContent::Switch(true) => Ok(text.to_owned()),
        JsonContent::Switch(false) => {
            let edit = (field.start..field.end, "true".to_owned());
            Ok(edited(text, std::iter::once(edit)))
        }
        _ => Err(SetPassesError::NotASwitch(story.to_owned())),
    }
}
