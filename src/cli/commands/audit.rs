//! `dbs audit`: the contents of a plan or of a document of a design, and its problems.

mod documents;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::cli::commands::prelude::*;
use crate::formats::design::DesignDocument;
use crate::formats::plan::PlanKind;
use crate::plans::{BaseFiles, ReadPlan, shown, undecided};

/// Exit code of `--strict` for documents with warnings.
const DOUBTFUL: u8 = 2;

/// Validate a plan and summarize it
///
/// Nothing is changed. The exit code is 0 if nothing is wrong, 1 with errors, and 2 with `--strict` if there are warnings.
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs audit docs/MASTER.md\ndbs audit docs/MASTER.md --strict --json"))]
pub struct AuditArgs {
    /// Master plan, plan.json, folder with one of them, or document of a design
    plan: PathBuf,
    /// Exit with 2 when there are warnings
    #[arg(long)]
    strict: bool,
    /// Challenges of a critique, such as C1,C2, that the decisions of a plan.json must answer
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    answers: Vec<String>,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for AuditArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        if let Some(kind) = DesignDocument::of(&self.plan) {
            return Ok(documents::audit(&self.plan, kind, self.json)?.exit_code(self.strict));
        }
        let paths = ProjectPaths::find(&env.folder, env).ok();
        let base = paths
            .as_ref()
            .map(|paths| BaseFiles::new(paths, paths.git_setup(env.environment.clone())));
        let on_base = |path: &str| match &base {
            Some(base) => base.has(path),
            None => Path::new(path).exists(),
        };
        let ReadPlan { mut plan, texts } = crate::plans::read(&self.plan, paths.as_ref(), &on_base)?;
        if plan.kind == PlanKind::Graph {
            let text = texts.get(&plan.file).map_or("", String::as_str);
            let open = undecided(&plan.file, text, &self.answers);
            plan.findings.extend(open);
        }
        if self.json.json {
            output::json(&shown::json(&plan, &BTreeSet::new()));
        } else {
            output::all(shown::lines(&plan));
        }
        let audited = Audited {
            is_sound: plan.is_sound(),
            has_findings: !plan.findings.is_empty(),
        };
        Ok(audited.exit_code(self.strict))
    }
}

/// Result of auditing documents.
pub(super) struct Audited {
    /// True if nothing is an error.
    pub(super) is_sound: bool,
    pub(super) has_findings: bool,
}

impl Audited {
    /// Returns the exit code; `is_strict` where warnings count.
    pub(super) fn exit_code(&self, is_strict: bool) -> ExitCode {
        match (self.is_sound, self.has_findings) {
            (false, _) => ExitCode::FAILURE,
            (true, true) if is_strict => ExitCode::from(DOUBTFUL),
            (true, _) => ExitCode::SUCCESS,
        }
    }
}
