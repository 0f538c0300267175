//! Story of a PRD, and the rules for each of its fields.

use super::model::{PrdDialect, PrdStory, StorySize};
use crate::json_object::{JsonField, JsonObject, TextLimit, meant, quoted};

/// Maximum number of characters of a title, of a longer text, and of one criterion.
const MOST_TITLE: usize = 500;
const MOST_TEXT: usize = 20_000;
const MOST_CRITERION: usize = 2_000;
/// Maximum number of criteria of a story, and the number from which on it is better split.
const MOST_CRITERIA: usize = 100;
const MANY_CRITERIA: usize = 8;
const MOST_ID: usize = 64;

const FIELDS: [&str; 11] = [
    "id",
    "title",
    "description",
    "acceptanceCriteria",
    "nonFunctionalRequirements",
    "notes",
    "priority",
    "complexity",
    "passes",
    "dependsOn",
    "depends_on",
];

/// Words for sizes; the two in the middle are those of the two dialects.
const SIZES: [(&str, StorySize); 4] = [
    ("simple", StorySize::Simple),
    ("medium", StorySize::Medium),
    ("moderate", StorySize::Medium),
    ("complex", StorySize::Complex),
];

/// Reads a story; `None` if it is not an object or has no id that can be used.
pub(super) fn read(entry: &JsonField<'_>, dialect: PrdDialect) -> Option<PrdStory> {
    let object = entry.clone().object("a story", &FIELDS)?;
    let members = entry.place.members().unwrap_or_default().iter();
    let unknown = members.filter(|(key, _)| !FIELDS.contains(&key.as_str()));
    let other = unknown.map(|(key, value)| (key.clone(), value.plain())).collect();
    let of = StoryReader { object, dialect };
    let id = of.id();
    let story = PrdStory {
        id: id.clone().unwrap_or_default(),
        title: of.required("title", "a short \"title\"", (MOST_TITLE, true), 5..=100),
        text: of.description(),
        criteria: of.criteria(),
        non_functional: of.texts("nonFunctionalRequirements"),
        notes: of.notes(),
        priority: of.priority(),
        size: of.size(),
        passes: of.passes(),
        needs: of.needs(),
        line: entry.line(),
        other,
    };
    id.map(|_| story)
}

struct StoryReader<'a> {
    object: JsonObject<'a>,
    dialect: PrdDialect,
}

impl StoryReader<'_> {
    fn id(&self) -> Option<String> {
        let field = self.object.needed_field("id", "\"id\": \"US-001\"")?;
        let id = field.text((MOST_ID, true))?;
        let is_word = |text: &str| {
            text.chars()
                .all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter))
        };
        if id.is_empty() || !id.starts_with(|first: char| first.is_ascii_alphabetic()) || !is_word(&id) {
            let text = format!(
                "{} cannot be an id, because files are named after it; write letters, digits and hyphens, such as US-001",
                quoted(&id)
            );
            field.error("BAD_ID", text);
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
            let dialect = self.dialect;
            let text = format!(
                "the {dialect} schema writes an id like {forms}, not {}",
                quoted(&id)
            );
            field.warning("ID_FORM", text);
        }
        Some(id)
    }

    fn description(&self) -> String {
        let example = "a \"description\" of what a person gets";
        self.required("description", example, (MOST_TEXT, false), 20..=500)
    }

    /// Reads a text that may not be missing; the template dialect advises its length.
    fn required(
        &self,
        key: &str,
        example: &str,
        limit: TextLimit,
        advised: std::ops::RangeInclusive<usize>,
    ) -> String {
        let Some(field) = self.object.needed_field(key, example) else {
            return String::new();
        };
        let text = field.filled(limit).unwrap_or_default();
        let n = text.chars().count();
        if n > 0 && self.dialect == PrdDialect::Template && !advised.contains(&n) {
            let (least, most) = advised.into_inner();
            let text = format!("this has {n} characters; the template schema asks for {least} to {most}");
            field.warning("LENGTH", text);
        }
        text
    }

    fn criteria(&self) -> Vec<String> {
        let key = "acceptanceCriteria";
        let example = "a list with at least one \"acceptanceCriteria\"";
        let Some(field) = self.object.needed_field(key, example) else {
            return Vec::new();
        };
        let criteria = self.texts(key);
        match field.place.entries().map(<[_]>::len) {
            Some(0) => {
                let text = "a story needs at least one criterion, because each becomes a test";
                field.error("NO_CRITERIA", text);
            }
            Some(n) if (MANY_CRITERIA..=MOST_CRITERIA).contains(&n) => {
                let text = format!("{n} criteria are many for one story; splitting it may help");
                field.warning("MANY_CRITERIA", text);
            }
            _ => {}
        }
        criteria
    }

    /// Reads a list of texts; empty if it was not given.
    fn texts(&self, key: &str) -> Vec<String> {
        self.object.texts(key, MOST_CRITERIA, MOST_CRITERION)
    }

    fn notes(&self) -> String {
        match self.object.field("notes") {
            Some(field) if field.place.entries().is_none() => {
                field.text((MOST_TEXT, false)).unwrap_or_default()
            }
            _ => self.texts("notes").join("\n"),
        }
    }

    fn priority(&self) -> u32 {
        let middle = 3;
        let Some(field) = self.object.field("priority") else {
            return middle;
        };
        let given = field.number().and_then(|number| u32::try_from(number).ok());
        let Some(priority) = given.filter(|priority| *priority > 0) else {
            let text = "this must be a whole number from 1 on; 1 comes first";
            field.error("BAD_PRIORITY", text);
            return middle;
        };
        if self.dialect == PrdDialect::Template && priority > 5 {
            let text = format!("the template schema knows priorities from 1 to 5, not {priority}");
            field.warning("PRIORITY_RANGE", text);
        }
        priority
    }

    /// Reads the ids of the stories it waits for; a single one may be a text.
    fn needs(&self) -> Vec<String> {
        let keys = ["dependsOn", "depends_on"].into_iter();
        let needs = keys.flat_map(|key| match self.object.field(key) {
            Some(field) if field.place.text().is_some() => field.text((MOST_ID, true)).into_iter().collect(),
            _ => self.object.texts(key, MOST_CRITERIA, MOST_ID),
        });
        needs.filter(|id| !id.is_empty()).collect()
    }

    fn size(&self) -> StorySize {
        let field = self.object.field("complexity");
        let word = field.as_ref().and_then(|field| field.text((MOST_TITLE, true)));
        let (Some(field), Some(word)) = (field, word) else {
            return StorySize::default();
        };
        let Some((word, size)) = SIZES.into_iter().find(|(known, _)| *known == word) else {
            let meant = meant(&word, SIZES.map(|(word, _)| word).into_iter());
            let text = format!(
                "{} is not a complexity; write simple, medium (or moderate) or complex{meant}",
                quoted(&word)
            );
            field.error("BAD_COMPLEXITY", text);
            return StorySize::default();
        };
        let own = match self.dialect {
            PrdDialect::Strict => "medium",
            PrdDialect::Template => "moderate",
        };
        if size == StorySize::Medium && word != own {
            let dialect = self.dialect;
            let text = format!("{word:?} is read as {own:?}, the word of the {dialect} schema");
            field.warning("OTHER_DIALECT", text);
        }
        size
    }

    fn passes(&self) -> Option<bool> {
        let field = self.object.field("passes")?;
        let passes = field.switch()?;
        if self.dialect == PrdDialect::Template {
            let text = "this belongs to the strict schema; it is read all the same";
            field.warning("OTHER_DIALECT", text);
        }
        Some(passes)
    }
}
