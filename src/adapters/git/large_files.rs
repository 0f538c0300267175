//! Large files of Git LFS: the objects that new commits name are sent to the remote before the commits. No hook of the repository does it,
//! since none of them runs for the engine.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::cli::GitCli;
use super::command::GitCommand;
use super::discovery::is_on_this_machine;
use super::error_text::one_line;
use super::files::failed;
use crate::adapters::text_file;
use crate::ports::git::{CommitFile, CommitId, GitError};

/// Maximum size of the changes that are searched for names of objects, in bytes.
const MOST_CHANGES: usize = 64 * 1024 * 1024;
/// Number of objects that are sent with one call.
const AT_ONCE: usize = 200;
/// Maximum size of a pointer, in bytes.
const LARGEST_POINTER: usize = 1024;
/// Start of a pointer.
const FIRST_LINE: &str = "version https://git-lfs.github.com/spec/";
/// Line of a pointer that names its object.
const POINTER: &str = "oid sha256:";

impl GitCli {
    /// Sends the objects that commits name which the remote has not been seen with. The person's own git has to know Git LFS, as it must for
    /// such a file to have become a pointer at all.
    pub(super) fn send_large_files(&self, commit: &CommitId) -> Result<(), GitError> {
        if !self.has_remote() || !self.uses_large_files() {
            return Ok(());
        }
        let objects: Vec<String> = self.new_objects(commit)?.into_keys().collect();
        let origin = self.control.origin();
        let url = origin.push_url.as_deref().unwrap_or(&origin.url);
        if is_on_this_machine(url) {
            return self.copy_objects(&objects, &store_of(url));
        }
        for some in objects.chunks(AT_ONCE) {
            let call = self.over_network("send large files (Git LFS)")?;
            let call = self.with_server(self.with_own_filters(call))?;
            let call = call.words("lfs push --object-id origin").args(some);
            self.program.kept(call).run_ok()?;
        }
        Ok(())
    }

    /// Returns the reason why commits may not follow a base, if there is one: a new one names a large file that is neither here nor on the
    /// remote, where no other clone can read it. Errors: the remote did not answer.
    pub(super) fn missing_large_file(&self, commit: &CommitId) -> Result<Option<String>, GitError> {
        if !self.uses_large_files() {
            return Ok(None);
        }
        let ours = self.large_file_store();
        for (id, path) in self.new_objects(commit)? {
            if !place_of(&ours, &id).is_file() && !self.is_on_server(commit, &id, &path)? {
                let path = one_line(&path);
                return Ok(Some(format!(
                    "{path} names the large file {id} (Git LFS), which is neither here nor on the remote; add the file itself with \
                     `git add {path}`, not the text that stands for it"
                )));
            }
        }
        Ok(None)
    }

    fn uses_large_files(&self) -> bool {
        let is_used = |name: &String| name.starts_with("filter.lfs.");
        self.filters.lock().settings.own.keys().any(is_used)
    }

    /// Folder of the objects of the project.
    fn large_file_store(&self) -> PathBuf {
        let own = self.filters.lock().settings.own.get("lfs.storage").cloned();
        let storage = own.unwrap_or_else(|| "lfs".to_owned());
        self.project.common.join(storage).join("objects")
    }

    /// Returns true if the remote has an object, which is fetched then.
    fn is_on_server(&self, commit: &CommitId, id: &str, path: &str) -> Result<bool, GitError> {
        if !self.has_remote() {
            return Ok(false);
        }
        let origin = self.control.origin();
        if is_on_this_machine(&origin.url) {
            return Ok(place_of(&store_of(&origin.url), id).is_file());
        }
        let call = self.over_network("fetch a large file (Git LFS)")?;
        let call = self.with_server(self.with_own_filters(call))?;
        let call = call.words("lfs fetch origin").arg(commit.as_str());
        let output = self.program.kept(call.arg("--include").arg(path)).run()?;
        if output.code == Some(0) {
            return Ok(place_of(&self.large_file_store(), id).is_file());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        if said.contains("[404]") || said.contains("does not exist") {
            return Ok(false);
        }
        Err(output.failure())
    }

    /// Copies objects to a remote in a folder of this machine. The program for it would take the place of our own objects for the remote's.
    fn copy_objects(&self, objects: &[String], theirs: &Path) -> Result<(), GitError> {
        let ours = self.large_file_store();
        for id in objects {
            let (from, to) = (place_of(&ours, id), place_of(theirs, id));
            if to.is_file() {
                continue;
            }
            let folder = to.parent().unwrap_or(theirs);
            fs::create_dir_all(folder).map_err(failed("send large files (Git LFS) to", folder))?;
            let part = to.with_extension(self.unique_name("part"));
            copy_object(&from, &part, id).map_err(failed("send large files (Git LFS): copy", &from))?;
            fs::rename(&part, &to).map_err(failed("send large files (Git LFS): write", &to))?;
        }
        Ok(())
    }

    /// Lists the objects that new commits name, each with the path of a file that names it.
    fn new_objects(&self, commit: &CommitId) -> Result<BTreeMap<String, String>, GitError> {
        let call = self.in_control(format!("look for large files in {commit}"))?;
        let call = call.config("core.quotePath=false");
        let call = call.words(
            "log --patch --unified=0 --no-color --no-ext-diff --no-textconv --diff-merges=first-parent --src-prefix=a/ --dst-prefix=b/",
        );
        let call = call.args(["--format=", "-G^oid sha256:", commit.as_str()]);
        let call = call.words("--not --glob=refs/dbs/remote").limit(MOST_CHANGES);
        let output = call.run_whole()?;
        let text = output.text();
        let is_id = |id: &str| id.len() == 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let (mut objects, mut path) = (BTreeMap::new(), "");
        for line in text.lines().filter_map(|line| line.strip_prefix('+')) {
            if let Some(named) = line.strip_prefix("++ ") {
                let named = named.trim_matches('"');
                path = named.strip_prefix("b/").unwrap_or(named);
            }
            if let Some(id) = line.strip_prefix(POINTER).filter(|id| is_id(id)) {
                objects.insert(id.to_owned(), path.to_owned());
            }
        }
        let mut real = BTreeMap::new();
        for (id, path) in objects {
            let now = self.read_file(commit, &path, LARGEST_POINTER)?;
            // Of a file that is gone again the earlier commits still name the object.
            if !matches!(&now, CommitFile::Text(now) if !now.text.starts_with(FIRST_LINE)) {
                real.insert(id, path);
            }
        }
        Ok(real)
    }

    /// Adds the address of the server that the person's checkout names in `.lfsconfig`, as the person's own git reads it.
    fn with_server(&self, call: GitCommand) -> Result<GitCommand, GitError> {
        let file = self.project.root.join(".lfsconfig");
        if !file.symlink_metadata().is_ok_and(|found| found.is_file()) {
            return Ok(call);
        }
        text_file::read(&file, text_file::LARGEST_WRITTEN).map_err(failed("read", &file))?;
        let ask = self
            .in_control("read .lfsconfig")?
            .words("config --no-includes --file");
        let output = ask.arg(&file).words("--get lfs.url").run()?;
        Ok(match output.code {
            Some(0) => call.setting("lfs.url", output.text().trim()),
            _ => call,
        })
    }
}

/// Folder of the objects of a remote on this machine.
fn store_of(url: &str) -> PathBuf {
    let remote = Path::new(url.strip_prefix("file://").unwrap_or(url));
    let inner = remote.join(".git");
    if inner.is_dir() { inner } else { remote.to_owned() }.join("lfs/objects")
}

fn place_of(store: &Path, id: &str) -> PathBuf {
    let (first, second) = (id.get(..2).unwrap_or_default(), id.get(2..4).unwrap_or_default());
    store.join(first).join(second).join(id)
}

/// Copies an object whose content has that SHA-256. A link, which may lead to any file, is not followed.
fn copy_object(from: &Path, to: &Path, id: &str) -> io::Result<()> {
    if !from.symlink_metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut digest = Sha256::new();
    let mut source = fs::File::open(from)?;
    let mut part = vec![0; 64 * 1024];
    loop {
        let read = source.read(&mut part)?;
        let Some(bytes) = part.get(..read).filter(|bytes| !bytes.is_empty()) else {
            break;
        };
        digest.update(bytes);
    }
    source.rewind()?;
    if hex::encode(digest.finalize()) != id {
        return Err(io::Error::other("its content is another than its name says"));
    }
    io::copy(&mut source, &mut fs::File::create_new(to)?).map(drop)
}
