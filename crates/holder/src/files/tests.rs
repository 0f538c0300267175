//! Tests of `crates/holder/src/files.rs`.

use super::*;

#[test]
fn what_an_agent_puts_in_the_place_of_a_record_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (pipe, link) = (folder.path().join("pipe"), folder.path().join("endless"));
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
    for path in [pipe, link] {
        let why = read::<HolderMeta>(&path).unwrap_err().to_string();
        assert_eq!(why, "it is not a regular file", "{}", path.display());
    }
    let large = folder.path().join("large");
    File::create(&large).unwrap().set_len(LARGEST + 1).unwrap();
    let why = read::<HolderMeta>(&large).unwrap_err().to_string();
    assert_eq!(why, "it has more than 16777216 bytes");
}
