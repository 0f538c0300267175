//! `dbs upgrade`: the version and path of this program, and the way to replace it; it fetches no other one itself (K71).

use crate::cli::commands::prelude::*;

/// Show the installed version and how to upgrade
///
/// Does not download or install anything.
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs upgrade"))]
pub struct UpgradeArgs {
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for UpgradeArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let (version, program) = (env!("CARGO_PKG_VERSION"), env.program.display());
        if self.json.json {
            output::json(&serde_json::json!({ "version": version, "program": env.program }));
            return Ok(ExitCode::SUCCESS);
        }
        output::line(&format!("dbs {version}, {program}"));
        output::line("It fetches nothing by itself. To use another one:");
        output::line("1. `dbs stop` in each project of `dbs sessions`: agents keep running");
        output::line("2. put it in that place: a package of your system, an archive of a release");
        output::line("   whose checksum you compared, or `cargo install --path .` in its sources");
        output::line("3. `dbs` in each project comes back to its agents");
        Ok(ExitCode::SUCCESS)
    }
}
