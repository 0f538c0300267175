//! Allowed uses between layers: the table of the layers, and the check of every shipped path against it.

use std::collections::BTreeSet;

use super::paths::{Target, mentions};
use super::source::{Finding, SourceFile};

/// A layer, with the parts of the package and the outside crates that it may use.
struct Layer {
    name: &'static str,
    inside: &'static [&'static str],
    outside: Outside,
}

/// Outside crates that a layer may name.
enum Outside {
    /// Only these crates.
    Only(&'static [&'static str]),
    /// Any crate that has no other home (see [`OWNED`]).
    AnyNotOwned,
}

/// Top to bottom, as in docs/architecture.md.
const LAYERS: &[Layer] = &[
    Layer {
        name: "domain",
        inside: &[],
        outside: Outside::Only(&["serde", "strum"]),
    },
    Layer {
        name: "read_model",
        inside: &["domain"],
        outside: Outside::Only(&["serde", "strum"]),
    },
    Layer {
        name: "ports",
        inside: &["domain"],
        outside: Outside::Only(&["thiserror"]),
    },
    Layer {
        name: "agent_state",
        inside: &["domain"],
        outside: Outside::Only(&[]),
    },
    Layer {
        name: "formats",
        inside: &["domain"],
        outside: Outside::Only(&[
            "serde",
            "serde_json",
            "toml_edit",
            "thiserror",
            "strsim",
            "strum",
            "minijinja",
            "pulldown_cmark",
        ]),
    },
    Layer {
        name: "term",
        inside: &[],
        outside: Outside::Only(&[
            "serde",
            "strum",
            "base64",
            "hex",
            "bitflags",
            "rio_vt",
            "vt100",
            "unicode_width",
            "unicode_segmentation",
            "memchr",
            "compact_str",
            "thiserror",
        ]),
    },
    Layer {
        name: "display",
        inside: &["domain", "term"],
        outside: Outside::Only(&["serde", "textwrap", "unicode_width", "unicode_segmentation"]),
    },
    Layer {
        name: "keymap",
        inside: &["term"],
        outside: Outside::Only(&["serde", "strum", "thiserror", "toml_edit"]),
    },
    Layer {
        name: "engine",
        inside: &["domain", "ports", "read_model"],
        outside: Outside::Only(&[
            "tokio",
            "tokio_util",
            "futures",
            "tracing",
            "thiserror",
            "parking_lot",
        ]),
    },
    Layer {
        name: "adapters",
        inside: &[
            "domain",
            "ports",
            "agent_state",
            "formats",
            "term::sanitize",
            "term::sanitize_json",
            "term::StatusRecord",
            "term::ReportedState",
        ],
        outside: Outside::AnyNotOwned,
    },
    Layer {
        name: "ui",
        inside: &["domain", "read_model", "term", "display", "keymap"],
        outside: Outside::Only(&[
            "ratatui",
            "serde",
            "strum",
            "toml_edit",
            "thiserror",
            "unicode_width",
            "unicode_segmentation",
            "textwrap",
        ]),
    },
    Layer {
        name: "config",
        inside: &[
            "domain", "ports", "formats", "term", "adapters", "display", "keymap",
        ],
        outside: Outside::AnyNotOwned,
    },
    Layer {
        name: "plans",
        inside: &[
            "domain",
            "read_model",
            "ports",
            "formats",
            "term",
            "adapters",
            "config",
        ],
        outside: Outside::AnyNotOwned,
    },
    Layer {
        name: "protocol",
        inside: &[
            "domain",
            "read_model",
            "agent_state",
            "term",
            "display",
            "config",
            "adapters::clock",
            "adapters::holder::process",
            "adapters::ipc",
            "adapters::output",
            "adapters::text_file",
        ],
        outside: Outside::AnyNotOwned,
    },
    Layer {
        name: "server",
        inside: &[
            "domain",
            "read_model",
            "ports",
            "agent_state",
            "formats",
            "term",
            "engine",
            "adapters",
            "display",
            "keymap",
            "ui",
            "config",
            "plans",
            "protocol",
        ],
        outside: Outside::AnyNotOwned,
    },
    Layer {
        name: "client",
        inside: &[
            "domain",
            "read_model",
            "term",
            "adapters",
            "display",
            "keymap",
            "ui",
            "config",
            "protocol",
        ],
        outside: Outside::AnyNotOwned,
    },
    Layer {
        name: "cli",
        inside: &[
            "domain",
            "read_model",
            "ports",
            "agent_state",
            "formats",
            "term",
            "engine",
            "adapters",
            "display",
            "keymap",
            "ui",
            "config",
            "plans",
            "protocol",
        ],
        outside: Outside::AnyNotOwned,
    },
    Layer {
        name: "app",
        inside: &[
            "domain",
            "read_model",
            "ports",
            "agent_state",
            "formats",
            "term",
            "engine",
            "adapters",
            "display",
            "keymap",
            "ui",
            "config",
            "plans",
            "protocol",
            "server",
            "client",
            "cli",
        ],
        outside: Outside::AnyNotOwned,
    },
    Layer {
        name: "main",
        inside: &["app"],
        outside: Outside::Only(&[]),
    },
    Layer {
        name: "lib",
        // Re-exported under the name of the room.
        inside: &["domain", "ports", "formats", "term"],
        outside: Outside::Only(&[]),
    },
];

/// Crates that have one home; naming them anywhere else is a finding, regardless of the layer.
const OWNED: &[(&str, &[&str])] = &[
    ("rio_vt", &["term"]),
    ("vt100", &["term"]),
    ("rusqlite", &["adapters::store"]),
    ("rusqlite_migration", &["adapters::store"]),
    ("portable_pty", &["adapters::holder"]),
    ("interprocess", &["adapters"]),
    ("jiff", &["adapters", "server", "cli"]),
    ("nix", &["adapters", "config", "client"]),
    ("sysinfo", &["adapters"]),
    ("ratatui", &["ui", "server", "client"]),
    // The rehearsal is a separate program in its own terminal.
    (
        "crossterm",
        &["client", "adapters::output", "adapters::rehearsal"],
    ),
    ("minijinja", &["formats::prompt"]),
    ("clap", &["cli", "app"]),
    ("clap_complete", &["cli", "app"]),
    ("tracing_subscriber", &["adapters::logging"]),
    ("tracing_appender", &["adapters::logging"]),
];

/// Checks every path of every file against the table.
pub(crate) fn check(files: &[SourceFile], dependencies: &BTreeSet<String>) -> Vec<Finding> {
    files
        .iter()
        .flat_map(|file| check_file(file, dependencies))
        .collect()
}

fn check_file(file: &SourceFile, dependencies: &BTreeSet<String>) -> Vec<Finding> {
    let module = file.module();
    let name = module.first().map_or("lib", String::as_str);
    let Some(layer) = LAYERS.iter().find(|layer| layer.name == name) else {
        return vec![file.finding(
            1,
            format!("`{name}` is no layer; the table in tests/tidy/layers.rs has no such row"),
        )];
    };
    let mut findings = Vec::new();
    for mention in mentions(file, dependencies) {
        let wrong = match &mention.target {
            Target::Inside(path) => wrong_inside(layer, &module, path),
            Target::Outside(krate) => wrong_outside(layer, &module, krate),
        };
        findings.extend(wrong.map(|text| file.finding(mention.line, text)));
    }
    findings.dedup();
    findings
}

fn wrong_inside(layer: &Layer, module: &[String], path: &[String]) -> Option<String> {
    let target = path.first()?;
    if target == layer.name {
        return wrong_sibling(layer, module, path);
    }
    let is_layer = LAYERS.iter().any(|other| other.name == target);
    let allowed = layer.inside.iter().any(|prefix| starts_with(path, prefix));
    (is_layer && !allowed).then(|| format!("`{}` may not use `{}`", layer.name, path.join("::")))
}

/// Modules that adapters may share: they ask the system and know no port. Of the holder only the table of processes is shared.
const SHARED: &[&str] = &[
    "holder::process",
    "child_process",
    "pipe",
    "excludes",
    "program",
    "projected",
    "clock",
    "deadline",
    "socket",
    "state_folder",
    "text_file",
];

/// An adapter knows one thing and none of its siblings.
fn wrong_sibling(layer: &Layer, module: &[String], path: &[String]) -> Option<String> {
    let (own, inside) = (module.get(1)?, path.get(1..)?);
    let other = inside.first()?;
    let is_module = other.starts_with(|first: char| first.is_ascii_lowercase());
    let is_shared = SHARED.iter().any(|shared| starts_with(inside, shared));
    (layer.name == "adapters" && is_module && own != other && !is_shared)
        .then(|| format!("adapter `{own}` may not know its sibling `{other}`"))
}

fn wrong_outside(layer: &Layer, module: &[String], krate: &str) -> Option<String> {
    if let Outside::Only(allowed) = layer.outside
        && !allowed.contains(&krate)
    {
        return Some(format!("`{}` may not use the crate `{krate}`", layer.name));
    }
    let (_, homes) = OWNED.iter().find(|(name, _)| *name == krate)?;
    let at_home = homes.iter().any(|home| starts_with(module, home));
    (!at_home).then(|| format!("the crate `{krate}` is named only in {}", homes.join(", ")))
}

fn starts_with(path: &[String], prefix: &str) -> bool {
    let prefix: Vec<&str> = prefix.split("::").collect();
    path.len() >= prefix.len() && path.iter().zip(&prefix).all(|(part, wanted)| part == wanted)
}

#[cfg(test)]
fn planted(path: &str, text: &str) -> Vec<String> {
    let dependencies = ["tokio", "serde", "rusqlite", "ratatui", "vt100"]
        .map(ToOwned::to_owned)
        .into();
    let files = [SourceFile::parse(path, text)];
    check(&files, &dependencies)
        .into_iter()
        .map(|finding| finding.to_string())
        .collect()
}

#[test]
fn a_planted_upward_edge_is_found_with_its_line() {
    assert_eq!(
        planted(
            "src/domain/task.rs",
            "//! Doc.\n\nfn f() { crate::engine::turn::go(); }"
        ),
        ["src/domain/task.rs:3: `domain` may not use `engine::turn::go`"]
    );
    assert_eq!(
        planted("src/ui/board.rs", "use super::super::{domain::Task, engine};").len(),
        1
    );
    assert_eq!(
        planted("src/app/demo.rs", "use crate::{engine, ui, adapters::store};").len(),
        0
    );
}

#[test]
fn a_planted_outside_crate_is_found() {
    assert_eq!(planted("src/domain/task.rs", "use tokio::sync::mpsc;").len(), 1);
    assert_eq!(
        planted("src/domain/task.rs", "#[derive(serde::Serialize)] struct A;").len(),
        0
    );
    assert_eq!(
        planted(
            "src/domain/task.rs",
            "#[cfg(test)] mod tests { use tokio::sync; }"
        )
        .len(),
        0
    );
    assert_eq!(
        planted("src/adapters/git.rs", "use rusqlite::Connection;").len(),
        1
    );
    assert_eq!(
        planted("src/adapters/store/rows.rs", "use rusqlite::Connection;").len(),
        0
    );
    assert_eq!(
        planted("src/app/server.rs", "fn f() { vt100::Parser::default(); }").len(),
        1
    );
}

#[test]
fn a_planted_sibling_is_found() {
    assert_eq!(
        planted("src/adapters/git/merge.rs", "use crate::adapters::store::Store;").len(),
        1
    );
    assert_eq!(
        planted("src/adapters/git/merge.rs", "use super::super::notify::Command;").len(),
        1
    );
    assert_eq!(
        planted("src/adapters/git/merge.rs", "use crate::adapters::git::parse;").len(),
        0
    );
    assert_eq!(
        planted("src/adapters.rs", "pub mod git;\npub use self::git::Git;").len(),
        0
    );
    assert_eq!(
        planted("src/adapters/git/merge.rs", "use crate::adapters::pipe::Probe;").len(),
        0
    );
    assert_eq!(
        planted(
            "src/adapters/git/merge.rs",
            "use crate::adapters::holder::process::terminate;"
        )
        .len(),
        0
    );
    assert_eq!(
        planted(
            "src/adapters/git/merge.rs",
            "use crate::adapters::holder::LocalHolders;"
        )
        .len(),
        1
    );
}

#[test]
fn a_planted_layer_without_a_row_is_found() {
    assert_eq!(planted("src/helpers.rs", "//! Doc.").len(), 1);
}

#[test]
fn the_binary_may_name_only_the_application() {
    assert_eq!(
        planted("src/main.rs", "fn main() { dbs::engine::run(); }").len(),
        1
    );
    assert_eq!(planted("src/main.rs", "fn main() { dbs::app::run(); }").len(), 0);
    assert_eq!(
        planted("src/main.rs", "fn main() { dbs::adapters::store::open(); }").len(),
        1
    );
}
