//! For tests: a process that may open no more files.
#![expect(clippy::expect_used, reason = "helps tests only")]

use std::fs::File;
use std::process::Command;

/// Variable that tells a process that it is the one to lack descriptors.
const ROLE: &str = "DBS_TEST_LACKS_DESCRIPTORS";

/// Runs `check` in a process of its own that may open only `free` more files, by running this one test in it. It gets the files that hold
/// all other descriptors.
pub(super) fn with_descriptors(test: &str, free: usize, check: impl FnOnce(Vec<File>)) {
    if std::env::var_os(ROLE).is_some() {
        let mut held = hold_all();
        held.truncate(held.len() - free);
        return check(held);
    }
    #[expect(clippy::disallowed_methods, reason = "the test needs a child of its own")]
    let output = Command::new("sh")
        .args(["-c", "ulimit -n 32; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().expect("it has a path"))
        .args(["--exact", test, "--test-threads=1"])
        .env(ROLE, "yes")
        .output()
        .expect("sh starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("1 passed"), "{said}");
}

/// Opens files until no more may be opened.
pub(super) fn hold_all() -> Vec<File> {
    std::iter::from_fn(|| File::open("/dev/null").ok()).collect()
}
