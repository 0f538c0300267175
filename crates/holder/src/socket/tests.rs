//! Tests of `crates/holder/src/socket.rs`.

use super::*;
use std::os::unix::fs::PermissionsExt;

#[test]
fn a_folder_of_sockets_open_to_others_is_refused() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = parent.path().join("run");
    prepare_folder(&folder).expect("a new one is made private");
    assert_eq!(
        fs::metadata(&folder).expect("it exists").permissions().mode() & 0o777,
        0o700
    );
    for open in [0o710, 0o701, 0o755] {
        fs::set_permissions(&folder, fs::Permissions::from_mode(open)).expect("ours");
        assert!(
            matches!(prepare_folder(&folder), Err(HolderError::Refused(_))),
            "{open:o}"
        );
    }
}

#[test]
fn a_link_to_a_folder_of_sockets_is_refused() {
    let parent = tempfile::tempdir().expect("a folder");
    let (real, link) = (parent.path().join("real"), parent.path().join("link"));
    prepare_folder(&real).expect("made");
    std::os::unix::fs::symlink(&real, &link).expect("linked");
    assert!(matches!(prepare_folder(&link), Err(HolderError::Refused(_))));
}
