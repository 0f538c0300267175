//! Templates: checkouts that were prepared once, under a name made of everything that decides what was prepared. No agent works in one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use memchr::memmem;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::locks::WorkspaceLocks;
use super::rules::WorkspaceRules;
use crate::adapters::text_file;
use crate::domain::Cause;
use crate::ports::git::{CommitFile, CommitId, Git};
use crate::ports::trouble::io_trouble;

/// Maximum number of templates that are kept; the one that was used longest ago goes first.
const MOST_TEMPLATES: usize = 4;
/// Maximum size of a key file, and of a copied file that is part of a template's name, in bytes.
const LARGEST_KEY: usize = 64 * 1024 * 1024;
/// Maximum size of a file that is searched for the name of its own place, in bytes.
const LARGEST_SEARCHED: u64 = 1024 * 1024;
/// Bytes at the start of a file by which text is told from other content.
const HEAD: usize = 8 * 1024;
/// File of a finished template.
const MARK: &str = "template.json";
/// File that is written when a template is used.
const USED: &str = "used";
/// File that marks a build folder of cargo, which checks by itself what it may use again.
const CARGO_MARK: &str = ".rustc_info.json";

/// A finished template, or the place of one.
pub(super) struct Template {
    folder: PathBuf,
}

/// Contents of a finished template.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TemplateFacts {
    /// Prepared files and folders, relative to the template's files.
    pub(super) paths: Vec<PathBuf>,
    /// File that names the template's own place, so that nothing of it can be used elsewhere.
    pub(super) bound: Option<PathBuf>,
}

impl Template {
    /// Place of the template of that name in the folder of templates.
    pub(super) fn named(templates: &Path, name: &str) -> Template {
        Template {
            folder: templates.join(name),
        }
    }

    /// Checkout that was prepared.
    pub(super) fn files(&self) -> PathBuf {
        self.folder.join("files")
    }

    /// Folder for the output of its setup.
    pub(super) fn logs(&self) -> PathBuf {
        self.folder.join("setup")
    }

    fn mark(&self) -> PathBuf {
        self.folder.join(MARK)
    }

    /// Returns the contents, if it is finished, and notes that it is in use.
    pub(super) fn finished(&self) -> Option<TemplateFacts> {
        let text = text_file::read(&self.mark(), LARGEST_SEARCHED).ok()?;
        let facts = serde_json::from_slice(&text).ok()?;
        self.note_use();
        Some(facts)
    }

    /// Notes that it is in use. The time decides only which template goes first.
    fn note_use(&self) {
        drop(fs::write(self.folder.join(USED), "1"));
    }

    /// Marks it as finished.
    pub(super) fn finish(&self, paths: Vec<PathBuf>) -> Result<TemplateFacts, Cause> {
        let files = self.files();
        // Tools may see it through no link where the settings lead through one.
        let real = files.canonicalize().unwrap_or_else(|_gone| files.clone());
        let names = [&files, &real].map(|place| place.as_os_str().as_encoded_bytes());
        let named_in = |path: &PathBuf| {
            let path = files.join(path);
            names.iter().find_map(|name| file_that_names(&path, name))
        };
        let bound = paths.iter().find_map(named_in);
        let facts = TemplateFacts { paths, bound };
        let text = serde_json::to_vec(&facts).map_err(|error| Cause::from(error.to_string()))?;
        let mark = self.mark();
        self.note_use();
        text_file::replace_private(&mark, &text).map_err(|error| {
            io_trouble(error.kind()).cause(format!("could not write {}: {error}", mark.display()))
        })?;
        Ok(facts)
    }
}

/// Returns the folders of all templates with the time at which each was used, the one that was used longest ago first.
fn by_use(templates: &Path) -> Vec<(SystemTime, PathBuf)> {
    let entries = fs::read_dir(templates).into_iter().flatten().flatten();
    let used = |entry: fs::DirEntry| {
        let used = entry
            .path()
            .join(USED)
            .metadata()
            .and_then(|found| found.modified());
        (used.unwrap_or(SystemTime::UNIX_EPOCH), entry.path())
    };
    let mut known: Vec<(SystemTime, PathBuf)> = entries.map(used).collect();
    known.sort();
    known
}

/// Returns the folders of the finished templates that nothing has used since that time. `place` is the folder in which worktrees are.
pub fn unused_templates(place: &Path, since: SystemTime) -> Vec<PathBuf> {
    let known = by_use(&templates_in(place)).into_iter();
    let unused = known.filter(|(used, folder)| *used < since && folder.join(MARK).is_file());
    unused.map(|(_, folder)| folder).collect()
}

/// Returns the folder of the templates. `place` is the folder in which worktrees are.
pub fn templates_in(place: &Path) -> PathBuf {
    place.join(".templates")
}

/// Removes a template.
///
/// # Errors
/// When it cannot be removed; for people.
pub fn remove_template(git: &dyn Git, folder: &Path) -> Result<(), Cause> {
    let failed = |error: io::Error| {
        io_trouble(error.kind()).cause(format!("could not remove {}: {error}", folder.display()))
    };
    // First: a template without it is not used.
    match fs::remove_file(folder.join(MARK)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let discarded = git.discard_checkout(&folder.join("files"));
    discarded.map_err(|error| error.cause().after("could not "))?;
    fs::remove_dir_all(folder).map_err(failed)
}

/// Removes all but the templates that were used last, and those that are in use.
pub(super) fn remove_old(git: &dyn Git, templates: &Path, locks: &WorkspaceLocks) {
    let known = by_use(templates);
    let surplus = known.len().saturating_sub(MOST_TEMPLATES);
    for (_, folder) in known.into_iter().take(surplus) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let lock = locks.of_template(&name);
        let Some(_removing) = lock.try_write() else {
            continue;
        };
        if let Err(why) = remove_template(git, &folder) {
            tracing::warn!("{why}");
        }
    }
}

/// Returns the name of the template that fits a commit: made of the rules, the key files of the commit, and the files that are copied. None
/// where the commit has no key file, or has submodules.
pub(super) fn name_for(
    git: &dyn Git,
    rules: &WorkspaceRules,
    commit: &CommitId,
    root: &Path,
    copied: &[PathBuf],
) -> Result<Option<String>, Cause> {
    // Git does not list files that a setup creates inside submodules, so a template would lack them.
    let submodules = git.file_at(commit, ".gitmodules", LARGEST_KEY);
    if matches!(
        submodules.map_err(|error| error.cause().after("could not "))?,
        CommitFile::Text(_)
    ) {
        return Ok(None);
    }
    let mut digest = Sha256::new();
    let mut add = |name: &str, content: &[u8]| {
        digest.update(format!("{} {}\n{name}", name.len(), content.len()));
        digest.update(content);
    };
    add(
        "rules 1",
        format!("{:?}", (&rules.clone, &rules.link, &rules.setup)).as_bytes(),
    );
    let mut has_key = false;
    for path in &rules.key {
        let found = git.file_at(commit, path, LARGEST_KEY);
        if let CommitFile::Text(text) = found.map_err(|error| error.cause().after("could not "))? {
            has_key = true;
            add(path, text.text.as_bytes());
        }
    }
    for path in copied {
        if let Err(error) = add_files(root, path, &mut add) {
            let path = root.join(path);
            tracing::info!("no template is used: could not read {}: {error}", path.display());
            return Ok(None);
        }
    }
    let digits = digest.finalize();
    Ok(has_key.then(|| hex::encode(digits.get(..16).unwrap_or_default())))
}

/// Adds the files at or below a path, each with its content.
fn add_files(root: &Path, path: &Path, add: &mut dyn FnMut(&str, &[u8])) -> io::Result<()> {
    let place = root.join(path);
    if !place.symlink_metadata()?.is_dir() {
        let content = text_file::read(&place, u64::try_from(LARGEST_KEY).unwrap_or(u64::MAX))?;
        add(&path.to_string_lossy(), &content);
        return Ok(());
    }
    let entries = fs::read_dir(&place)?.collect::<io::Result<Vec<_>>>()?;
    let mut below: Vec<PathBuf> = entries.iter().map(|entry| path.join(entry.file_name())).collect();
    below.sort();
    // Links are not copied.
    below.retain(|path| !root.join(path).is_symlink());
    below.iter().try_for_each(|path| add_files(root, path, add))
}

/// Returns the first text file at or below a path that contains the bytes. Build folders of cargo are passed over.
fn file_that_names(path: &Path, needle: &[u8]) -> Option<PathBuf> {
    let found = path.symlink_metadata().ok()?;
    if found.is_dir() {
        if path.join(CARGO_MARK).exists() {
            return None;
        }
        let mut entries = fs::read_dir(path).ok()?.flatten();
        return entries.find_map(|entry| file_that_names(&entry.path(), needle));
    }
    if !found.is_file() || found.len() > LARGEST_SEARCHED {
        return None;
    }
    let content = fs::read(path).ok()?;
    let is_text = !content.iter().take(HEAD).any(|byte| *byte == 0);
    (is_text && memmem::find(&content, needle).is_some()).then(|| path.to_owned())
}
