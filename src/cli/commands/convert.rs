//! `dbs convert`: an agent turns a text into a phased plan, which is written where a person says yes to it.

mod order;

use std::path::PathBuf;

pub(super) use order::{PlanOrder, WriterArgs, job, text_of};

use crate::cli::commands::prelude::*;
use crate::domain::MadeForm;
use crate::plans::making::MadeName;

/// Let an agent turn a text into a phased plan, which you review
///
/// The whole plan is shown and needs your approval, at the terminal or by its hash, before it is written to `plans/`. The exit codes are
/// those of `dbs run --headless`; without a terminal, the command exits with 5 if the finished plan needs your approval. If you interrupt
/// the command, the server continues; run the command again to see the result.
///
/// `dbs task import` puts tasks of a file on the board without an agent; `dbs design` plans for a goal.
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs convert ideas.md\ndbs convert ideas.md --name \"Invoice export\" --agent claude"))]
pub struct ConvertArgs {
    /// File that describes the work; `-` reads standard input
    pub(super) file: PathBuf,
    #[command(flatten)]
    pub(super) writer: WriterArgs,
}

impl RunCommand for ConvertArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        convert(env, &self, MadeForm::Plan)
    }
}

/// Has a text turned into a plan or a PRD.
pub(super) fn convert(env: &ProcessEnv, wanted: &ConvertArgs, form: MadeForm) -> CommandResult {
    let paths = ProjectPaths::find(&env.folder, env)?;
    let tried = format!("convert {}", wanted.file.display());
    let text = text_of(&wanted.file, wanted.writer.name.as_deref());
    let text = text.map_err(failed(format!("could not {tried}")))?;
    let stem = wanted.file.file_stem().unwrap_or_default().to_string_lossy();
    let feature = wanted.writer.name.clone().unwrap_or_else(|| stem.into_owned());
    let job = job(form, feature, text, &wanted.writer);
    let order = PlanOrder {
        env,
        name: MadeName::new(&paths, job.form, &job.feature),
        paths,
        job,
        tried,
        wanted: &wanted.writer,
    };
    order.carry_out()
}
