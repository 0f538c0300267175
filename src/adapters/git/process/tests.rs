//! Tests of `src/adapters/git/process.rs`.

use super::*;

#[test]
fn who_else_holds_an_output_is_not_waited_for() {
    let mut spec = ProcessSpec::new("/bin/sh".as_ref(), "/".as_ref(), Duration::from_secs(25), 100);
    spec.command
        .args(["-c", "sleep 30 & echo $!"])
        .env("PATH", "/usr/bin:/bin");
    let Ok(output) = run(spec) else {
        panic!("it was waited for")
    };
    let sleeper: i32 = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
    nix::sys::signal::kill(
        nix::unistd::Pid::from_raw(sleeper),
        nix::sys::signal::Signal::SIGKILL,
    )
    .unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn git_has_no_file_of_ours_open_beside_its_input_and_outputs() {
    let folder = tempfile::tempdir().unwrap();
    let held = File::create(folder.path().join("held")).unwrap();
    let list =
        "n=; for f in /proc/$$/fd/*; do if [ -e $f ]; then n=\"$n ${f##*/}\"; fi; done; echo \"open:$n\"";
    // The process that runs the tests may have left some open, and every program inherits them.
    let plain = Command::new("/bin/sh").args(["-c", list]).output().unwrap();
    for input in [
        StdinSource::Nothing,
        StdinSource::Bytes(b"x".to_vec()),
        StdinSource::Held(held),
    ] {
        let mut spec = ProcessSpec::new("/bin/sh".as_ref(), folder.path(), Duration::from_mins(1), 1024);
        spec.command.args(["-c", list]);
        spec.input = input;
        let Ok(output) = run(spec) else { panic!("not run") };
        assert!(output.text().starts_with("open: 0 1 "), "{}", output.text());
        assert_eq!(output.text(), String::from_utf8_lossy(&plain.stdout));
    }
}
