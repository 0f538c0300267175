//! The parts of `standards.md` that are about tests (A28): everything needed to write tests, without the rest.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// Returns the sections whose heading names tests, each with its body and the sections below it, as they are in the text. Empty when there
/// is none. A heading in a block of code does not count.
pub fn testing_sections(standards: &str) -> String {
    let mut picked = String::new();
    let mut until: Option<(HeadingLevel, usize)> = None;
    for (level, start, title) in headings(standards) {
        // A section ends at the next heading that is not below its own.
        if let Some((own, from)) = until
            && level <= own
        {
            push(&mut picked, standards.get(from..start));
            until = None;
        }
        if until.is_none() && is_about_tests(&title) {
            until = Some((level, start));
        }
    }
    if let Some((_, from)) = until {
        push(&mut picked, standards.get(from..));
    }
    picked
}

fn push(picked: &mut String, section: Option<&str>) {
    let section = section.unwrap_or_default().trim_end();
    if !picked.is_empty() {
        picked.push('\n');
    }
    picked.push_str(section);
    picked.push('\n');
}

/// Returns true if a word of the title begins with `test` or ends with `tests`: test, tests, tested, testing.
fn is_about_tests(title: &str) -> bool {
    let title = title.to_lowercase();
    let mut words = title.split(|letter: char| !letter.is_alphanumeric());
    words.any(|word| word.starts_with("test") || word.ends_with("tests"))
}

/// Returns level, place and text of each heading.
fn headings(text: &str) -> Vec<(HeadingLevel, usize, String)> {
    let mut headings = Vec::new();
    let mut open: Option<(HeadingLevel, usize, String)> = None;
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => open = Some((level, range.start, String::new())),
            Event::Text(part) | Event::Code(part) => {
                if let Some((_, _, title)) = &mut open {
                    title.push_str(&part);
                }
            }
            Event::End(TagEnd::Heading(_)) => headings.extend(open.take()),
            _ => {}
        }
    }
    headings
}
