//! Trial of the workspace and the gates on the base branch, before any agent is paid: `dbs doctor --try`.

use std::sync::Arc;

use super::{DoctorCheck, DoctorResult, check};
use crate::adapters::clock;
use crate::adapters::gates::ShellGates;
use crate::adapters::git::GitCli;
use crate::adapters::project::random_word;
use crate::cli::commands::prelude::*;
use crate::config::session_setup;
use crate::config::trust::TrustedGates;
use crate::domain::{MissingPart, Span, Tri, telling_line};
use crate::ports::gates::{GateEnv, GateReport, GateRun, Gates};
use crate::ports::git::{BranchName, CommitId, Git, Head};
use crate::ports::workspaces::{WorkspaceRequest, WorkspaceUser, Workspaces as _};

/// Maximum size of the output that is kept of one gate, in bytes.
const OUTPUT_LIMIT: u64 = 4 * 1024 * 1024;

/// Prepares a scratch workspace of the base branch, and runs every gate in it once.
pub(super) fn run(paths: &ProjectPaths, env: &ProcessEnv) -> Vec<DoctorCheck> {
    match Trial::begin(paths, env) {
        Ok(trial) => trial.checks(),
        Err(why) => vec![check("try", Err(why))],
    }
}

struct Trial {
    git: Arc<dyn Git>,
    gates: Arc<dyn Gates>,
    paths: ProjectPaths,
    setup: session_setup::SessionSetup,
    commit: CommitId,
    base: String,
    folder: std::path::PathBuf,
}

impl Trial {
    fn begin(paths: &ProjectPaths, env: &ProcessEnv) -> DoctorResult<Trial> {
        let setup = session_setup::read(paths, env)?;
        let base = setup.settings.base.clone().ok_or("no base branch is set")?;
        let git: Arc<dyn Git> = Arc::new(GitCli::open(&paths.git_setup(env.environment.clone()))?);
        let commit = match git.remote_head(&BranchName::new(&base)?) {
            Head::At(commit) => commit,
            Head::Absent => return Err(format!("there is no branch {base} to try it on").into()),
            Head::Unknown(why) => return Err(format!("could not look for {base}: {why}").into()),
        };
        let gates: Arc<dyn Gates> = Arc::new(TrustedGates {
            gates: ShellGates::default(),
            trust: paths.trust.clone(),
        });
        if let Some(why) = gates.withheld() {
            return Err(why.into());
        }
        paths.prepare()?;
        let name = random_word().ok_or("the system has no random bytes")?;
        Ok(Trial {
            folder: paths.places().checkouts().join(format!("try-{name}")),
            paths: paths.clone(),
            git,
            gates,
            setup,
            commit,
            base,
        })
    }

    fn checks(&self) -> Vec<DoctorCheck> {
        let mut checks = vec![check("workspace", self.prepared())];
        if checks.iter().all(DoctorCheck::is_good) {
            for (nth, gate) in self.setup.settings.gates.iter().enumerate() {
                checks.push(check("gate", self.tried(nth, &gate.name, &gate.command)));
            }
        }
        if let Err(error) = self.git.discard_checkout(&self.folder) {
            tracing::warn!("could not {error}");
        }
        checks
    }

    /// Makes and prepares the checkout.
    fn prepared(&self) -> DoctorResult {
        let began = clock::now();
        self.git
            .checkout_clean(&self.commit, &self.folder)
            .map_err(|error| format!("could not {error}"))?;
        self.paths
            .workspaces(&self.git, &self.gates)
            .prepare(&WorkspaceRequest {
                folder: &self.folder,
                commit: &self.commit,
                user: WorkspaceUser::Gate,
                is_base: false,
                env: self.environment(),
                logs: self.logs().join("setup"),
                now: began,
            })?;
        let took = clock::now().since(began);
        Ok(format!("prepared one of {} in {}", self.base, words(took)))
    }

    fn tried(&self, nth: usize, name: &str, command: &str) -> DoctorResult {
        if nth > 0 {
            let restored = self.git.restore_checkout(&self.commit, &self.folder);
            if !restored.map_err(|error| format!("could not {error}"))? {
                self.prepared()?;
            }
        }
        let output = self.logs().join(format!("{nth:02}.log"));
        let env = self.environment();
        let report = self.gates.run(&GateRun {
            name: name.to_owned(),
            command: command.to_owned(),
            commit: self.commit.as_str().to_owned(),
            began: clock::now(),
            cwd: self.folder.clone(),
            env: env.clone(),
            timeout: self.setup.gate_timeout,
            output: output.clone(),
            output_limit: OUTPUT_LIMIT,
        });
        match &report.outcome {
            Tri::Yes => Ok(format!(
                "{name} passes on {} in {}",
                self.base,
                words(Span(report.duration_ms))
            )),
            Tri::No(why) => Err(format!(
                "{name} {} {} before any work: {why}{}; its output is in {}",
                if report.exit.is_missing() {
                    "could not run on"
                } else {
                    "is red on"
                },
                self.base,
                hint(&report, &env),
                output.display()
            )
            .into()),
            Tri::Unknown(why) => Err(format!("{name} could not be run: {why}").into()),
        }
    }

    fn logs(&self) -> std::path::PathBuf {
        self.paths.logs.join("try")
    }

    fn environment(&self) -> GateEnv {
        let now = self.setup.inherited.now();
        let inherited = now.pairs().iter().cloned();
        let own = [
            ("DBS_PROGRAM", self.setup.program.to_string_lossy().into_owned()),
            ("DBS_COMMIT", self.commit.as_str().to_owned()),
            ("DBS_BASE", self.base.clone()),
        ];
        let own = own.map(|(name, value)| (name.to_owned(), value));
        let variables = inherited
            .chain(own)
            .map(|(name, value)| (name.into(), value.into()));
        GateEnv {
            variables: variables.collect(),
            hidden: now.hidden().to_vec(),
        }
    }
}

/// Returns the cause of a failed gate as far as its end shows it: a missing program or variable, and the line that tells most.
fn hint(report: &GateReport, env: &GateEnv) -> String {
    let missing = MissingPart::find(&report.tail, &env.hidden, |name| env.has(name));
    let missing = missing.map(|part| part.to_string());
    let line = telling_line(&report.tail);
    let parts: Vec<String> = missing.into_iter().chain(line).collect();
    if parts.is_empty() {
        String::new()
    } else {
        format!(": {}", parts.join("; "))
    }
}

fn words(span: Span) -> String {
    format!("{}.{} s", span.0 / 1000, span.0 % 1000 / 100)
}
