//! Program or variable whose lack made a command fail, by its output.

use std::fmt;

use crate::environment::{HiddenReason, HiddenVariable};

/// Program or variable that a failed command lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingPart {
    /// Program that is in none of the folders of `PATH`.
    Program(String),
    /// Variable of the shell that the settings keep from commands.
    Hidden(HiddenVariable),
    /// Variable that the shell does not have.
    Unset(String),
}

/// Texts that follow the name of a variable that is not set.
const BEHIND_NAME: &[&str] = &[
    ": unbound variable",
    ": parameter not set",
    ": parameter null or not set",
    " is not set",
    " not set",
    " must be set",
    " is required",
    " is undefined",
    " is not defined",
    " is missing",
];

/// Texts in front of the name of a variable that is not set.
const BEFORE_NAME: &[&str] = &[
    "keyerror: ",
    "missing environment variable ",
    "missing environment variable: ",
    "missing required environment variable ",
    "missing required environment variable: ",
    "environment variable not found: ",
    "environment variable ",
    "env var ",
];

/// Words between the name of a variable and the rest of the sentence.
const BETWEEN: &[&str] = &[" environment variable", " env variable", " env var", " variable"];

/// Signs around names.
const MARKS: [char; 9] = ['\'', '"', '`', '‘', '’', '$', '{', '}', ':'];

/// Maximum length of a name that is shown, in bytes: the output is not trusted.
const LONGEST: usize = 64;

impl MissingPart {
    /// Finds the missing part in the output of a command that failed; `is_set` says whether the command had a variable of that name.
    pub fn find(
        output: &str,
        hidden: &[HiddenVariable],
        is_set: impl Fn(&str) -> bool,
    ) -> Option<MissingPart> {
        let of = |name: &str| hidden.iter().find(|known| known.name == name).cloned();
        let unset: Vec<String> = output
            .lines()
            .filter_map(unset_variable)
            .filter(|name| !is_set(name))
            .collect();
        let is_hidden = unset.iter().find_map(|name| of(name)).map(MissingPart::Hidden);
        let program = || output.lines().find_map(missing_program).map(MissingPart::Program);
        let named = || {
            let mut words = output.split(|c: char| !is_of_name(c));
            words.find_map(of).map(MissingPart::Hidden)
        };
        is_hidden
            .or_else(program)
            .or_else(|| unset.first().cloned().map(MissingPart::Unset))
            .or_else(named)
    }
}

impl fmt::Display for MissingPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MissingPart::Program(name) => {
                write!(f, "the program {name} is in none of the folders of its PATH")
            }
            MissingPart::Hidden(HiddenVariable { name, reason }) => {
                let way = match reason {
                    HiddenReason::Setting => "environment.hide names it",
                    _ => "name it in environment.pass if it needs it",
                };
                write!(
                    f,
                    "its output names {name}, which your shell has and it does not get; {way}"
                )
            }
            MissingPart::Unset(name) => write!(
                f,
                "{name} is not set in the environment that the server was started with; start it where {name} is set (`dbs restart`), \
                 or name it in environment.set"
            ),
        }
    }
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns the text if it is the name of a variable as environments have them.
fn variable(text: &str) -> Option<String> {
    let is_upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let fits = text.len() > 2 && text.len() <= LONGEST && text.chars().all(is_upper);
    (fits && text.starts_with(|c: char| c.is_ascii_uppercase())).then(|| text.to_owned())
}

/// Returns the variable that a line says is not set.
fn unset_variable(line: &str) -> Option<String> {
    // Of lines in other scripts, bytes and characters of the lower form need not agree.
    let lower = line.to_ascii_lowercase();
    let behind = BEHIND_NAME.iter().find_map(|text| {
        let mut before = line.get(..lower.find(text)?)?;
        for word in BETWEEN {
            before = before.strip_suffix(word).unwrap_or(before);
        }
        let before = before.trim_end_matches(MARKS);
        variable(before.rsplit(|c: char| !is_of_name(c)).next()?)
    });
    behind.or_else(|| {
        BEFORE_NAME.iter().find_map(|text| {
            let rest = line
                .get(lower.find(text)? + text.len()..)?
                .trim_start_matches(MARKS);
            variable(rest.split(|c: char| !is_of_name(c)).next()?)
        })
    })
}

/// Returns the program that a line of a shell, of `env` or of `make` says is not there.
fn missing_program(line: &str) -> Option<String> {
    let line = line.trim();
    let after_colon = |text: &str| text.rsplit(": ").next().map(str::to_owned);
    let is_of = |names: &[&str]| {
        let tool = line.split([':', '[']).next().unwrap_or_default();
        names.contains(&tool.rsplit('/').next().unwrap_or(tool))
    };
    let found = if let Some((_, name)) = line.split_once("command not found: ") {
        Some(name.to_owned())
    } else if let Some(before) = line.strip_suffix(": command not found") {
        after_colon(before)
    } else if let Some(before) = line.strip_suffix(": not found") {
        is_of(&["sh", "dash", "ash", "ksh"])
            .then(|| after_colon(before))
            .flatten()
    } else if let Some((before, _)) = line.split_once(": No such file or directory") {
        is_of(&["env", "make", "gmake"])
            .then(|| after_colon(before))
            .flatten()
    } else {
        let (before, _) = line.split_once(" is not recognized as an internal or external command")?;
        Some(before.to_owned())
    };
    let found = found?;
    let name = found.trim_matches(MARKS);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '@');
    (!name.is_empty() && name.len() <= LONGEST && name.chars().all(is_plain)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(output: &str) -> Option<MissingPart> {
        let hidden = [HiddenVariable {
            reason: HiddenReason::Secret,
            name: "NPM_TOKEN".to_owned(),
        }];
        MissingPart::find(output, &hidden, |name| name == "HOME")
    }

    #[test]
    fn a_program_that_is_not_there_is_named_as_shells_env_and_make_say_it() {
        for line in [
            "/bin/sh: 1: mvn: not found",
            "sh: mvn: not found",
            "bash: line 1: mvn: command not found",
            "./check: line 3: mvn: command not found",
            "zsh: command not found: mvn",
            "/usr/bin/env: ‘mvn’: No such file or directory",
            "env: mvn: No such file or directory",
            "make: mvn: No such file or directory",
            "'mvn' is not recognized as an internal or external command,",
        ] {
            assert_eq!(
                found(line),
                Some(MissingPart::Program("mvn".to_owned())),
                "{line}"
            );
        }
        for line in [
            "make: ./x/run: No such file or directory",
            "404: not found",
            "cat: a: No such file or directory",
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }

    #[test]
    fn a_variable_that_is_not_set_is_named_as_programs_say_it() {
        for line in [
            "JAVA_HOME is not set",
            "ERROR: JAVA_HOME is not set and no 'java' command could be found in your PATH.",
            "./run.sh: line 2: JAVA_HOME: unbound variable",
            "/bin/sh: 1: JAVA_HOME: parameter not set",
            "KeyError: 'JAVA_HOME'",
            "The JAVA_HOME environment variable is not defined correctly",
            "missing required environment variable: JAVA_HOME",
            "Error: environment variable `JAVA_HOME` not found",
            "$JAVA_HOME must be set",
        ] {
            assert_eq!(
                found(line),
                Some(MissingPart::Unset("JAVA_HOME".to_owned())),
                "{line}"
            );
        }
        for line in [
            "ERROR: a value is required",
            "HOME is not set",
            "KeyError: 'name'",
            "the value is missing",
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }

    #[test]
    fn a_hidden_variable_comes_before_everything_else_that_is_missing() {
        let output = "sh: 1: mvn: not found\nNPM_TOKEN is not set\n";
        let part = found(output).expect("a variable");
        assert!(
            matches!(&part, MissingPart::Hidden(hidden) if hidden.name == "NPM_TOKEN"),
            "{part:?}"
        );
        assert!(part.to_string().contains("environment.pass"), "{part}");
        assert!(matches!(
            found("npm error Failed to replace ${NPM_TOKEN}"),
            Some(MissingPart::Hidden(_))
        ));
        assert_eq!(found("NPM_TOKENS is a word"), None);
    }
}
