//! Harmful tricks of agents. The campaign puts a file named after the trick where agents look; the first agent that takes it plays the
//! trick.

use std::fs;
use std::io;
use std::thread::sleep;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::checker;
use crate::faults::wait_for;
use crate::project::Project;
use crate::victims;

/// Longest time that an agent may take to come and play a trick.
const TAKEN_LIMIT: Duration = Duration::from_secs(4);
/// Longest time that a link may stay in place of the inbox: servers look every two seconds.
const RESTORED_LIMIT: Duration = Duration::from_secs(8);
/// Age from which a lock of the origin counts as left behind.
const LOCK_AGE: Duration = Duration::from_mins(1);
/// Duration of a flood of output.
const FLOOD: Duration = Duration::from_secs(2);

/// Script of an agent. It records each start and each commit before any other process knows of them.
pub(crate) const AGENT: &str = r#"set -e
echo "$DBS_ATTEMPT $DBS_ROLE $DBS_TASK" >>NOTES/starts
"$DBS_PROGRAM" signal claim
sleep 0.3
trick=none
if [ "$DBS_ROLE" = developer ]; then
  for found in NOTES/tricks/*; do
    mv "$found" "NOTES/taken/$DBS_ATTEMPT" 2>/dev/null || continue
    trick=${found##*/}
    break
  done
  case $trick in
    prints) yes "[$DBS_TASK] a line of a flood that does not end by itself" ;;
    signals)
      awk -v n="$DBS_ATTEMPT" -v token="$DBS_TOKEN" -v folder="$DBS_INBOX/.flood-$DBS_ATTEMPT" 'BEGIN {
        system("mkdir -p " folder)
        for (i = 0; i < 2000; i++) {
          file = sprintf("%s/%013d-flood-%s.json", folder, i, n)
          printf "{\"attempt\":%s,\"token\":\"%s\",\"kind\":\"progress\",\"text\":\"%s\",\"key\":\"flood-%s-%s\"}", n, token, i, n, i >file
          close(file)
        }
      }'
      mv "$DBS_INBOX/.flood-$DBS_ATTEMPT"/* "$DBS_INBOX"
      rmdir "$DBS_INBOX/.flood-$DBS_ATTEMPT"
      for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
        for j in 1 2 3; do "$DBS_PROGRAM" signal progress "$i $j" & done
        wait
      done ;;
    links-inbox)
      rm -rf "$DBS_INBOX"
      mkdir -p NOTES/elsewhere
      ln -s NOTES/elsewhere "$DBS_INBOX" ;;
    removes-git-file)
      rm .git
      "$DBS_PROGRAM" signal done "Finished, and removed the .git file."
      exit ;;
  esac
  mkdir -p work
  echo "$DBS_TASK" >"work/$DBS_TASK.txt"
  git add work
  git diff --cached --quiet || git commit -qm "[$DBS_TASK] Work"
  # This git may be killed, too; a note without a commit would be taken for one that is lost.
  commit=$(git rev-parse HEAD) || commit=$(git rev-parse HEAD)
  echo "$commit $DBS_TASK" >>NOTES/commits
  git push -q origin HEAD
  case $trick in
    deletes-branch) git update-ref -d "refs/heads/$DBS_BRANCH" ;;
    leaves-pipe) mkfifo work/pipe pipe ;;
  esac
  sleep 0.3
fi
"$DBS_PROGRAM" signal done "Finished."
"#;

/// Harm that an agent does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trick {
    /// Prints without end.
    Prints,
    /// Sends thousands of signals.
    Signals,
    /// Replaces the inbox of all agents with a link to another place.
    LinksInbox,
    /// Removes the `.git` file of its worktree.
    RemovesGitFile,
    /// Deletes the branch it works on.
    DeletesBranch,
    /// Puts pipes into its worktree, which would block a reader forever.
    LeavesPipe,
}

impl Trick {
    /// Returns the name that agents and the report use.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Trick::Prints => "prints",
            Trick::Signals => "signals",
            Trick::LinksInbox => "links-inbox",
            Trick::RemovesGitFile => "removes-git-file",
            Trick::DeletesBranch => "deletes-branch",
            Trick::LeavesPipe => "leaves-pipe",
        }
    }
}

/// Lets the next developer play the trick; returns true if one did.
pub(crate) fn play(project: &Project, trick: Trick) -> Result<bool, String> {
    let offer = project.notes().join("tricks").join(trick.name());
    fs::write(&offer, "").map_err(|error| format!("could not write {}: {error}", offer.display()))?;
    if !wait_for(TAKEN_LIMIT, || !offer.exists()) {
        match fs::remove_file(&offer) {
            // An agent took the trick at the last moment.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            _ => return Ok(false),
        }
    }
    if trick == Trick::Prints {
        sleep(FLOOD);
        end_floods(project);
    }
    Ok(true)
}

/// Ends programs that would print forever.
pub(crate) fn end_floods(project: &Project) {
    for process in victims::processes(project) {
        if process.command.starts_with("yes\0") {
            // The program may have ended by itself, together with its reader.
            kill(Pid::from_raw(process.pid), Signal::SIGKILL).ok();
        }
    }
}

/// Removes what holds tasks up, as a person does who reads the reason: pipes in worktrees, a link in place of the inbox, and locks at the
/// origin that a killed git left there more than a minute ago.
pub(crate) fn put_away(project: &Project) {
    let worktrees = project.checkout().with_extension("dbs");
    for worktree in fs::read_dir(worktrees).into_iter().flatten().flatten() {
        for name in ["pipe", "work/pipe"] {
            // The pipes usually exist only after the trick.
            drop(fs::remove_file(worktree.path().join(name)));
        }
    }
    let folders = ["", "refs/heads", "refs/heads/feature"].map(|folder| project.origin().join(folder));
    for lock in folders.iter().flat_map(|folder| checker::locks(folder)) {
        let made = lock.metadata().and_then(|facts| facts.modified());
        if made.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > LOCK_AGE)) {
            println!("{} was left behind at the origin", lock.display());
            drop(fs::remove_file(lock));
        }
    }
    let inbox = project.checkout().join(".git/dbs/inbox");
    let is_link = || inbox.symlink_metadata().is_ok_and(|facts| facts.is_symlink());
    // A server removes the link at its next look or its next start.
    if is_link() && !wait_for(RESTORED_LIMIT, || !is_link()) {
        println!("the inbox is still a link");
        drop(fs::remove_file(&inbox).and_then(|()| fs::create_dir(&inbox)));
    }
}
