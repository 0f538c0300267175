//! Delivery of merged work to the person's checkout, as the settings say.

use dbs::domain::{BoardSettings, DeliveryMode, SignalKind, Span};

use crate::bench::{Bench, draft};

/// Returns a project with the base checked out, whose task is merged under that setting.
fn merged(deliver: DeliveryMode, prepare: &dyn Fn(&std::path::Path)) -> Bench {
    let mut bench = Bench::with(BoardSettings {
        base: Some("work".to_owned()),
        deliver,
        ..BoardSettings::default()
    });
    let project = bench.git.project();
    bench.git.git(&project, &["fetch", "-q", "origin"]);
    bench
        .git
        .git(&project, &["checkout", "-q", "-B", "work", "origin/work"]);
    prepare(&project);
    bench.release(draft("t-1", "kanban", None));
    bench.develop("t-1", "work.txt", "work\n");
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(bench.stage("t-1").1, "done");
    bench
}

fn owed(bench: &Bench) -> Option<String> {
    bench.board.batches[&"shop".into()].owed_text()
}

#[test]
fn the_files_of_a_merge_stand_in_the_persons_folder() {
    let bench = merged(DeliveryMode::FastForward, &|_| {});
    let project = bench.git.project();
    assert_eq!(
        std::fs::read_to_string(project.join("work.txt")).unwrap(),
        "work\n"
    );
    assert_eq!(
        bench.head(&project, "work"),
        bench.head(&bench.git.origin(), "work")
    );
    assert_eq!(bench.git.git(&project, &["status", "--porcelain"]), "");
    assert_eq!(owed(&bench), None);
}

#[test]
fn a_checkout_that_cannot_move_says_why_until_a_person_has_pulled() {
    let mut bench = merged(DeliveryMode::FastForward, &|project| {
        std::fs::write(project.join("work.txt"), "mine\n").unwrap();
    });
    let project = bench.git.project();
    let why = owed(&bench).unwrap();
    assert!(why.contains("work.txt is a file of yours"), "{why}");
    assert_eq!(
        std::fs::read_to_string(project.join("work.txt")).unwrap(),
        "mine\n"
    );
    std::fs::remove_file(project.join("work.txt")).unwrap();
    bench.wait(Span::minutes(2));
    assert!(
        owed(&bench).is_some() && !project.join("work.txt").exists(),
        "the checkout does not move by itself"
    );
    bench
        .git
        .git(&project, &["pull", "-q", "--ff-only", "origin", "work"]);
    // The second check comes later than the first.
    bench.wait(Span::minutes(4));
    assert_eq!(owed(&bench), None);
}

#[test]
fn who_is_only_told_has_nothing_moved() {
    let bench = merged(DeliveryMode::Tell, &|_| {});
    let project = bench.git.project();
    // One commit is the developer's, the other is the merge.
    assert_eq!(owed(&bench).unwrap(), "2 commits on origin/work: dbs pull");
    assert!(!project.join("work.txt").exists());
}
