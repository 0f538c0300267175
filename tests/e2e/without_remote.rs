//! Stories of a project that has no remote.

use std::fs;

use crate::driver::Story;
use crate::phases::wait_for_end;
use crate::plans::{story, task};

fn without_remote() -> Story {
    let story = story();
    let project = story.project();
    story.git(&project, &["remote", "remove", "origin"]);
    fs::remove_dir_all(story.origin()).unwrap();
    let file = project.join(".debussy/config.toml");
    let settings = fs::read_to_string(file).unwrap();
    story.write_settings(&format!("remote = \"none\"\n{settings}"));
    story
}

#[test]
fn a_plan_runs_to_its_end_on_the_branch_of_the_person_who_commits_meanwhile() {
    let story = without_remote();
    let project = story.project();
    let (text, code) = wait_for_end(&story, &["--allow-dirty"]);
    assert_eq!(code, Some(5), "a phase waits for approval: {text}");
    // The first phase is on the branch already; the person goes on from it in a checkout of their own.
    let files = story.git(&project, &["ls-tree", "-r", "--name-only", "work"]);
    assert!(files.contains("model.txt"), "{files}");
    let mine = story.root().join("mine");
    story.git(
        &project,
        &["worktree", "add", "-q", mine.to_str().unwrap(), "work"],
    );
    fs::write(mine.join("mine.txt"), "mine\n").unwrap();
    story.git(&mine, &["add", "mine.txt"]);
    story.git(&mine, &["commit", "-q", "-m", "Mine"]);
    story.dbs(&["approve", "invoice-2.1"]);
    let (text, code) = wait_for_end(&story, &["--allow-dirty"]);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(task(&story, "invoice-2.1")["state"], "done");
    // The checkout has the branch, so its files wait for the person.
    story.git(&mine, &["merge", "-q", "--ff-only", "dbs/work"]);
    for file in ["model.txt", "csv.txt", "mine.txt"] {
        assert!(mine.join(file).exists(), "{file}");
    }
    let doctor = String::from_utf8(story.run(&["doctor"]).stdout).unwrap();
    assert!(doctor.contains("no remote: nothing is pushed"), "{doctor}");
    story.dbs(&["stop", "--all"]);
}

#[test]
fn the_files_of_a_plan_come_to_the_folder_of_the_person_who_commits_there() {
    let story = without_remote();
    let project = story.project();
    story.git(&project, &["checkout", "-q", "work"]);
    let (text, code) = wait_for_end(&story, &["--allow-dirty"]);
    assert_eq!(code, Some(5), "a phase waits for approval: {text}");
    story.wait_until("the first phase is here", || project.join("model.txt").exists());
    fs::write(project.join("mine.txt"), "mine\n").unwrap();
    story.git(&project, &["add", "mine.txt"]);
    story.git(&project, &["commit", "-q", "-m", "Mine"]);
    story.dbs(&["approve", "invoice-2.1"]);
    let (text, code) = wait_for_end(&story, &["--allow-dirty"]);
    assert_eq!(code, Some(0), "{text}");
    story.wait_until("the last phase is here", || project.join("csv.txt").exists());
    assert!(project.join("mine.txt").exists());
    let merged = story.git(&project, &["rev-parse", "dbs/work"]);
    // Files, branch and index follow each other.
    story.wait_until("the branch and its index are here", || {
        story.git(&project, &["rev-parse", "work"]) == merged
            && story
                .git(
                    &project,
                    &["--no-optional-locks", "status", "--porcelain", "-uno"],
                )
                .is_empty()
    });
    story.dbs(&["stop", "--all"]);
}
