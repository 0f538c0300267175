//! Copies of the database: on request the newest ten are kept (K69), before an upgrade all of them. A copy has its name only
//! once it is whole, and no name is used twice (LK-45).

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::errors::failure;
use super::files::{StoreFiles, failed, remove_if_there};
use crate::adapters::clock::on_calendar;
use crate::adapters::state_folder::sync_folder_of;
use crate::domain::Timestamp;
use crate::ports::store::StoreError;

/// Number of copies made on request that are kept.
const KEPT: usize = 10;
/// Beginning of the names of copies made on request.
const ROUTINE: &str = "store-";
/// Beginning of the names of copies made before an upgrade.
const UPGRADE: &str = "before-";

/// A copy on request; older ones beyond the newest ten go.
pub(super) fn routine(
    connection: &Connection,
    files: &StoreFiles,
    at: Timestamp,
) -> Result<PathBuf, StoreError> {
    let path = copy(
        connection,
        files,
        &files.backups,
        &format!("{ROUTINE}{}", stamp(at)),
    )?;
    if let Err(error) = prune(&files.backups) {
        tracing::warn!(
            "could not remove old backups in {}: {error}",
            files.backups.display()
        );
    }
    Ok(path)
}

/// A copy before the step `name`; never removed by us.
pub(super) fn before(
    connection: &Connection,
    files: &StoreFiles,
    name: &str,
    at: Timestamp,
) -> Result<PathBuf, StoreError> {
    let stem = format!("{UPGRADE}{name}-{}", stamp(at));
    copy(connection, files, &files.backups, &stem)
}

/// A copy in another folder, with names that begin with `begin`; never removed by us.
pub(super) fn rescue(
    connection: &Connection,
    files: &StoreFiles,
    folder: &Path,
    begin: &str,
    at: Timestamp,
) -> Result<PathBuf, StoreError> {
    copy(connection, files, folder, &format!("{begin}{}", stamp(at)))
}

fn copy(
    connection: &Connection,
    files: &StoreFiles,
    folder: &Path,
    stem: &str,
) -> Result<PathBuf, StoreError> {
    let path = unused(folder, stem);
    copy_to(connection, files, &path)?;
    Ok(path)
}

/// A copy under that name, which nothing has.
pub(super) fn copy_to(connection: &Connection, files: &StoreFiles, path: &Path) -> Result<(), StoreError> {
    let partial = path.with_extension("partial");
    remove_if_there(&partial).map_err(failed("write backup", path))?;
    let copied = connection.execute("VACUUM INTO ?1", [partial.to_string_lossy()]);
    let copied = match path.parent() {
        Some(folder) if !folder.is_dir() => {
            let why = format!("there is no folder {}", folder.display());
            Err(failed("write backup", path)(why))
        }
        _ => copied.map_err(failure(files, "copy it")),
    };
    let settled = copied.and_then(|_| settle(&partial, path).map_err(failed("write backup", path)));
    if settled.is_err() {
        drop(remove_if_there(&partial));
    }
    settled
}

fn settle(partial: &Path, path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(partial, fs::Permissions::from_mode(0o600))?;
    }
    File::open(partial)?.sync_all()?;
    fs::rename(partial, path)?;
    sync_folder_of(path)
}

/// Returns a name that is not taken; the holder of the project's lock is alone here. The number has three digits so that names sort by age.
pub(super) fn unused(folder: &Path, stem: &str) -> PathBuf {
    let mut paths = (0_u32..).map(|n| folder.join(format!("{stem}-{n:03}.db")));
    paths
        .find(|path| fs::symlink_metadata(path).is_err())
        .unwrap_or_else(|| folder.join(format!("{stem}.db")))
}

fn prune(folder: &Path) -> io::Result<()> {
    let entries = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut names = entries.collect::<io::Result<Vec<PathBuf>>>()?;
    names.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(ROUTINE) && path.extension().is_some_and(|end| end == "db")
    });
    names.sort_unstable();
    let surplus = names.len().saturating_sub(KEPT);
    names.iter().take(surplus).try_for_each(fs::remove_file)
}

/// The time as part of a name, in UTC: `20260102T030405.678Z`.
pub(super) fn stamp(at: Timestamp) -> String {
    on_calendar(at).strftime("%Y%m%dT%H%M%S.%3fZ").to_string()
}
