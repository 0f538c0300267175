//! Room that folders take on the disk.

use std::fs;
use std::path::Path;

/// Returns the bytes that a file, or the files below a folder, take on the disk. Links are not followed, and what cannot be read is left
/// out.
pub fn size_of(path: &Path) -> u64 {
    let Ok(found) = path.symlink_metadata() else {
        return 0;
    };
    let mut total = taken(&found);
    let mut open = Vec::new();
    if found.is_dir() {
        open.push(path.to_owned());
    }
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(found) = entry.metadata() else { continue };
            total += taken(&found);
            if found.is_dir() {
                open.push(entry.path());
            }
        }
    }
    total
}

#[cfg(unix)]
fn taken(found: &fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    found.blocks() * 512
}

#[cfg(not(unix))]
fn taken(found: &fs::Metadata) -> u64 {
    found.len()
}

/// Returns a number of bytes for people.
pub fn shown_size(bytes: u64) -> String {
    let units = [(1_u64 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB")];
    for (unit, name) in units {
        if bytes >= unit {
            return format!("{}.{} {name}", bytes / unit, bytes % unit * 10 / unit);
        }
    }
    format!("{} KiB", bytes.div_ceil(1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_folder_are_counted_and_what_a_link_leads_to_is_not() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("a/b"), vec![1; 100_000]).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(".", folder.path().join("a/again")).unwrap();
        let size = size_of(folder.path());
        assert!((100_000..200_000).contains(&size), "{size}");
        assert_eq!(size_of(&folder.path().join("nothing")), 0);
    }

    #[test]
    fn sizes_are_shown_in_the_largest_unit_that_fits() {
        let shown = [0, 1, 1 << 20, (5 << 30) + (1 << 29)].map(shown_size);
        assert_eq!(shown, ["0 KiB", "1 KiB", "1.0 MiB", "5.5 GiB"]);
    }
}
