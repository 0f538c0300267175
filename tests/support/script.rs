//! Scripts that tests write and run.
#![expect(clippy::disallowed_methods, reason = "another process has to write them")]

use std::path::Path;

/// Writes a script that can be run at once.
///
/// On Unix another process writes it: a program that another thread starts at that moment would inherit the open file until it runs, and no
/// system runs a file that is open for writing ("Text file busy").
pub(crate) fn write_script(file: &Path, text: impl AsRef<[u8]>) {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).unwrap();
    }
    #[cfg(unix)]
    {
        use std::io::Write as _;
        use std::process::{Command, Stdio};

        let mut writer = Command::new("sh")
            .args(["-c", "cat > \"$1\" && chmod 755 \"$1\"", "sh"])
            .arg(file)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        writer.stdin.take().unwrap().write_all(text.as_ref()).unwrap();
        assert!(
            writer.wait().unwrap().success(),
            "{} was not written",
            file.display()
        );
    }
    #[cfg(not(unix))]
    std::fs::write(file, text).unwrap();
}
