//! The last looks before a program runs: the scripts it names, in the folder in which it is about to run.

use std::path::Path;

use crate::config::schema;
use crate::config::trust::changes::TrustReport;
use crate::config::trust::item::{TrustItem, TrustKind};
use crate::config::trust::project::ProjectTrust;
use crate::config::trust::scripts;
use crate::domain::{Cause, Tri, TroubleKind};
use crate::ports::gates::{GateExit, GateReport, GateRun, Gates};

/// Gates that run only as a person has trusted them.
#[derive(Debug)]
pub struct TrustedGates<G> {
    pub gates: G,
    pub trust: ProjectTrust,
}

impl<G: Gates> Gates for TrustedGates<G> {
    fn run(&self, run: &GateRun) -> GateReport {
        match self.trust.check_gate(run) {
            Ok(()) => self.gates.run(run),
            Err(why) => GateReport {
                exit: GateExit::NotRun(why.clone()),
                outcome: Tri::Unknown(why),
                duration_ms: 0,
                tail: String::new(),
                truncated: false,
                tests: None,
            },
        }
    }

    fn withheld(&self) -> Option<Cause> {
        let held = self.trust.look().held();
        held.map(untrusted).or_else(|| self.gates.withheld())
    }
}

impl ProjectTrust {
    /// Checks whether a program may be started in that folder by these words: its command line, or the name of a scenario.
    ///
    /// # Errors
    /// The reason why it may not, and the way out.
    pub fn check_start(&self, words: &[String], folder: &Path) -> Result<(), Cause> {
        let report = self.look();
        if let Some(why) = report.held() {
            return Err(untrusted(why));
        }
        let is_named = |item: &&TrustItem| {
            let is_kind = item.kind == TrustKind::AgentKind;
            (is_kind && scripts::words_of_kind(item).is_some_and(|own| own == words))
                || item.text == words.join(" ")
                || shell_words::split(&item.text).is_ok_and(|split| split == words)
        };
        let programs = report.programs();
        let changed = programs.filter(is_named).find_map(|item| {
            let is_scenario = schema::REHEARSAL_SCENARIO.covers(&item.name);
            let read_in = if is_scenario { self.root() } else { folder };
            Some(refusal(&report.changed_script(item, read_in)?, read_in))
        });
        changed.map_or(Ok(()), |why| Err(untrusted(why)))
    }

    /// Checks that the scripts of a gate have, in its checkout, the text that was trusted: all scripts that a setting names; of any other
    /// command those that are trusted under their path.
    fn check_gate(&self, run: &GateRun) -> Result<(), Cause> {
        let report = self.look();
        let is_it = |item: &&TrustItem| match item.name.as_str() {
            name if schema::ATDD_TEST_CMD.covers(name) => runs_tests(&item.text, &run.command),
            name => {
                let is_gate = schema::GATES.covers(name) || schema::ATDD_SUITE_CMD.covers(name);
                is_gate && item.text == run.command
            }
        };
        let settings: Vec<&TrustItem> = report.programs().filter(is_it).collect();
        let changed = if settings.is_empty() {
            // A plan's command, or one that was set when its task was made.
            scripts::differing(&run.command, &run.cwd, &report.texts().collect::<Vec<_>>())
        } else {
            let mut settings = settings.into_iter();
            settings.find_map(|item| report.changed_script(item, &run.cwd))
        };
        changed.map_or(Ok(()), |script| {
            let commit = &run.commit;
            Err(untrusted(format!(
                "{script} of commit {commit} is not what you trusted; look at it with `git show {commit}:{script}`; if you want it, \
                 check it out in the project's folder and trust it there: dbs trust diff"
            )))
        })
    }
}

/// Returns true if a command runs the tests of a story as a setting says: its words are those of the setting, with a name in place of each
/// placeholder.
fn runs_tests(setting: &str, command: &str) -> bool {
    let (Ok(wanted), Ok(words)) = (shell_words::split(setting), shell_words::split(command)) else {
        return false;
    };
    let fits = |(wanted, word): (&String, &String)| {
        let parts: Vec<&str> = wanted
            .split("{file}")
            .flat_map(|part| part.split("{name}"))
            .collect();
        let (first, last) = (parts.first().unwrap_or(&""), parts.last().unwrap_or(&""));
        match parts.len() {
            0 | 1 => wanted == word,
            _ => word.starts_with(first) && word.ends_with(last),
        }
    };
    wanted.len() == words.len() && wanted.iter().zip(&words).all(fits)
}

fn untrusted(why: String) -> Cause {
    TroubleKind::Untrusted.cause(why)
}

impl TrustReport {
    /// Returns the reason why nothing may start now, if there is one.
    fn held(&self) -> Option<String> {
        let waits = self.untrusted().filter(|files| files.holds);
        waits.map(|files| format!("could not start anything: not trusted: {}", files.text))
    }

    fn programs(&self) -> impl Iterator<Item = &TrustItem> {
        self.texts()
            .filter(|item| matches!(item.kind, TrustKind::Program | TrustKind::AgentKind))
    }

    fn changed_script(&self, setting: &TrustItem, folder: &Path) -> Option<String> {
        scripts::changed(setting, folder, &self.texts().collect::<Vec<_>>())
    }

    /// All that is trusted.
    fn texts(&self) -> impl Iterator<Item = &TrustItem> {
        let records = self.record.iter();
        records.flat_map(|record| &record.items)
    }
}

fn refusal(script: &str, folder: &Path) -> String {
    format!(
        "could not start {script} in {}: it is not what you trusted; look at it, and at `dbs trust diff`",
        folder.display()
    )
}
