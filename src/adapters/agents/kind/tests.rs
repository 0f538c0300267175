//! Tests of `src/adapters/agents/kind.rs`.

use std::sync::Arc;

use super::*;
use crate::domain::{AttemptMode, EnvironmentRules};

/// A brief whose texts try to be more than texts.
pub(in super::super) fn brief() -> Brief {
    Brief {
        attempt: AttemptId(7),
        created_at: Timestamp(1),
        task: "dbs-1".into(),
        title: "Add {branch}; rm -rf ~".into(),
        body: String::new(),
        tags: ["security".to_owned()].into(),
        stage: "development".into(),
        role: "developer".into(),
        name: "developer-ravel".into(),
        mode: AttemptMode::Fresh,
        n: 1,
        folder: "/w".into(),
        branch: "feature/dbs-1".into(),
        base: "main".into(),
        finding: None,
        session: None,
        choice: crate::domain::AgentChoice::default(),
        facts: crate::domain::PromptFacts::default(),
        difference: None,
        git_settings: Vec::new(),
    }
}

pub(in super::super) fn inherited(all: &[(&str, &str)]) -> LiveEnv {
    let all = all
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    LiveEnv::new(&EnvironmentRules::default(), PersonEnv::new(all), None)
}

pub(in super::super) fn context() -> LaunchContext {
    LaunchContext {
        program: "/opt/dbs/bin/dbs".into(),
        inherited: LiveEnv::default(),
        person: PersonEnv::default(),
        socket: "/s".into(),
        inbox: "/i".into(),
        root: "/r".into(),
        attempts: "/state/attempts".into(),
        token: Arc::new(|attempt, at| format!("{attempt}-{}", at.0)),
    }
}

#[test]
fn agents_find_this_program_first_whatever_else_has_its_name() {
    let context = LaunchContext {
        inherited: inherited(&[("PATH", "/usr/bin:/bin")]),
        ..context()
    };
    let env = context.environment(&[]);
    let path: Vec<_> = env.iter().filter(|(name, _)| name == "PATH").collect();
    assert_eq!(
        path,
        [&("PATH".to_owned(), "/opt/dbs/bin:/usr/bin:/bin".to_owned())]
    );
}
