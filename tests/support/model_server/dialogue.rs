//! Conversation with a model over any API: the speakers and their texts, in order.

/// Start of the mark that names a script: `[[script:NAME]]`.
const MARK: &str = "[[script:";

/// Part of a request that decides which reply comes next.
#[derive(Debug, Default)]
pub(super) struct Dialogue {
    /// Instructions of the model.
    pub(super) role: String,
    messages: Vec<(Speaker, String)>,
    /// True for a request beside the conversation, for a title or a summary. It repeats the user's messages, but the marks in them are not
    /// meant for it.
    pub(super) is_aside: bool,
}

/// Speaker of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    User,
    Model,
    Tool,
}

impl Dialogue {
    pub(super) fn new(role: String, is_aside: bool) -> Self {
        Self {
            role,
            messages: Vec::new(),
            is_aside,
        }
    }

    /// Adds a message. All parts that the model says in one turn count as one message.
    pub(super) fn push(&mut self, speaker: Speaker, text: &str) {
        match self.messages.last_mut() {
            Some((Speaker::Model, last)) if speaker == Speaker::Model => last.push_str(text),
            _ => self.messages.push((speaker, text.to_owned())),
        }
    }

    /// Returns the newest message of the user that names a script, with that name.
    pub(super) fn newest_marker(&self) -> Option<(usize, String)> {
        let messages = self.messages.iter().enumerate().rev();
        messages
            .filter(|(_, (speaker, _))| *speaker == Speaker::User)
            .find_map(|(at, (_, text))| Some((at, marker(text)?)))
    }

    /// Returns the script that the instructions name.
    pub(super) fn marker_of_role(&self) -> Option<String> {
        marker(&self.role)
    }

    /// Returns the index of the newest message of the user.
    pub(super) fn newest_of_user(&self) -> usize {
        let is_users = |(speaker, _): &(Speaker, String)| *speaker == Speaker::User;
        self.messages.iter().rposition(is_users).unwrap_or(0)
    }

    /// Returns how often the model spoke after this message.
    pub(super) fn turns_after(&self, at: usize) -> usize {
        let later = self.messages.iter().skip(at);
        later.filter(|(speaker, _)| *speaker == Speaker::Model).count()
    }
}

/// Returns the last name that a text marks.
fn marker(text: &str) -> Option<String> {
    let (_, rest) = text.rsplit_once(MARK)?;
    let (name, _) = rest.split_once("]]")?;
    Some(name.to_owned())
}
