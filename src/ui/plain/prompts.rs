//! Prompts with stable numbers: a number means the same prompt for as long as that prompt waits, and is never given twice.

use crate::domain::Ask;
use crate::read_model::{AttentionKind, AttentionRow, AttentionSummary, as_question, unsaid};

/// Maximum number of new prompts printed one by one at a time; more are counted.
const MOST_PRINTED: usize = 9;

/// Numbered line of the plain client for one thing that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainPrompt {
    /// Number of the prompt, from 1.
    pub number: u32,
    /// The waiting item.
    pub about: AttentionRow,
}

/// All open prompts of the plain client; each keeps its number while it waits.
#[derive(Debug, Clone, Default)]
pub struct PlainPrompts {
    open: Vec<PlainPrompt>,
    last: u32,
}

impl PlainPrompts {
    /// Takes in the items that wait now; returns lines about those that came and those that are gone.
    pub fn update(&mut self, attention: &AttentionSummary) -> Vec<String> {
        let waits = |prompt: &PlainPrompt| attention.rows.iter().any(|row| same(row, &prompt.about));
        let (kept, gone): (Vec<PlainPrompt>, Vec<PlainPrompt>) =
            std::mem::take(&mut self.open).into_iter().partition(waits);
        let mut lines: Vec<String> = gone
            .iter()
            .map(|prompt| {
                let (number, item) = (prompt.number, &prompt.about.item);
                format!("{number} no longer waits: {} {}", item.task, item.kind)
            })
            .collect();
        self.open = kept;
        let known = self.open.len();
        for row in &attention.rows {
            if let Some(prompt) = self.open.iter_mut().find(|prompt| same(row, &prompt.about)) {
                prompt.about = row.clone();
            } else {
                self.last += 1;
                self.open.push(PlainPrompt {
                    number: self.last,
                    about: row.clone(),
                });
            }
        }
        let fresh = self.open.iter().skip(known);
        let more = self.open.len().saturating_sub(known + MOST_PRINTED);
        lines.extend(
            fresh
                .take(MOST_PRINTED)
                .map(|prompt| format!("needs you: {}", line(prompt))),
        );
        if more > 0 {
            lines.push(format!("needs you: {more} more; type inbox to see all"));
        }
        lines
    }

    /// Returns everything that waits, in lines.
    pub fn list(&self, attention: &AttentionSummary) -> Vec<String> {
        if self.open.is_empty() {
            return vec![nothing(attention)];
        }
        let mut lines = vec![match self.open.len() {
            1 => "1 thing needs you:".to_owned(),
            many => format!("{many} things need you:"),
        }];
        lines.extend(self.open.iter().map(line));
        lines
    }

    /// Returns the prompt of that number.
    pub fn get(&self, number: u32) -> Option<&PlainPrompt> {
        self.open.iter().find(|prompt| prompt.number == number)
    }
}

impl PlainPrompt {
    /// Returns the full text of the prompt, in lines.
    pub fn full_text(&self, attention: &AttentionSummary) -> Vec<String> {
        let (item, title) = (&self.about.item, &self.about.title);
        let stage = self.about.stage.as_ref();
        let stage = stage.map_or_else(String::new, |stage| format!(", in {stage}"));
        let mut lines = vec![
            format!("{}. {} {}: {title}{stage}", self.number, item.task, item.kind),
            item.text.clone(),
        ];
        if let (Some((agent, source)), Some(attempt)) = (&self.about.agent, item.attempt) {
            let age = attention.at.since(item.since);
            lines.push(format!(
                "{agent} works on it, attempt {attempt}; from {source}, {age} ago"
            ));
        }
        if let Some(finding) = &self.about.finding {
            lines.extend(unsaid(finding, &item.text).lines().map(str::to_owned));
        }
        lines.push(format!("Type {}", offers(self)));
        lines
    }
}

/// Returns one line about a prompt.
fn line(prompt: &PlainPrompt) -> String {
    let (number, item) = (prompt.number, &prompt.about.item);
    let who = prompt.about.agent.as_ref().map(|(agent, _)| format!("{agent} "));
    let what = match item.kind {
        AttentionKind::Permission => {
            format!("{}asks: {}", who.unwrap_or_default(), as_question(&item.text))
        }
        AttentionKind::Question => format!(
            "{}asks: {}{}",
            who.unwrap_or_default(),
            item.text,
            options(prompt)
        ),
        AttentionKind::Dialog => format!(
            "{}shows a dialog: {}{}",
            who.unwrap_or_default(),
            item.text,
            options(prompt)
        ),
        AttentionKind::Approval
        | AttentionKind::Gate
        | AttentionKind::Merge
        | AttentionKind::Held
        | AttentionKind::Failed => item.text.clone(),
    };
    let stop = if what.ends_with(['.', '?', '!']) { "" } else { "." };
    format!(
        "{number}. {} {}: {what}{stop} Type {}",
        item.task,
        item.kind,
        offers(prompt)
    )
}

/// Returns true if both rows are the same item, still waiting.
fn same(one: &AttentionRow, other: &AttentionRow) -> bool {
    let (one, other) = (&one.item, &other.item);
    (&one.task, one.attempt, one.kind, &one.text) == (&other.task, other.attempt, other.kind, &other.text)
}

/// Returns the answers that can be typed.
pub(super) fn offers(prompt: &PlainPrompt) -> String {
    let n = prompt.number;
    match prompt.about.item.kind {
        AttentionKind::Permission => format!("{n} yes, {n} no, {n} no WHY, {n} look"),
        AttentionKind::Question => format!("{n} ANSWER, {n} look"),
        AttentionKind::Dialog if !options(prompt).is_empty() => format!("{n} NUMBER, {n} look"),
        AttentionKind::Held if prompt.about.is_question => {
            format!("{n} retry ANSWER, {n} skip, {n} park WHY, {n} look")
        }
        AttentionKind::Dialog => format!("{n} look; answer it with dbs in the agent's terminal"),
        AttentionKind::Approval => format!("{n} yes, {n} no WHY, {n} skip"),
        AttentionKind::Gate | AttentionKind::Merge | AttentionKind::Held | AttentionKind::Failed => {
            format!("{n} retry, {n} retry NOTE, {n} skip, {n} park WHY, {n} look")
        }
    }
}

/// Returns the answers a question offers, with their numbers.
fn options(prompt: &PlainPrompt) -> String {
    let options = prompt.about.item.ask.as_ref().map(Ask::numbered_options);
    match options.as_deref() {
        None | Some("") => String::new(),
        Some(options) => format!(" ({options})"),
    }
}

fn nothing(attention: &AttentionSummary) -> String {
    if let Some(stall) = &attention.stall {
        return format!("Stalled: {}; {}", stall.text, stall.command());
    }
    attention.longest.as_ref().map_or_else(
        || "Nothing needs you. No agent is running.".to_owned(),
        |(task, since)| {
            let age = attention.at.since(*since);
            format!("Nothing needs you. Longest at work: {task} {age}.")
        },
    )
}
