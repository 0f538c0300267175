//! Story of a PRD, and the rules for each of its fields.

use super::model::{PrdDialect, PrdStory, StorySize};
use crate::finding::Findings;
use crate::json_findings::quoted;
use crate::json_object::JsonObject;
use crate::json_place::{JsonContent, JsonPlace};
use crate::nearest::nearest;

/// Most characters of a title, of a longer text, and of one criterion.
const MOST_TITLE: usize = 500;
const MOST_TEXT: usize = 20_000;
const MOST_CRITERION: usize = 2_000;
/// Most criteria of a story, and the number from which on it is better split.
const MOST_CRITERIA: usize = 100;
const MANY_CRITERIA: usize = 8;
const MOST_ID: usize = 64;

const FIELDS: [&str; 9] = [
    "id",
    "title",
    "description",
    "acceptanceCriteria",
    "nonFunctionalRequirements",
    "notes",
    "priority",
    "complexity",
    "passes",
];

/// Words for sizes; the two in the middle are those of the two dialects.
const SIZES: [(&str, StorySize); 4] = [
    ("simple", StorySize::Simple),
    ("medium", StorySize::Medium),
    ("moderate", StorySize::Medium),
    ("complex", StorySize::Complex),
];

/// Reads a story at `path`; nothing if it is not an object or has no id that can be used.
pub(super) fn read(
    value: &JsonPlace,
    path: &str,
    dialect: PrdDialect,
    found: &Findings<'_>,
) -> Option<PrdStory> {
    let object = JsonObject::read((value, path.to_owned()), ("a story", &FIELDS), found)?;
    let members = value.members().unwrap_or_default().iter();
    let unknown = members.filter(|(key, _)| !FIELDS.contains(&key.as_str()));
    let other = unknown.map(|(key, value)| (key.clone(), value.plain())).collect();
    let mut of = StoryReader {
        object,
        dialect,
        found,
    };
    let (id, title, text) = (of.id(), of.title(), of.description());
    let story = PrdStory {
        id: id.clone().unwrap_or_default(),
        title,
        text,
        criteria: of.criteria(),
        non_functional: of.texts("nonFunctionalRequirements"),
        notes: of.notes(),
        priority: of.priority(),
        size: of.size(),
        passes: of.passes(),
        line: of.found.line_of(value.start),
        other,
    };
    id.map(|_| story)
}

struct StoryReader<'a, 'b> {
    object: JsonObject<'a>,
    dialect: PrdDialect,
    found: &'a Findings<'b>,
}

impl<'a> StoryReader<'a, '_> {
    /// Returns a field that was given, and its path.
    fn field(&self, key: &str) -> (Option<&'a JsonPlace>, String) {
        (self.object.field(key), self.object.at(key))
    }

    fn missing(&mut self, key: &str, example: &str) {
        self.object.missing(key, example, self.found);
    }

    fn id(&mut self) -> Option<String> {
        let (Some(value), path) = self.field("id") else {
            self.missing("id", "\"id\": \"US-001\"");
            return None;
        };
        let id = self.found.text(value, &path, MOST_ID, true)?;
        let is_word = |text: &str| {
            text.chars()
                .all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter))
        };
        if id.is_empty() || !id.starts_with(|first: char| first.is_ascii_alphabetic()) || !is_word(&id) {
            let text = format!(
                "{} cannot be an id, because files are named after it; write letters, digits and hyphens, such as US-001",
                quoted(&id)
            );
            self.found.error_at("BAD_ID", value.start, &path, &text);
            return None;
        }
        let has_form = id.split_once('-').is_some_and(|(prefix, number)| {
            let known: &[&str] = match self.dialect {
                PrdDialect::Strict => &["US"],
                PrdDialect::Template => &["US", "BUG", "TECH"],
            };
            known.contains(&prefix) && number.len() == 3 && number.bytes().all(|digit| digit.is_ascii_digit())
        });
        if !has_form {
            let forms = match self.dialect {
                PrdDialect::Strict => "US-001",
                PrdDialect::Template => "US-001, BUG-001 or TECH-001",
            };
            let dialect = self.dialect.word();
            let text = format!(
                "the {dialect} schema writes an id like {forms}, not {}",
                quoted(&id)
            );
            self.found.warning_at("ID_FORM", value.start, &path, &text);
        }
        Some(id)
    }

    fn title(&mut self) -> String {
        let example = "a short \"title\"";
        self.required("title", example, (MOST_TITLE, true), 5..=100)
    }

    fn description(&mut self) -> String {
        let example = "a \"description\" of what a person gets";
        self.required("description", example, (MOST_TEXT, false), 20..=500)
    }

    /// Reads a text that may not be missing; the template dialect advises its length.
    fn required(
        &mut self,
        key: &str,
        example: &str,
        (most, is_one_line): (usize, bool),
        advised: std::ops::RangeInclusive<usize>,
    ) -> String {
        let (Some(value), path) = self.field(key) else {
            self.missing(key, example);
            return String::new();
        };
        let Some(text) = self.found.text(value, &path, most, is_one_line) else {
            return String::new();
        };
        let n = text.chars().count();
        if text.is_empty() {
            self.found.error_at("EMPTY", value.start, &path, "this is empty");
        } else if self.dialect == PrdDialect::Template && !advised.contains(&n) {
            let (least, most) = advised.into_inner();
            let text = format!("this has {n} characters; the template schema asks for {least} to {most}");
            self.found.warning_at("LENGTH", value.start, &path, &text);
        }
        text
    }

    fn criteria(&mut self) -> Vec<String> {
        let key = "acceptanceCriteria";
        let (Some(value), path) = self.field(key) else {
            self.missing(key, "a list with at least one \"acceptanceCriteria\"");
            return Vec::new();
        };
        let criteria = self.texts(key);
        match value.entries().map(<[JsonPlace]>::len) {
            Some(0) => {
                let text = "a story needs at least one criterion, because each becomes a test";
                self.found.error_at("NO_CRITERIA", value.start, &path, text);
            }
            Some(n) if (MANY_CRITERIA..=MOST_CRITERIA).contains(&n) => {
                let text = format!("{n} criteria are many for one story; splitting it may help");
                self.found.warning_at("MANY_CRITERIA", value.start, &path, &text);
            }
            _ => {}
        }
        criteria
    }

    /// Reads a list of texts; empty if it was not given.
    fn texts(&mut self, key: &str) -> Vec<String> {
        self.object
            .texts(key, (MOST_CRITERIA, MOST_CRITERION), self.found)
    }

    fn notes(&mut self) -> String {
        let (Some(value), path) = self.field("notes") else {
            return String::new();
        };
        if value.entries().is_some() {
            return self.texts("notes").join("\n");
        }
        self.found
            .text(value, &path, MOST_TEXT, false)
            .unwrap_or_default()
    }

    fn priority(&mut self) -> u32 {
        let middle = 3;
        let (Some(value), path) = self.field("priority") else {
            return middle;
        };
        let given = match &value.content {
            JsonContent::Number(number) => number.as_u64().and_then(|number| u32::try_from(number).ok()),
            _ => None,
        };
        let Some(priority) = given.filter(|priority| *priority > 0) else {
            let text = "this must be a whole number from 1 on; 1 comes first";
            self.found.error_at("BAD_PRIORITY", value.start, &path, text);
            return middle;
        };
        if self.dialect == PrdDialect::Template && priority > 5 {
            let text = format!("the template schema knows priorities from 1 to 5, not {priority}");
            self.found.warning_at("PRIORITY_RANGE", value.start, &path, &text);
        }
        priority
    }

    fn size(&mut self) -> StorySize {
        let (Some(value), path) = self.field("complexity") else {
            return StorySize::default();
        };
        let Some(word) = self.found.text(value, &path, MOST_TITLE, true) else {
            return StorySize::default();
        };
        let Some((word, size)) = SIZES.into_iter().find(|(known, _)| *known == word) else {
            let meant = nearest(&word.to_lowercase(), SIZES.map(|(word, _)| word));
            let meant = meant.map_or_else(String::new, |meant| format!("; did you mean {meant:?}?"));
            let text = format!(
                "{} is no complexity; write simple, medium (or moderate) or complex{meant}",
                quoted(&word)
            );
            self.found.error_at("BAD_COMPLEXITY", value.start, &path, &text);
            return StorySize::default();
        };
        let own = match self.dialect {
            PrdDialect::Strict => "medium",
            PrdDialect::Template => "moderate",
        };
        if size == StorySize::Medium && word != own {
            let dialect = self.dialect.word();
            let text = format!("{word:?} is read as {own:?}, the word of the {dialect} schema");
            self.found.warning_at("OTHER_DIALECT", value.start, &path, &text);
        }
        size
    }

    fn passes(&mut self) -> Option<bool> {
        let (value, path) = self.field("passes");
        let value = value?;
        let JsonContent::Switch(passes) = value.content else {
            let text = format!("this must be true or false, not {}", value.kind());
            self.found.error_at("WRONG_KIND", value.start, &path, &text);
            return None;
        };
        if self.dialect == PrdDialect::Template {
            let text = "this belongs to the strict schema; it is read all the same";
            self.found.warning_at("OTHER_DIALECT", value.start, &path, text);
        }
        Some(passes)
    }
}
