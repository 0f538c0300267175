//! The one place that knows the template language: checks a block and puts values into it. A missing value is an error, and so is one that
//! is there and empty if its text is wanted.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior, Value, escape_formatter};

/// Maximum number of steps of one block; a loop over all possible entries takes a small part of them.
const FUEL: u64 = 200_000;

/// Fault of a block that is not a template, or has no value for one of its places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TemplateFault {
    /// Line, counted from 1; 0 when it is not known.
    pub(super) line: usize,
    /// A lower-case sentence without a full stop.
    pub(super) text: String,
}

/// Checks that the text of a block can be read.
///
/// # Errors
/// When it cannot be read, with the line of the fault.
pub(super) fn check(text: &str) -> Result<(), TemplateFault> {
    let environment = environment().map_err(|error| fault(&error, text))?;
    let read = environment.template_from_str(text);
    read.map(drop).map_err(|error| fault(&error, text))
}

/// Returns the text of a block with these values put in.
///
/// # Errors
/// When something is wrong or missing, with its line.
pub(super) fn render(text: &str, values: &serde_json::Value) -> Result<String, TemplateFault> {
    let environment = environment().map_err(|error| fault(&error, text))?;
    let read = environment.template_from_str(text);
    let rendered = read.and_then(|block| block.render(Value::from(Serde(values))));
    rendered.map_err(|error| fault(&error, text))
}

/// Returns a text of this program for an agent, with these values put in.
///
/// # Errors
/// When a value is missing, with its line; for people.
pub fn fill(text: &str, values: &serde_json::Value) -> Result<String, String> {
    render(text, values).map_err(|TemplateFault { line, text }| {
        format!("could not write the text for an agent: line {line}: {text}")
    })
}

/// Builds an environment with nothing but values, loops and conditions: no functions, no filters, no other templates.
fn environment() -> Result<Environment<'static>, Error> {
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    environment.set_debug(true);
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build()?;
    environment.set_syntax(syntax);
    environment.set_formatter(|out, state, value| {
        if value.is_none() {
            return Err(Error::new(ErrorKind::UndefinedError, "it has no value"));
        }
        escape_formatter(out, state, value)
    });
    Ok(environment)
}

fn fault(error: &Error, text: &str) -> TemplateFault {
    let named = error.range().and_then(|range| text.get(range)).map(str::trim);
    let named = named.filter(|named| !named.is_empty() && !named.contains('\n'));
    let text = match (error.kind(), named) {
        (ErrorKind::UndefinedError, Some(named)) => format!("there is no value for `{named}`"),
        (ErrorKind::OutOfFuel, _) => "it takes too many steps: make it shorter".to_owned(),
        (kind, _) => match error.detail() {
            Some(detail) => format!("{kind}: {detail}"),
            None => kind.to_string(),
        },
    };
    TemplateFault {
        line: error.line().unwrap_or_default(),
        text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> (usize, String) {
        let values = serde_json::json!({ "task": { "id": "t-1", "none": null }, "many": [1, 2] });
        let fault = render(text, &values).unwrap_err();
        (fault.line, fault.text)
    }

    #[test]
    fn a_missing_value_is_named_with_its_line() {
        assert_eq!(
            faults("a\n{{ task.id }}\n{{ task.titel }}"),
            (3, "there is no value for `task.titel`".to_owned())
        );
        assert_eq!(
            faults("{{ nothing }}"),
            (1, "there is no value for `nothing`".to_owned())
        );
        assert_eq!(
            faults("\n{% if task.nope %}x{% endif %}"),
            (2, "there is no value for `task.nope`".to_owned())
        );
        assert_eq!(
            faults("a\n{{ task.none }}"),
            (2, "there is no value for `task.none`".to_owned())
        );
    }

    #[test]
    fn a_block_that_has_no_end_is_stopped() {
        let loops = "{% for a in many %}".repeat(18) + "x" + &"{% endfor %}".repeat(18);
        assert!(
            faults(&loops).1.contains("too many steps"),
            "{:?}",
            faults(&loops)
        );
    }

    #[test]
    fn what_is_no_template_is_refused_before_it_is_used() {
        let fault = check("a\n{% if x %}").unwrap_err();
        assert_eq!(fault.line, 2, "{fault:?}");
        assert!(check("{% include 'x' %}").is_err());
        assert!(check("{{ a }} {# b #}").is_ok());
    }

    #[test]
    fn values_are_put_in_as_they_are_and_never_read_again() {
        let values = serde_json::json!({ "a": "{{ b }} <&> {% if %}" });
        assert_eq!(render("{{ a }}", &values).unwrap(), "{{ b }} <&> {% if %}");
    }
}
