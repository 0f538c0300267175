//! The kinds that come with the program.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::{DescribedKind, read};

/// Names and texts of their files, in the order in which they are listed.
const FILES: [(&str, &str); 3] = [
    (
        "opencode",
        include_str!("../../../../assets/agents/opencode.toml"),
    ),
    ("gemini", include_str!("../../../../assets/agents/gemini.toml")),
    ("aider", include_str!("../../../../assets/agents/aider.toml")),
];

/// Returns the kinds that come with the program. One that cannot be read is left out, which a test keeps from being shipped.
pub fn builtin() -> &'static [Arc<DescribedKind>] {
    static KINDS: OnceLock<Vec<Arc<DescribedKind>>> = OnceLock::new();
    KINDS.get_or_init(|| {
        let kinds = FILES.iter().filter_map(|(name, text)| {
            let (kind, _) = read(name, Path::new(name), text);
            kind.map(Arc::new)
        });
        kinds.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_that_comes_with_the_program_can_be_read() {
        for (name, text) in FILES {
            let (_, found) = read(name, Path::new(name), text);
            assert_eq!(found, [], "{name}");
        }
        assert_eq!(builtin().len(), FILES.len());
    }
}
