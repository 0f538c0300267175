//! Check of the environment that agents, gates and shells get: by this shell, and by the one that started the server. Names only.

use std::collections::BTreeMap;

use crate::adapters::agents::{InheritedEnv, LiveEnv, PersonEnv};
use crate::cli::commands::prelude::*;
use crate::domain::{EnvironmentMode, HiddenReason, pluralized};
use crate::protocol::wire::{CallReply, ServerCall};

use super::{DoctorCheck, check, warning};

/// Maximum number of names in a line of hidden variables; more are counted.
const MOST_NAMED: usize = 12;

/// Checks the environment that a server would pass on if this shell started it, and how that of a running one differs.
pub(super) fn checks(paths: &ProjectPaths, env: &ProcessEnv) -> Vec<DoctorCheck> {
    let rules = paths.read_config().environment_rules();
    let person = PersonEnv::new(env.text_environment());
    let here = LiveEnv::new(&rules, person, Some(&paths.root)).now();
    let mode = match rules.mode {
        EnvironmentMode::Shell => "shell",
        EnvironmentMode::Minimal => "minimal",
    };
    let passed = pluralized(here.pairs().len(), "variable");
    let text = format!("{mode}, {passed} for agents and gates{}", hidden_text(&here));
    let mut found = vec![check("environment", Ok(text))];
    found.extend(
        server_variables(paths)
            .and_then(|there| difference(&here, &there))
            .map(|text| warning("environment", text)),
    );
    let is_loaded = env.get("DIRENV_DIR").is_some();
    if paths.root.join(".envrc").is_file() && !is_loaded {
        let text = "direnv has not loaded .envrc into this shell, so a server that it starts passes nothing of it on; start dbs where \
                    direnv has loaded it";
        found.push(warning("environment", text.to_owned()));
    }
    found
}

/// Returns the hidden variables by reason, behind a semicolon.
fn hidden_text(environment: &InheritedEnv) -> String {
    let mut by_reason: BTreeMap<HiddenReason, Vec<&str>> = BTreeMap::new();
    for hidden in environment.hidden() {
        by_reason.entry(hidden.reason).or_default().push(&hidden.name);
    }
    if by_reason.is_empty() {
        return String::new();
    }
    let lists: Vec<String> = by_reason
        .iter()
        .map(|(reason, names)| format!("hidden, {}: {}", reason.word(), named(names)))
        .collect();
    format!("; {} (`environment.pass` allows a name)", lists.join("; "))
}

fn named(names: &[&str]) -> String {
    let shown = names
        .iter()
        .take(MOST_NAMED)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().saturating_sub(MOST_NAMED) {
        0 => shown,
        more => format!("{shown} and {}", pluralized(more, "other")),
    }
}

/// Returns the names of the variables that a running server passes on; `None` if none runs, or it does not say.
fn server_variables(paths: &ProjectPaths) -> Option<Vec<String>> {
    let mut access = BoardAccess::open_project(paths.clone()).ok()?;
    match access.call(ServerCall::Who).ok()?? {
        CallReply::Who(status) => Some(status.variables).filter(|names| !names.is_empty()),
        _ => None,
    }
}

/// Returns the names in which the environment of this shell differs from that of the server.
fn difference(here: &InheritedEnv, there: &[String]) -> Option<String> {
    let here: Vec<&str> = here.pairs().iter().map(|(name, _)| name.as_str()).collect();
    let lacks: Vec<&str> = here
        .iter()
        .copied()
        .filter(|name| !there.iter().any(|other| other == name))
        .collect();
    let has: Vec<&str> = there
        .iter()
        .map(String::as_str)
        .filter(|name| !here.contains(name))
        .collect();
    let lacks = (!lacks.is_empty()).then(|| format!("it lacks {}, which this shell has", named(&lacks)));
    let has = (!has.is_empty()).then(|| format!("it has {}, which this shell lacks", named(&has)));
    let parts: Vec<String> = [lacks, has].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| {
        format!(
            "the server was started with other variables: {}; `dbs restart` gives it those of this shell",
            parts.join(", and ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::EnvironmentRules;

    fn here(names: &[&str]) -> InheritedEnv {
        let all = names.iter().map(|name| ((*name).to_owned(), "hush".to_owned()));
        InheritedEnv::new(&EnvironmentRules::default(), all, None)
    }

    #[test]
    fn the_names_in_which_a_shell_and_the_server_differ_are_said() {
        let own = here(&["JAVA_HOME", "PATH"]);
        let mut there: Vec<String> = here(&["PATH", "GOPATH"])
            .pairs()
            .iter()
            .map(|(name, _)| name.clone())
            .collect();
        let text = difference(&own, &there).expect("a difference");
        assert!(
            text.contains("lacks JAVA_HOME, which this shell has, and it has GOPATH,"),
            "{text}"
        );
        there = own.pairs().iter().map(|(name, _)| name.clone()).collect();
        assert_eq!(difference(&own, &there), None);
    }

    #[test]
    fn hidden_variables_are_listed_by_their_reasons_and_without_values() {
        let text = hidden_text(&here(&["B_TOKEN", "A_TOKEN", "GIT_DIR"]));
        let wanted = "; hidden, look like secrets: A_TOKEN, B_TOKEN; hidden, steer git or load code: GIT_DIR (`environment.pass`";
        assert!(text.starts_with(wanted) && !text.contains("hush"), "{text}");
        assert_eq!(hidden_text(&here(&["PATH"])), "");
    }
}
