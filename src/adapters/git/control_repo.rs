//! The control repository: bare, ours alone, `control.git` in the project's state. Its configuration is a text made here and
//! compared before every call; nothing else may configure it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::Mutex;
use tempfile::TempDir;

use super::command::{ConfigScope, GitProgram};
use super::control_fill::take_objects;
use super::discovery::{OriginUrls, ProjectRepo};
use super::files::{ensure_excludes, failed, not_ours, real_folder, write_atomically};
use super::options::ControlPlace;
use crate::adapters::{excludes, state_folder, text_file};
use crate::ports::git::GitError;

/// Age from which a file belongs to no living call.
const STALE: Duration = Duration::from_mins(30);

/// Files that would redirect or reshape the work of the control repository.
const UNWANTED: &[&str] = &[
    "commondir",
    "config.worktree",
    "info/attributes",
    "info/grafts",
    "objects/info/alternates",
];

/// Settings for the pushes of agents, where the control repository takes the place of a remote: they only add commits to its branches, what
/// it keeps is out of their reach, and damaged objects are refused.
const RECEIVING: &str = "[receive]\n\tfsckObjects = true\n\thideRefs = refs/dbs\n\tdenyDeletes = true\n\
                         \tdenyNonFastForwards = true\n\tautogc = false\n";

/// The engine's own bare repository, in which merges and snapshots are made.
pub(super) struct ControlRepo {
    pub(super) path: PathBuf,
    format: String,
    origin: Mutex<OriginUrls>,
    /// Folder of the repository when it is a temporary one.
    _temporary: Option<TempDir>,
}

/// Returns the folder of the project's state, made if there is none, with the ignore rules of the project's folders.
fn made_state(project: &ProjectRepo) -> Result<PathBuf, GitError> {
    ensure_excludes(&project.common)?;
    let state = state_folder::of(&project.common, &project.git_dir);
    if let Some(above) = state.parent() {
        real_folder(above)?;
    }
    real_folder(&state)?;
    Ok(state)
}

impl ControlRepo {
    /// Opens it, and makes it first if there is none. An existing one keeps the address of `origin` it was made
    /// with.
    pub(super) fn open(
        program: &GitProgram,
        project: &ProjectRepo,
        found: &OriginUrls,
        place: ControlPlace,
    ) -> Result<Self, GitError> {
        let (state, temporary) = match place {
            ControlPlace::State => (made_state(project)?, None),
            ControlPlace::Temporary => {
                let folder =
                    tempfile::tempdir().map_err(failed("make a folder in", &std::env::temp_dir()))?;
                (folder.path().to_owned(), Some(folder))
            }
        };
        let path = state.join("control.git");
        let recorded = recorded_origin(program, &path, &project.object_format)?;
        // Without a remote nothing is pushed anywhere, so an address from earlier counts no more.
        let recorded = recorded.filter(|_| *found != OriginUrls::of_control());
        let origin = recorded.unwrap_or_else(|| found.clone());
        if !path.join("HEAD").exists() {
            let source = matches!(place, ControlPlace::State).then_some(project.common.as_path());
            create(program, &state, &path, &project.object_format, source)?;
        }
        let control = Self {
            path,
            format: project.object_format.clone(),
            origin: Mutex::new(origin),
            _temporary: temporary,
        };
        control.check()?;
        control.write_excludes(project)?;
        sweep_scratch(&control.path.join("scratch"));
        sweep_unfinished(&control.path.join("objects"));
        Ok(control)
    }

    /// The address recorded when the control repository was made, or accepted since.
    pub(super) fn origin(&self) -> OriginUrls {
        self.origin.lock().clone()
    }

    /// Takes another address from now on.
    pub(super) fn accept(&self, origin: OriginUrls) -> Result<(), GitError> {
        *self.origin.lock() = origin;
        self.check()
    }

    /// Puts the configuration back to our text if anything touched it.
    pub(super) fn check(&self) -> Result<(), GitError> {
        let wanted = config_text(&self.format, &self.origin.lock());
        let config = self.path.join("config");
        if text_file::read_text(&config, text_file::LARGEST_WRITTEN)
            .ok()
            .as_deref()
            != Some(&wanted)
        {
            write_atomically(&config, &wanted)?;
        }
        for name in UNWANTED {
            let unwanted = self.path.join(name);
            match fs::remove_file(&unwanted) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(failed("clean", &unwanted)(error));
                }
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Removes leftovers of a git that was killed in its turn. Only for the holder of the queue.
    pub(super) fn clean_up(&self) {
        sweep_locks(&self.path);
    }

    /// A file name in the control repository's scratch folder.
    pub(super) fn scratch(&self, name: &str) -> Result<PathBuf, GitError> {
        Ok(self.scratch_root()?.join(name))
    }

    /// A folder of its own in the scratch folder, which goes when it is dropped.
    pub(super) fn scratch_folder(&self) -> Result<TempDir, GitError> {
        let root = self.scratch_root()?;
        tempfile::tempdir_in(&root).map_err(failed("make a folder in", &root))
    }

    fn scratch_root(&self) -> Result<PathBuf, GitError> {
        let folder = self.path.join("scratch");
        fs::create_dir_all(&folder).map_err(failed("make", &folder))?;
        Ok(folder)
    }

    /// Writes the excludes, so that our folders and the files that the person excludes privately are not part of any snapshot.
    fn write_excludes(&self, project: &ProjectRepo) -> Result<(), GitError> {
        let file = project.common.join("info").join("exclude");
        let own = excludes::read(&file).map_err(failed("read", &file))?;
        let own = String::from_utf8_lossy(&own);
        let info = self.path.join("info");
        fs::create_dir_all(&info).map_err(failed("make", &info))?;
        let rules = format!("{}\n{own}", excludes::RULE);
        write_atomically(&info.join("exclude"), &rules)
    }
}

/// Makes the repository under another name and renames it, so that a half-made one is never taken for one. It begins with the objects of
/// a source, if there is one.
fn create(
    program: &GitProgram,
    state: &Path,
    path: &Path,
    format: &str,
    source: Option<&Path>,
) -> Result<(), GitError> {
    let unfinished = tempfile::Builder::new().prefix("control.new").tempdir_in(state);
    let unfinished = unfinished.map_err(failed("make a folder in", state))?;
    let call = program.command(ConfigScope::Control, state, "make the control repository");
    let call = call.env("GIT_DEFAULT_REF_FORMAT", "files");
    let call = call.words("init --quiet --bare --template=");
    let call = call.arg(format!("--object-format={format}")).arg("--");
    call.arg(unfinished.path()).run_ok()?;
    if let Some(source) = source
        && let Err(error) = take_objects(source, &unfinished.path().join("objects"))
    {
        tracing::warn!("could not take over all objects of {}: {error}", source.display());
    }
    // Another process may have been faster; both would have made the same.
    let is_there = || path.join("HEAD").exists();
    if path.symlink_metadata().is_ok() && !is_there() {
        return Err(not_ours(path, "it is not a complete repository"));
    }
    match fs::rename(unfinished.path(), path) {
        Err(error) if !is_there() => Err(failed("make", path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn config_text(format: &str, origin: &OriginUrls) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let version = i32::from(format != "sha1");
    let extension = match version {
        0 => String::new(),
        _ => format!("[extensions]\n\tobjectformat = {format}\n"),
    };
    let push_url = origin.push_url.as_ref();
    let push_url = push_url.map(|url| format!("\tpushurl = {}\n", quoted(url)));
    format!(
        "[core]\n\trepositoryformatversion = {version}\n\tfilemode = true\n\tbare = true\n{extension}\
         [remote \"origin\"]\n\turl = {}\n{}",
        quoted(&origin.url),
        push_url.unwrap_or_default()
    ) + if *origin == OriginUrls::of_control() {
        RECEIVING
    } else {
        ""
    }
}

/// Returns the recorded address, if there is one. An unreadable record is an error and not a missing one: without a record the present
/// address of the project, which an agent can change, would be taken as the true one.
fn recorded_origin(program: &GitProgram, path: &Path, format: &str) -> Result<Option<OriginUrls>, GitError> {
    let file = path.join("config");
    let text = match text_file::read(&file, text_file::LARGEST_WRITTEN) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(failed("read", &file))?,
    };
    // Our own text, as it should be, needs no git to explain it.
    let written = written_origin(&String::from_utf8_lossy(&text));
    if let Some(origin) = written.filter(|origin| config_text(format, origin).as_bytes() == text) {
        return Ok(Some(origin));
    }
    let get = |name: &str| {
        let call = program.command(ConfigScope::Control, path, "read the recorded address of origin");
        let output = call
            .words("config --file config --no-includes --get")
            .arg(name)
            .run()?;
        match output.code {
            Some(0) => Ok(Some(output.text().trim_end_matches('\n').to_owned())),
            Some(1) => Ok(None),
            _ => Err(output.failure()),
        }
    };
    let Some(url) = get("remote.origin.url")? else {
        return Ok(None);
    };
    let push_url = get("remote.origin.pushurl")?;
    Ok(Some(OriginUrls { url, push_url }))
}

/// The address in a text made by [`config_text`]; wrong in any other, which the caller finds out.
fn written_origin(text: &str) -> Option<OriginUrls> {
    let get = |name: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(name))?;
        let value = value.strip_prefix(" = \"")?.strip_suffix('"')?;
        Some(value.replace("\\\"", "\"").replace("\\\\", "\\"))
    };
    Some(OriginUrls {
        url: get("\turl")?,
        push_url: get("\tpushurl"),
    })
}

/// True where locks end with their holders. Elsewhere a child cannot hold the queue's lock beyond its parent's death, so that only old lock
/// files are known to be dead.
const ARE_HOLDERS_KNOWN: bool = cfg!(unix);

fn sweep_locks(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else {
            continue;
        };
        if kind.is_dir() && entry.file_name() != "objects" {
            sweep_locks(&path);
        } else if path.extension().is_some_and(|end| end == "lock") && (ARE_HOLDERS_KNOWN || is_old(&entry)) {
            // If a lock cannot be removed, the first call that needs it reports the error.
            drop(fs::remove_file(&path));
        }
    }
}

/// Removes indexes and borrowing repositories that a killed process left.
fn sweep_scratch(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_old(&entry) {
            // A scratch file that stays costs only room.
            drop(match entry.file_type() {
                Ok(kind) if kind.is_dir() => fs::remove_dir_all(entry.path()),
                _ => fs::remove_file(entry.path()),
            });
        }
    }
}

/// Removes objects and packs that a killed git had not written to their end. Git gives them their names when they are complete.
fn sweep_unfinished(objects: &Path) {
    let folders = fs::read_dir(objects).into_iter().flatten().flatten();
    for folder in folders.filter(|folder| folder.file_type().is_ok_and(|kind| kind.is_dir())) {
        if is_unfinished(&folder) {
            // A leftover costs only room.
            drop(fs::remove_dir_all(folder.path()));
            continue;
        }
        let entries = fs::read_dir(folder.path()).into_iter().flatten().flatten();
        for file in entries.filter(is_unfinished) {
            drop(fs::remove_file(file.path()));
        }
    }
}

fn is_unfinished(entry: &fs::DirEntry) -> bool {
    entry.file_name().to_string_lossy().starts_with("tmp_") && is_old(entry)
}

fn is_old(entry: &fs::DirEntry) -> bool {
    let modified = entry.metadata().and_then(|found| found.modified());
    modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > STALE))
}
