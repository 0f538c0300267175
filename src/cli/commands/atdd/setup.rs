//! `dbs atdd setup`: checks that the tools, logins, commands and documents that stories need are there (A25, LA-14). It asks for no key,
//! stores none and prints none.

use crate::adapters::agents::find_program;
use crate::adapters::git::seen_files;
use crate::cli::commands::agents;
use crate::cli::commands::doctor::{
    DoctorCheck, DoctorResult, check, needs_of_agents, print_checks, warning,
};
use crate::cli::commands::prelude::*;
use crate::config::atdd::StorySettings;
use crate::formats::story_files::{DOCUMENTS, STORY_TEMPLATES};

/// Endings of files like `.env.example`, which describe the real file and hold no key.
const SAMPLES: [&str; 4] = ["example", "sample", "template", "dist"];
/// Maximum number of files that are named.
const MOST_NAMED: usize = 5;

/// Check that the tools, logins, commands and documents that stories need are there
///
/// Also reports a key in the environment that is used instead of a login, and `.env` files and other files with keys that git tracks or
/// does not ignore. No key is asked for, stored or printed. The exit code is 1 if something is missing.
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs atdd setup\ndbs atdd setup --json"))]
pub struct AtddSetupArgs {
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for AtddSetupArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let mut checks = needs_of_agents(env);
        if let Ok(place) = ProjectPaths::find(&env.folder, env)
            && place.state_problem().is_none()
        {
            let settings = StorySettings::of(&place.read_config()).with_python_of(&place.root);
            checks.extend(logins(env));
            let tests = shell_words::split(&settings.test_cmd).unwrap_or_default();
            checks.push(check("tests", program(env, &place, &tests, "atdd.test_cmd")));
            if let Some(command) = &settings.suite_cmd {
                let words = shell_words::split(command).unwrap_or_default();
                checks.push(check("all tests", program(env, &place, &words, "atdd.suite_cmd")));
            }
            checks.push(check("documents", documents(&place, &settings)));
            checks.push(key_files(env, &place));
        }
        Ok(print_checks(&checks, self.json))
    }
}

/// Checks the login of each agent that plays a role. Only the agent itself finds out that it is still valid.
fn logins(env: &ProcessEnv) -> Vec<DoctorCheck> {
    let logins = match agents::logins(env) {
        Ok(logins) => logins.into_iter(),
        Err(why) => return vec![check("login", Err(why.into()))],
    };
    let said = |(text, is_overridden)| {
        if is_overridden {
            warning("login", text)
        } else {
            check("login", Ok(text))
        }
    };
    logins.map(said).collect()
}

fn program(env: &ProcessEnv, paths: &ProjectPaths, words: &[String], setting: &str) -> DoctorResult {
    let name = words.first().map_or("", String::as_str);
    let path = env.get("PATH").unwrap_or_default();
    match find_program(name, &paths.root, &path) {
        Some(found) => Ok(format!("{}: {}", words.join(" "), found.display())),
        None => Err(format!(
            "could not find {name}: looked in {path}; install it, or name another: dbs config {setting} COMMAND"
        )
        .into()),
    }
}

fn documents(paths: &ProjectPaths, settings: &StorySettings) -> DoctorResult {
    let files = STORY_TEMPLATES.map(|(name, _)| format!("{DOCUMENTS}/{name}"));
    let lacks = |file: &&String| !paths.root.join(file).is_file();
    let mut missing: Vec<&str> = files.iter().filter(lacks).map(String::as_str).collect();
    if !paths.root.join(&settings.folder).is_dir() {
        missing.push(&settings.folder);
    }
    if missing.is_empty() {
        return Ok(format!("{DOCUMENTS}/ and {}/", settings.folder));
    }
    Err(format!("missing: {}; create them: dbs atdd init", missing.join(", ")).into())
}

/// Checks for files with keys that git tracks, or would commit with everything else (LA-12). None of them is read.
fn key_files(env: &ProcessEnv, paths: &ProjectPaths) -> DoctorCheck {
    let setup = paths.git_setup(env.environment.clone());
    let found = match seen_files(&setup, &holds_keys) {
        Ok(found) => found,
        Err(error) => return check("keys", Err(could_not(error).into())),
    };
    let shown: Vec<String> = found
        .iter()
        .map(|(path, is_tracked)| {
            let what = if *is_tracked {
                "tracked by git"
            } else {
                "not ignored"
            };
            format!("{path} is {what}")
        })
        .collect();
    if shown.is_empty() {
        return check(
            "keys",
            Ok("no file with keys is tracked or waits to be added".to_owned()),
        );
    }
    let named = shown.iter().take(MOST_NAMED).map(String::as_str);
    warning(
        "keys",
        format!(
            "{}; put such files into .gitignore, and take tracked ones out: git rm --cached FILE",
            named.collect::<Vec<_>>().join(", ")
        ),
    )
}

/// Returns true if files of that name hold keys by custom: `.env`, `.env.local`, `site.pem`, `site.key`.
fn holds_keys(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let ending = name.rsplit('.').next().unwrap_or_default();
    let is_env = name == ".env" || name.starts_with(".env.");
    (is_env || matches!(ending, "pem" | "key")) && !SAMPLES.contains(&ending)
}
