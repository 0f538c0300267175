//! The PRDs of the queue, read from their files: bounded, in the order of their names, and none from outside of the project.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use crate::adapters::text_file;
use crate::config::atdd::StorySettings;
use crate::config::project_paths::ProjectPaths;
use crate::domain::Cause;
use crate::formats::finding::{Finding, FindingLevel};
use crate::formats::prd::{self, MOST_PRD_BYTES, PrdDocument};
use crate::formats::story_files::{ARCHIVE_FOLDER, planned_test_names};

/// Maximum number of PRDs that are read at once, and maximum bytes of them together.
const MOST_PRDS: usize = 500;
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// Maximum number of archived PRDs, of which only the ids are kept, and maximum bytes of them together.
const MOST_ARCHIVED: usize = 5000;
const MOST_ARCHIVED_BYTES: usize = 64 * 1024 * 1024;

/// A PRD with the file of the tests of each of its stories.
#[derive(Debug)]
pub struct QueuedPrd {
    pub prd: PrdDocument,
    /// Test file of each story, relative to the project's root.
    pub test_files: Vec<String>,
}

/// PRDs of the queue, and the archived story ids beside them.
#[derive(Debug)]
pub struct PrdQueue {
    pub prds: Vec<QueuedPrd>,
    /// Ids of stories of archived PRDs.
    pub archived: BTreeSet<String>,
}

/// Returns all PRDs of the queue.
///
/// # Errors
/// When the folder cannot be listed, or leads out of the project.
pub fn whole(paths: &ProjectPaths, settings: &StorySettings) -> Result<PrdQueue, Cause> {
    let folder = paths.root.join(&settings.folder);
    let files = match folder.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => {
            return Err(Cause::from(format!(
                "could not list {}: {error}",
                folder.display()
            )));
        }
        Ok(real) if !real.starts_with(&paths.root) => {
            return Err(Cause::from(format!(
                "could not list {}: it is a link out of the project; put a folder in its place, or name another: dbs config atdd.folder FOLDER",
                folder.display()
            )));
        }
        Ok(_) => prds_in(&folder)?,
    };
    read(&files, Some(paths), settings)
}

/// Returns the PRDs that a person names, and those of named folders.
///
/// # Errors
/// When one does not exist, or a folder cannot be listed.
pub fn named(
    paths: &[PathBuf],
    project: Option<&ProjectPaths>,
    settings: &StorySettings,
) -> Result<PrdQueue, Cause> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(prds_in(path)?);
        } else if let Err(error) = path.symlink_metadata() {
            return Err(Cause::from(format!(
                "could not read the PRD {}: {}",
                path.display(),
                text_file::in_plain_words(error)
            )));
        } else {
            files.push(path.clone());
        }
    }
    read(&files, project, settings)
}

/// Returns the files of the PRDs in a folder, in the order of their names.
///
/// # Errors
/// When the folder cannot be listed; for people.
pub fn prds_in(folder: &Path) -> Result<Vec<PathBuf>, Cause> {
    let failed = |error: io::Error| Cause::from(format!("could not list {}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in folder.read_dir().map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_prd = path.extension().is_some_and(|ending| ending == "json");
        if is_prd && !name_of(&path).starts_with('.') && !path.is_dir() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn read(
    files: &[PathBuf],
    paths: Option<&ProjectPaths>,
    settings: &StorySettings,
) -> Result<PrdQueue, Cause> {
    if files.len() > MOST_PRDS {
        let many = files.len();
        return Err(Cause::from(format!(
            "could not read {many} PRDs: {MOST_PRDS} are the most; move some away"
        )));
    }
    let mut bytes_left = MOST_BYTES;
    let root = paths.map(|paths| paths.root.as_path());
    let prds = files.iter().map(|file| match open(file, root, &mut bytes_left) {
        Ok(text) => prd::read(file, &text),
        Err(why) => unreadable(file, &why.to_string()),
    });
    let mut prds: Vec<PrdDocument> = prds.collect();
    for prd in &mut prds {
        // People name files from the project's root, and programs read them there.
        if let Some(inside) = root.and_then(|root| prd.file.strip_prefix(root).ok()) {
            let inside = inside.to_owned();
            for found in &mut prd.findings {
                found.file.clone_from(&inside);
            }
            prd.file = inside;
        }
    }
    let folders: BTreeSet<&Path> = files.iter().filter_map(|file| file.parent()).collect();
    let archived = folders.into_iter().map(|folder| archived(folder, root));
    let archived: Vec<Vec<(String, String)>> = archived.collect::<Result<_, _>>()?;
    let archived = archived.concat();
    Ok(PrdQueue {
        prds: with_tests(prds, &archived, settings),
        archived: archived.into_iter().map(|(_, id)| id).collect(),
    })
}

/// Returns the stories of PRDs in the archive of a folder: the name of the file, and the id. Files that cannot be read have none.
///
/// # Errors
/// When the archive cannot be listed, or is too large.
fn archived(folder: &Path, root: Option<&Path>) -> Result<Vec<(String, String)>, Cause> {
    let folder = folder.join(ARCHIVE_FOLDER);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let files = prds_in(&folder)?;
    if files.len() > MOST_ARCHIVED {
        return Err(Cause::from(format!(
            "could not read {}: it has more than {MOST_ARCHIVED} PRDs; move some away",
            folder.display()
        )));
    }
    let mut bytes_left = MOST_ARCHIVED_BYTES;
    let mut found = Vec::new();
    for file in &files {
        let text = open(file, root, &mut bytes_left).unwrap_or_default();
        let stories = prd::read(file, &text).stories.into_iter();
        found.extend(stories.map(|story| (name_of(file).to_owned(), story.id)));
    }
    Ok(found)
}

/// Reads the text of a PRD. A link must not lead outside of the project, and outside of projects not outside of the PRD's folder.
fn open(file: &Path, root: Option<&Path>, bytes_left: &mut usize) -> io::Result<String> {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let folder = folder.canonicalize()?;
    let bounds = match root {
        Some(root) if folder.starts_with(root) => root,
        _ => &folder,
    };
    let file = file.canonicalize()?;
    if !file.starts_with(bounds) {
        let why = format!("it is a link to a file outside of {}", bounds.display());
        return Err(io::Error::other(why));
    }
    let most = u64::try_from(MOST_PRD_BYTES).unwrap_or(u64::MAX);
    let text = text_file::read_text(&file, most)?;
    let left = bytes_left.checked_sub(text.len());
    *bytes_left =
        left.ok_or_else(|| io::Error::other(format!("the PRDs have more than {MOST_BYTES} bytes together")))?;
    Ok(text)
}

fn unreadable(file: &Path, why: &str) -> PrdDocument {
    let mut prd = prd::read(file, "");
    let text = format!("this cannot be read: {why}");
    prd.findings = vec![Finding::new(FindingLevel::Error, file, 0, text).at("UNREADABLE", "$")];
    prd
}

/// Adds the files of tests, and a problem where two stories would share one (LA-4).
fn with_tests(
    prds: Vec<PrdDocument>,
    archived: &[(String, String)],
    settings: &StorySettings,
) -> Vec<QueuedPrd> {
    let stories = prds.iter().flat_map(|prd| {
        let name = name_of(&prd.file);
        prd.stories.iter().map(move |story| (name, story.id.as_str()))
    });
    let old = archived.iter().map(|(prd, story)| (prd.as_str(), story.as_str()));
    let mut names = planned_test_names(&stories.chain(old).collect::<Vec<_>>()).into_iter();
    let mut taken: BTreeMap<String, String> = BTreeMap::new();
    let mut queue = Vec::new();
    for mut prd in prds {
        let files: Vec<String> = names
            .by_ref()
            .take(prd.stories.len())
            .map(|name| settings.test_file(&name))
            .collect();
        for (index, (story, file)) in prd.stories.iter().zip(&files).enumerate() {
            let path = format!("$.userStories[{index}].id");
            if let Some((old, _)) = archived.iter().find(|(_, id)| *id == story.id) {
                let text = format!(
                    "{ARCHIVE_FOLDER}/{old} also has a story {}; to keep its tests apart, the tests of this story are in {file}",
                    story.id
                );
                let finding = Finding::new(FindingLevel::Warning, &prd.file, story.line, text);
                prd.findings.push(finding.at("ARCHIVED_ID", &path));
            }
            let own = format!("{} of {}", story.id, prd.file.display());
            let clash = taken.insert(file.to_lowercase(), own);
            if let Some(other) = clash.filter(|other| !other.ends_with(&format!("of {}", prd.file.display())))
            {
                let text =
                    format!("its tests would stand in {file}, as those of {other}; rename a file or a story");
                let finding = Finding::new(FindingLevel::Error, &prd.file, story.line, text);
                prd.findings.push(finding.at("TEST_FILE_CLASH", &path));
            }
        }
        queue.push(QueuedPrd {
            prd,
            test_files: files,
        });
    }
    queue
}

fn name_of(file: &Path) -> &str {
    file.file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default()
}
