//! Variables in scenario texts. Values are put in once and never looked at again, and never reach a shell.

/// The names that are replaced.
pub const VARIABLES: [&str; 8] = [
    "task", "title", "branch", "base", "attempt", "n", "answer", "failures",
];

/// Replaces `{name}` by `value(name)` for the names of [`VARIABLES`]; `{{name}}` becomes a literal `{name}`. Braces
/// around anything else stay as they are.
pub fn expand(text: &str, value: impl Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let (before, from) = rest.split_at(start);
        out.push_str(before);
        let (taken, put) = match braced(from) {
            Some((Placeholder::Literal, name, length)) => (length, format!("{{{name}}}")),
            Some((Placeholder::Value, name, length)) if VARIABLES.contains(&name) => (length, value(name)),
            _ => (1, "{".to_owned()),
        };
        out.push_str(&put);
        rest = from.split_at(taken).1;
    }
    out.push_str(rest);
    out
}

/// Returns names in `{…}` that look like a variable and are not one.
pub fn unknown_variables(text: &str) -> Vec<&str> {
    let starts = text.match_indices('{').map(|(start, _)| text.split_at(start).1);
    starts
        .filter_map(braced)
        .filter(|(form, name, _)| *form == Placeholder::Value && !VARIABLES.contains(name))
        .map(|(_, name, _)| name)
        .collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placeholder {
    Value,
    Literal,
}

/// Returns the bare lower-case word in braces at the start of `text`, its form (once or twice braced), and its length in bytes.
fn braced(text: &str) -> Option<(Placeholder, &str, usize)> {
    let once = text.strip_prefix('{')?;
    let (form, inner, close) = match once.strip_prefix('{') {
        Some(inner) => (Placeholder::Literal, inner, "}}"),
        None => (Placeholder::Value, once, "}"),
    };
    let (name, after) = inner.split_at(inner.find(|c: char| !(c.is_ascii_lowercase() || c == '_'))?);
    let known = form == Placeholder::Value || VARIABLES.contains(&name);
    (known && !name.is_empty() && after.starts_with(close))
        .then(|| (form, name, name.len() + 2 * close.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(name: &str) -> String {
        match name {
            "task" => "a-1".into(),
            "title" => "say {task}; $(rm -rf .)".into(),
            "n" => "2".into(),
            _ => String::new(),
        }
    }

    #[test]
    fn known_names_are_replaced_and_everything_else_stays() {
        let table = [
            ("pages/{task}.md", "pages/a-1.md"),
            ("{task}{n}", "a-12"),
            ("{{task}}", "{task}"),
            ("fn main() {}", "fn main() {}"),
            ("{ task }", "{ task }"),
            ("{tas", "{tas"),
            ("{", "{"),
            ("{{", "{{"),
            ("{unknown}", "{unknown}"),
            ("{{unknown}}", "{{unknown}}"),
            ("a{é}{n}é", "a{é}2é"),
        ];
        for (text, expected) in table {
            assert_eq!(expand(text, value), expected, "{text}");
        }
    }

    #[test]
    fn a_value_is_not_expanded_again() {
        assert_eq!(expand("[{title}]", value), "[say {task}; $(rm -rf .)]");
    }

    #[test]
    fn unknown_names_are_found() {
        assert_eq!(unknown_variables("{task} {tsak} { x } {{n}}"), ["tsak"]);
    }
}
