//! `dbs atdd init`: the documents that stories are written by, and the folder of PRDs (A26).

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::adapters::text_file;
use crate::cli::commands::prelude::*;
use crate::config::atdd::StorySettings;
use crate::formats::story_files::{DOCUMENTS, STORY_TEMPLATES};

/// Results for each document and folder, by its path from the project's root.
#[derive(Debug, Default, Serialize)]
struct InitReport {
    made: Vec<String>,
    /// Documents and folders that existed and are unchanged.
    kept: Vec<String>,
    replaced: Vec<String>,
}

/// Create the documents that guide stories, and the folder of PRDs; existing files are kept
///
/// The documents are in `.swanson/`. Symbolic links are refused.
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs atdd init\ndbs stories init"))]
pub struct AtddInitArgs {
    /// Replace existing documents with the built-in texts
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for AtddInitArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let place = ProjectPaths::find(&env.folder, env)?;
        let queue = StorySettings::of(&place.read_config()).folder;
        // Nothing is made where something cannot be made.
        for (name, _) in STORY_TEMPLATES {
            plain(&place.root, &format!("{DOCUMENTS}/{name}"), Path::is_file)?;
        }
        plain(&place.root, &queue, Path::is_dir)?;
        let mut report = InitReport::default();
        for folder in [DOCUMENTS, &queue] {
            let path = place.root.join(folder);
            if path.is_dir() {
                report.kept.push(format!("{folder}/"));
                continue;
            }
            std::fs::create_dir_all(&path).map_err(failed(format!("could not make {}", path.display())))?;
            report.made.push(format!("{folder}/"));
        }
        for (name, text) in STORY_TEMPLATES {
            let path = place.root.join(DOCUMENTS).join(name);
            let list = write(&path, text, self.force)
                .map_err(failed(format!("could not write {}", path.display())))?;
            let list = match list {
                Written::Made => &mut report.made,
                Written::Kept => &mut report.kept,
                Written::Replaced => &mut report.replaced,
            };
            list.push(format!("{DOCUMENTS}/{name}"));
        }
        report.print(&self, &queue);
        Ok(ExitCode::SUCCESS)
    }
}

/// Result for a document.
enum Written {
    Made,
    Kept,
    Replaced,
}

fn write(path: &Path, text: &str, may_replace: bool) -> io::Result<Written> {
    let new = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path);
    match new {
        Ok(mut file) => {
            file.write_all(text.as_bytes())?;
            return Ok(Written::Made);
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    let is_ours = text_file::read(path, text_file::LARGEST_WRITTEN).is_ok_and(|own| own == text.as_bytes());
    if !may_replace || is_ours {
        return Ok(Written::Kept);
    }
    text_file::replace(path, text.as_bytes())?;
    Ok(Written::Replaced)
}

/// Refuses a path whose parts are links, or other things than folders and the expected file.
fn plain(root: &Path, inside: &str, is_it: impl Fn(&Path) -> bool) -> CommandResult<()> {
    let mut path: PathBuf = root.to_owned();
    let mut parts = Path::new(inside).components().peekable();
    while let Some(part) = parts.next() {
        path.push(part);
        let is_last = parts.peek().is_none();
        match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(failed(format!("could not look at {}", path.display()))(error)),
            Ok(found) if found.is_symlink() => {
                return Err(CommandError::user(format!(
                    "could not prepare stories: {} is a link, which could lead anywhere; put a folder or file of the project in its place",
                    path.display()
                )));
            }
            Ok(found) if (is_last && is_it(&path)) || (!is_last && found.is_dir()) => {}
            Ok(_) => {
                return Err(CommandError::user(format!(
                    "could not prepare stories: {} is in the way; move it away",
                    path.display()
                )));
            }
        }
    }
    Ok(())
}

impl InitReport {
    fn print(&self, wanted: &AtddInitArgs, queue: &str) {
        if wanted.json.json {
            return output::json(self);
        }
        for (word, paths) in [
            ("made", &self.made),
            ("replaced", &self.replaced),
            ("was there", &self.kept),
        ] {
            output::all(paths.iter().map(|path| format!("{word:<10} {path}")));
        }
        output::line(&format!(
            "fill in the documents, put PRDs into {queue}/, then: dbs atdd check"
        ));
    }
}
