//! Names for new tasks: the setting `prefix`, a dash and a short hash, longer where that is taken.

use sha2::{Digest, Sha256};

/// A free task id that begins with `prefix`. Another board gives another id to a task of the same title: both may push branches of these names
/// to one remote.
pub fn free_id(prefix: &str, board: &str, title: &str, taken: &dyn Fn(&str) -> bool) -> String {
    let mut salt: u64 = 0;
    loop {
        let digest = Sha256::digest(format!("{board}\0{title}\0{salt}"));
        let number = digest
            .iter()
            .take(8)
            .fold(0_u64, |all, byte| (all << 8) | u64::from(*byte));
        let text = format!("{number:016x}");
        let ids = (4..=16)
            .filter_map(|length| text.get(..length))
            .map(|hash| format!("{prefix}-{hash}"));
        if let Some(free) = ids.into_iter().find(|id| !taken(id)) {
            return free;
        }
        salt += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_name_grows_until_it_is_free() {
        let short = free_id("dbs", "b1", "Add export", &|_| false);
        assert_eq!(short.len(), 8);
        assert_ne!(free_id("dbs", "b2", "Add export", &|_| false), short);
        assert!(free_id("shop", "b1", "Add export", &|_| false).starts_with("shop-"));
        let longer = free_id("dbs", "b1", "Add export", &|id| id == short);
        assert!(longer.starts_with(&short) && longer.len() == 9, "{longer}");
        let other = free_id("dbs", "b1", "Add export", &|id| id.starts_with(&short));
        assert!(!other.starts_with(&short), "{other}");
    }
}
