//! Tests of `src/adapters/desktop/clipboard.rs`.

use super::*;

#[test]
fn the_first_tool_that_takes_the_text_gets_it() {
    assert!(!copy(&[], "text"));
    assert!(!copy(&[("dbs-no-such-tool", &[]), ("false", &[])], "text"));
    assert!(copy(
        &[
            ("dbs-no-such-tool", &[]),
            ("sh", &["-c", "test \"$(cat)\" = text"])
        ],
        "text"
    ));
}
