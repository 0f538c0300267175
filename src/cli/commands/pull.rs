//! `dbs pull`: brings merged work to the person's checkout.

use serde_json::json;

use crate::adapters::git::{GitCli, RemoteChoice};
use crate::cli::commands::prelude::*;
use crate::config::schema;
use crate::domain::{Command, DeliveryEnd};
use crate::ports::git::{BranchName, Git as _, Head, Revision};

/// Bring merged work to your checkout
///
/// Fast-forwards your base branch to the merged work. If the branch is checked out, the index and the files follow, either all of them or
/// none. None of your changes and no untracked or ignored file is overwritten: if one is in the way, nothing moves and the reason is
/// printed.
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs pull\ndbs pull feature/shop"))]
pub struct PullArgs {
    /// Base branch; default: the setting `base_branch`
    branch: Option<String>,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for PullArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let paths = ProjectPaths::find(&env.folder, env)?;
        let set = || paths.read_config().value(&schema::BASE_BRANCH);
        let Some(name) = self.branch.or_else(set) else {
            let why = "could not pull: no base branch is set; name one, or `dbs config base_branch NAME`";
            return Err(CommandError::user(why));
        };
        if !paths.state.is_dir() {
            return Err(CommandError::user(
                "could not pull: nothing was merged here; `dbs init` prepares this project",
            ));
        }
        let base = BranchName::new(&name).map_err(failed("could not pull"))?;
        let remote = paths.remote().name().to_owned();
        let git = GitCli::open(&paths.git_setup(env.environment.clone()))?;
        let to = match git.resolve(&Revision::RemoteBranch(base.clone())) {
            Head::At(commit) => commit,
            Head::Absent => {
                return Err(CommandError::user(format!(
                    "could not pull: {remote} has no branch {base}"
                )));
            }
            Head::Unknown(why) => return Err(CommandError::user(format!("could not pull: could not {why}"))),
        };
        let delivery = git.deliver(&base, &to)?;
        let text = match &delivery.end {
            DeliveryEnd::Kept(why) => return Err(CommandError::user(format!("could not pull: {why}"))),
            DeliveryEnd::NoBranch => {
                let way = match paths.remote() {
                    RemoteChoice::Named(remote) => format!("`git fetch {remote} {base}:{base}`"),
                    RemoteChoice::Control => format!("`git branch {base} {remote}/{base}`"),
                };
                let way = format!("{way} makes it");
                return Err(CommandError::user(format!(
                    "could not pull: there is no branch {base} here; {way}"
                )));
            }
            DeliveryEnd::Current | DeliveryEnd::Told => format!("{base} has everything that is merged"),
            DeliveryEnd::Files | DeliveryEnd::Branch => delivery.summary().unwrap_or_default(),
        };
        let pulled = Command::Pulled(base.as_str().to_owned());
        if let Err(refused) = BoardAccess::open_project(paths)?.execute(&env.author(), pulled)? {
            return Err(CommandError::user(format!("could not pull: {}", refused.why)));
        }
        if self.json.json {
            output::json(&json!({ "ok": text, "delivery": delivery }));
        } else {
            output::line(&text);
        }
        Ok(ExitCode::SUCCESS)
    }
}
