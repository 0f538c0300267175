//! Large files of Git LFS: the objects that new commits name are sent to the remote before the commits. No hook of the repository does it,
//! since none of them runs for the engine.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read as _, Seek as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::cli::GitCli;
use super::command::GitCommand;
use super::discovery::is_on_this_machine;
use super::files::failed;
use crate::adapters::text_file;
use crate::ports::git::{CommitId, GitError};

/// Maximum size of the changes that are searched for names of objects, in bytes.
const MOST_CHANGES: usize = 64 * 1024 * 1024;
/// Number of objects that are sent with one call.
const AT_ONCE: usize = 200;
/// Line of a pointer that names its object.
const POINTER: &str = "oid sha256:";

impl GitCli {
    /// Sends the objects that commits name which the remote has not been seen with. The person's own git has to know Git LFS, as it must for
    /// such a file to have become a pointer at all.
    pub(super) fn send_large_files(&self, commit: &CommitId) -> Result<(), GitError> {
        let is_used = |name: &String| name.starts_with("filter.lfs.");
        if !self.has_remote() || !self.filters.lock().settings.own.keys().any(is_used) {
            return Ok(());
        }
        let objects: Vec<String> = self.new_objects(commit)?.into_iter().collect();
        let origin = self.control.origin();
        let url = origin.push_url.as_deref().unwrap_or(&origin.url);
        if is_on_this_machine(url) {
            return self.copy_objects(&objects, Path::new(url.strip_prefix("file://").unwrap_or(url)));
        }
        for some in objects.chunks(AT_ONCE) {
            let call = self.over_network("send large files (Git LFS)")?;
            let call = self.with_server(self.with_own_filters(call))?;
            let call = call.words("lfs push --object-id origin").args(some);
            self.program.kept(call).run_ok()?;
        }
        Ok(())
    }

    /// Copies objects to a remote in a folder of this machine. The program for it would take the place of our own objects for the remote's.
    fn copy_objects(&self, objects: &[String], remote: &Path) -> Result<(), GitError> {
        let inner = remote.join(".git");
        let theirs = if inner.is_dir() { inner } else { remote.to_owned() }.join("lfs/objects");
        let ours = self.project.common.join("lfs/objects");
        for id in objects {
            let (first, second) = (id.get(..2).unwrap_or_default(), id.get(2..4).unwrap_or_default());
            let place = |root: &Path| root.join(first).join(second).join(id);
            let (from, to) = (place(&ours), place(&theirs));
            if to.is_file() {
                continue;
            }
            let folder = to.parent().unwrap_or(&theirs);
            fs::create_dir_all(folder).map_err(failed("send large files (Git LFS) to", folder))?;
            let part = to.with_extension(self.unique_name("part"));
            copy_object(&from, &part, id).map_err(failed("send large files (Git LFS): copy", &from))?;
            fs::rename(&part, &to).map_err(failed("send large files (Git LFS): write", &to))?;
        }
        Ok(())
    }

    /// Lists the objects that new commits name.
    fn new_objects(&self, commit: &CommitId) -> Result<BTreeSet<String>, GitError> {
        let call = self.in_control(format!("look for large files in {commit}"))?;
        let call = call.words(
            "log --patch --unified=0 --no-color --no-ext-diff --no-textconv --diff-merges=first-parent",
        );
        let call = call.args(["--format=", "-G^oid sha256:", commit.as_str()]);
        let call = call.words("--not --glob=refs/dbs/remote").limit(MOST_CHANGES);
        let output = call.run_whole()?;
        let text = output.text();
        let named = text
            .lines()
            .filter_map(|line| line.strip_prefix('+')?.strip_prefix(POINTER));
        let is_id = |id: &&str| id.len() == 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        Ok(named.filter(is_id).map(str::to_owned).collect())
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

/// Copies an object whose content has that SHA-256. A link, which may lead to any file, is not followed.
fn copy_object(from: &Path, to: &Path, id: &str) -> io::Result<()> {
    if !from.symlink_metadata()?.is_file() {
        return Err(io::Error::other("it is no file"));
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
