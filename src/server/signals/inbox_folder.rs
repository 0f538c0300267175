//! Signals that arrived as files: written by agents while no server listened, taken in when one does. A file that cannot be
//! read is set aside, never deleted.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::adapters::project::restore_inbox;
use crate::adapters::text_file;
use crate::domain::{Accepted, Attempt, Event, Refusal};
use crate::engine::inbox::InboxClosed;
use crate::protocol::wire::SignalSent;
use crate::server::signals::intake::{SignalIntake, SignalWay, verified};

/// Maximum bytes of a file that is read.
const MAX_FILE: u64 = 1024 * 1024;

/// Takes in all files in the folder, oldest name first. A signal is removed only when the engine has made it durable or it can never be
/// valid; then it is set aside under `refused`.
pub(in crate::server) fn take_all(intake: &SignalIntake) {
    match restore_inbox(&intake.folder) {
        Ok(None) => {}
        Ok(Some(aside)) => tracing::warn!(
            "{} was no folder any more; what lay there is {} now, and the folder was made anew",
            intake.folder.display(),
            aside.display()
        ),
        Err(error) => tracing::warn!("could not {error}"),
    }
    for file in files(intake) {
        match read(&file) {
            Ok(signal) => match take_from_file(intake, &file, &signal) {
                Ok(Ok(_)) => remove(&file),
                Ok(Err(refusal)) => set_aside(&file, &refusal.why),
                Err(_closed) => return,
            },
            // Another thread may have taken it in meanwhile.
            Err(_) if !file.exists() => {}
            Err(error) => set_aside(&file, &error.to_string()),
        }
    }
}

/// Takes in the signal of a file. For an attempt that could have used the socket, and did before, a file does not count, and its task gets
/// a note.
fn take_from_file(
    intake: &SignalIntake,
    file: &Path,
    signal: &SignalSent,
) -> Result<Result<Accepted, Refusal>, InboxClosed> {
    let event = match verified(intake, signal, SignalWay::File) {
        Ok(event) => event,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let attempt = intake.engine.read_model().attempts.get(&signal.attempt).cloned();
    // A signal that the socket has taken already counts once, however it comes.
    let is_new = |attempt: &Attempt| attempt.signals.iter().all(|known| known.key != signal.key);
    if let Some(attempt) = attempt.filter(|attempt| is_new(attempt))
        && let Ok(facts) = fs::symlink_metadata(file)
        && let Some(why) = intake.reach.refusal(&attempt, &facts)
    {
        intake
            .engine
            .inbox
            .send(Event::comment(attempt.task.clone(), why.clone()))?;
        return Ok(Err(Refusal::new(why)));
    }
    intake.engine.inbox.call(event)
}

/// Returns the files in the folder as events, for an engine that has not begun. The files stay until [`take_all`] knows them to be durable.
pub(in crate::server) fn pending_events(intake: &SignalIntake) -> Vec<Event> {
    let signals = files(intake).into_iter().filter_map(|file| read(&file).ok());
    // A comment has no key by which it counts once.
    signals
        .filter(|signal| !signal.is_comment)
        .filter_map(|signal| verified(intake, &signal, SignalWay::File).ok())
        .collect()
}

fn files(intake: &SignalIntake) -> Vec<PathBuf> {
    signal_files(&intake.folder).unwrap_or_else(|error| {
        tracing::warn!("could not list {}: {error}", intake.folder.display());
        Vec::new()
    })
}

/// Returns the signal files, in the order of their names; names with a dot in front are still being written.
fn signal_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    // An agent may have put a link here: its target belongs elsewhere, and would be moved away.
    if !folder.symlink_metadata()?.is_dir() {
        return Err(io::Error::other(
            "it is a link or a file, not a folder; move it away",
        ));
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".json") && !name.starts_with('.') {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn read(path: &Path) -> io::Result<SignalSent> {
    let is_file = fs::symlink_metadata(path).is_ok_and(|facts| facts.is_file());
    if !is_file {
        return Err(io::Error::other("it is not a plain file"));
    }
    let text = text_file::read(path, MAX_FILE)?;
    Ok(serde_json::from_slice(&text)?)
}

fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!("could not remove {}: {error}", path.display());
    }
}

fn set_aside(path: &Path, why: &str) {
    tracing::warn!("a signal was refused: {}: {why}", path.display());
    let folder = path.parent().unwrap_or(Path::new(".")).join("refused");
    let moved = || -> io::Result<()> {
        fs::create_dir_all(&folder)?;
        if !folder.symlink_metadata()?.is_dir() {
            return Err(io::Error::other(
                "`refused` is a link, not a folder; move it away",
            ));
        }
        fs::rename(path, folder.join(path.file_name().unwrap_or_default()))
    };
    if let Err(error) = moved() {
        tracing::warn!("could not set {} aside: {error}", path.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::project::ProjectSecret;
    use crate::domain::AttemptId;
    use crate::server::signals::intake::tests::{FIRST, SECOND, intake, signal};

    fn put(intake: &SignalIntake, name: &str, signal: &SignalSent) {
        let text = serde_json::to_vec(signal).unwrap();
        fs::write(intake.folder.join(name), text).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn behind_a_link_in_the_place_of_the_inbox_nothing_is_read_or_moved() {
        use std::os::unix::fs::symlink;
        let (home, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (intake, outlet) = intake(home.path());
        drop(outlet);
        let theirs = elsewhere.path().join("package.json");
        fs::write(&theirs, "{}").unwrap();
        fs::remove_dir_all(&intake.folder).unwrap();
        symlink(elsewhere.path(), &intake.folder).unwrap();
        take_all(&intake);
        assert!(theirs.exists() && !elsewhere.path().join("refused").exists());
        let aside = home.path().join("inbox.moved");
        assert_eq!(
            fs::read_link(&aside).unwrap(),
            elsewhere.path(),
            "the link is kept beside"
        );
        assert!(
            fs::symlink_metadata(&intake.folder).unwrap().is_dir(),
            "and signals can come again"
        );
        // A link only in the place of what is set aside.
        symlink(elsewhere.path(), intake.folder.join("refused")).unwrap();
        fs::write(intake.folder.join("bad.json"), "{}").unwrap();
        take_all(&intake);
        assert!(intake.folder.join("bad.json").exists() && !elsewhere.path().join("bad.json").exists());
    }

    #[test]
    fn of_the_files_found_at_a_start_only_those_with_the_token_of_their_attempt_are_taken_in() {
        let (home, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (intake, outlet) = intake(home.path());
        let other = ProjectSecret::of(&elsewhere.path().join("secret")).unwrap();
        let mine = &intake.secret;
        put(&intake, "1.json", &signal(mine, SECOND, FIRST));
        put(&intake, "2.json", &signal(&other, SECOND, SECOND));
        put(&intake, "3.json", &signal(mine, AttemptId(99), AttemptId(99)));
        put(&intake, "4.json", &signal(mine, FIRST, FIRST));
        let mut none = signal(mine, SECOND, SECOND);
        none.token.clear();
        put(&intake, "5.json", &none);
        let attempts: Vec<AttemptId> = pending_events(&intake)
            .into_iter()
            .map(|event| match event {
                Event::Signalled { attempt, .. } => attempt,
                other => panic!("no signal: {other:?}"),
            })
            .collect();
        assert_eq!(attempts, [FIRST]);
        assert_eq!(files(&intake).len(), 5, "they stay until the engine has them");
        // The engine does not answer: a signal with a wrong token is set aside all the same, and the rest stays.
        drop(outlet);
        take_all(&intake);
        let refused = signal_files(&intake.folder.join("refused")).unwrap();
        let names: Vec<_> = refused.iter().filter_map(|path| path.file_name()).collect();
        assert_eq!(names, ["1.json", "2.json", "3.json"]);
        let left = files(&intake);
        assert!(left.len() == 2 && left[0].ends_with("4.json"), "{left:?}");
    }

    #[test]
    fn a_file_of_an_attempt_that_has_used_the_socket_does_not_count_while_the_server_listens() {
        let home = tempfile::tempdir().unwrap();
        let (mut intake, outlet) = intake(home.path());
        let mut model = crate::read_model::ReadModel::clone(&intake.engine.read_model());
        let mut spoken = Attempt::clone(&model.attempts[&FIRST]);
        spoken.signals.push(crate::domain::Signal {
            kind: crate::domain::SignalKind::Claim,
            text: String::new(),
            report: None,
            key: "c-1".to_owned(),
            by_file: false,
            at: spoken.created_at,
        });
        model.attempts.insert(FIRST, std::sync::Arc::new(spoken));
        intake.engine.read_models = tokio::sync::watch::channel(std::sync::Arc::new(model)).1;
        put(&intake, "1.json", &signal(&intake.secret, FIRST, FIRST));
        let as_event = pending_events(&intake);
        assert!(
            matches!(as_event.as_slice(), [Event::Signalled { by_file: true, .. }]),
            "{as_event:?}"
        );
        intake.reach.listens_since(crate::domain::Timestamp(1));
        take_all(&intake);
        assert!(intake.folder.join("refused/1.json").exists());
        intake.engine.inbox.close();
        let crate::engine::inbox::Received::Envelope(envelope) = outlet.next(None) else {
            panic!("the task is told");
        };
        let told = format!("{:?}", envelope.event);
        assert!(told.contains("although the server was listening"), "{told}");
    }

    #[test]
    fn a_file_counts_where_its_sender_could_not_reach_the_socket() {
        use crate::domain::Timestamp;

        let reach = crate::server::signals::socket_reach::SocketReach::default();
        let (before, now) = (Timestamp(1_000_000), Timestamp(2_000_000));
        assert!(!reach.was_open_at(now), "no server listens");
        reach.listens_since(Timestamp(1_500_000));
        assert!(reach.was_open_at(now) && !reach.was_open_at(before));
        assert!(!reach.was_open_at(Timestamp(1_501_000)), "it was just begun");
        reach.missed_at(Timestamp(2_005_000));
        assert!(!reach.was_open_at(now), "the server was too busy");
        reach.closed();
        assert!(!reach.was_open_at(Timestamp(3_000_000)));
    }
}
