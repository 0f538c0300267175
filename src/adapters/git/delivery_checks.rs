//! Rules that keep the person's checkout as it is, besides its files and its index, and the files of both commits as git would write them
//! there. A file that git converts by a program is not moved, so that none is started.

use std::collections::BTreeSet;
use std::fs;

use super::delivery_move::{Halt, INDEX_OF_COMMIT, Move, Moving, STAGE, in_parts, on_disk, until};
use super::discovery;
use super::error_text::one_line;
use super::files::{failed, missing, remove_if_there};
use super::filter_settings::filter_of;
use super::parse::{FileEntry, TreeChange};
use crate::ports::git::CommitId;

impl Move<'_> {
    /// Fails where a rule forbids the move; the files of both commits are in the stage afterwards.
    pub(super) fn check(&mut self) -> Moving<()> {
        self.refuse_sparse()?;
        self.refuse_private_attributes()?;
        self.refuse_links()?;
        self.prepare_index()?;
        self.merged_index()?;
        for (name, commit) in [("from", &self.from), ("to", &self.to)] {
            self.write_stage(name, commit)?;
        }
        self.look_at_files()
    }

    /// Fails where something has the name of the folder that the move needs.
    pub(super) fn refuse_stage(&self) -> Moving<()> {
        let is_below = |change: &TreeChange| change.path.to_lowercase().starts_with(STAGE);
        if self.stage().symlink_metadata().is_ok() || self.changes.iter().any(is_below) {
            return Err(until(format!("{STAGE} is in the way; move it away")));
        }
        Ok(())
    }

    fn refuse_sparse(&self) -> Moving<()> {
        let call = self.git.in_project("ask whether the checkout is sparse");
        let is_sparse = call.words("config --type=bool --get core.sparseCheckout").run()?;
        if is_sparse.text().trim() == "true" {
            return Err(Halt::Kept(
                "the checkout is sparse; `git pull` moves it".to_owned(),
            ));
        }
        Ok(())
    }

    /// Fails where attributes that are in no commit may convert files.
    fn refuse_private_attributes(&self) -> Moving<()> {
        let private = self.git.private_attributes()?;
        let mut lines = private.lines().map(str::trim);
        if lines.any(|line| !line.is_empty() && !line.starts_with('#')) {
            let why = ".git/info/attributes may convert files; `git pull` moves them";
            return Err(Halt::Kept(why.to_owned()));
        }
        Ok(())
    }

    /// Fails where the commit of a submodule changes that has files here.
    fn refuse_links(&self) -> Moving<()> {
        let is_link = |entry: &Option<FileEntry>| entry.as_ref().is_some_and(FileEntry::is_gitlink);
        for change in &self.changes {
            if is_link(&change.from) || is_link(&change.to) {
                let mut entries = fs::read_dir(self.place(&change.path)).into_iter().flatten();
                if entries.next().is_some() {
                    let path = one_line(&change.path);
                    let why = format!(
                        "submodule {path} changes and has files here; `git pull --recurse-submodules` moves it"
                    );
                    return Err(Halt::Kept(why));
                }
            }
        }
        Ok(())
    }

    /// Writes the changed files of a commit into the stage, as git would write them into the checkout.
    pub(super) fn write_stage(&self, name: &str, commit: &CommitId) -> Moving<()> {
        let stage = self.stage();
        let index = self.git.project.git_dir.join(INDEX_OF_COMMIT);
        remove_if_there(&index)?;
        let call = |what: &str| self.git.on_files(&stage, &index, what);
        let read = call("read the files of a commit")?;
        read.words("read-tree --end-of-options")
            .arg(commit.as_str())
            .run_ok()?;
        let side = |change: &TreeChange| {
            let entry = if *commit == self.from {
                &change.from
            } else {
                &change.to
            };
            on_disk(entry.as_ref()).is_some()
        };
        let paths = self.changes.iter().filter(|change| side(change));
        let paths: Vec<&str> = paths.map(|change| change.path.as_str()).collect();
        let ask = || Ok(call("read the attributes of files")?.words("check-attr --cached -z filter"));
        let attributes = in_parts(&paths, ask)?;
        self.refuse_filters(&String::from_utf8_lossy(&attributes))?;
        let folder = stage.join(name);
        fs::create_dir(&folder).map_err(failed("make", &folder))?;
        let write = || {
            let call = call("write the files of a commit")?.timeout(self.git.program.limits.transfer);
            Ok(call
                .words("checkout-index --force --quiet")
                .arg(format!("--prefix={name}/")))
        };
        in_parts(&paths, write)?;
        remove_if_there(&index)?;
        Ok(())
    }

    /// Fails where a file is converted by a program, by the output of `check-attr -z`.
    fn refuse_filters(&self, printed: &str) -> Moving<()> {
        let fields: Vec<&str> = printed.split_terminator('\0').collect();
        let wanted = fields.chunks_exact(3).filter_map(|entry| match entry {
            [_, _, "unspecified" | "unset" | "set"] => None,
            [path, _, filter] => Some((*path, *filter)),
            _ => None,
        });
        let wanted: Vec<(&str, &str)> = wanted.collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let known = discovery::filters(&self.git.program, &self.git.project)
            .map_err(|error| missing("the filters of the project", error.to_string()))?;
        let own: BTreeSet<&str> = known.own.keys().filter_map(|name| filter_of(name)).collect();
        let is_known = |name: &str| known.foreign.contains(name) || own.contains(name);
        match wanted.iter().find(|(_, name)| is_known(name)) {
            Some((path, name)) => {
                let (path, name) = (one_line(path), one_line(name));
                Err(Halt::Kept(format!(
                    "{path} needs the filter {name}; `git pull` runs it"
                )))
            }
            None => Ok(()),
        }
    }
}
