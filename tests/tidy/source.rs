//! Input of the rules: the files of the project with their module paths, and findings about them.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::Path;

use proc_macro2::{LexError, Span, TokenStream, TokenTree};

/// A violation of a rule, with its file and line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// The file, relative to the project.
    pub(crate) file: String,
    /// The line, counted from 1.
    pub(crate) line: usize,
    /// Description of the violation, as a fragment.
    pub(crate) text: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.text)
    }
}

/// The rooms that are crates of their own: the folder below `crates/`, and the path of the room in the program.
const CRATES: &[(&str, &[&str])] = &[
    ("domain", &["domain"]),
    ("formats", &["formats"]),
    ("holder", &["adapters", "holder"]),
    ("ports", &["ports"]),
    ("socket", &["adapters", "socket"]),
    ("term", &["term"]),
];

/// The room that code calls `name` (`dbs_term`), or nothing if `name` is not one of our crates.
pub(crate) fn room_of_crate(name: &str) -> Option<Vec<String>> {
    let folder = name.strip_prefix("dbs_")?;
    let (_, room) = CRATES.iter().find(|(own, _)| *own == folder)?;
    Some(room.iter().map(|&part| part.to_owned()).collect())
}

/// One Rust file.
pub(crate) struct SourceFile {
    /// Relative to the project, with `/` between folders.
    pub(crate) path: String,
    /// The text of the file.
    pub(crate) text: String,
    /// The items, as `syn` reads them.
    pub(crate) items: syn::File,
    /// All tokens.
    pub(crate) tokens: TokenStream,
    /// The tokens without anything under `#[cfg(test)]`.
    pub(crate) shipped: Vec<TokenTree>,
    /// Number of lines in `#[cfg(test)]` items.
    pub(crate) test_lines: usize,
    /// Names of the child modules that exist for tests only.
    pub(crate) test_children: BTreeSet<String>,
}

impl SourceFile {
    /// Reads `text` as the file at `path`.
    pub(crate) fn parse(path: &str, text: &str) -> Self {
        let tokens: TokenStream = text
            .parse()
            .unwrap_or_else(|error: LexError| unreadable(path, error.span(), &error.to_string()));
        let items = syn::parse2(tokens.clone())
            .unwrap_or_else(|error| unreadable(path, error.span(), &error.to_string()));
        let mut split = Split::default();
        let shipped = split.without_tests(tokens.clone());
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
            items,
            tokens,
            shipped,
            test_lines: split.lines,
            test_children: split.children,
        }
    }

    /// The module path of this file: `src/ui/pane.rs` is `["ui", "pane"]`, `src/lib.rs` is `[]`, `crates/domain/src/task.rs` is `["domain",
    /// "task"]`.
    pub(crate) fn module(&self) -> Vec<String> {
        let (mut module, inside) = self.place();
        let stem = inside.trim_end_matches(".rs");
        if stem != "lib" {
            module.extend(stem.split('/').map(ToOwned::to_owned));
        }
        module
    }

    /// The path of `crate` in this file: a room, or nothing in the program itself.
    pub(crate) fn crate_root(&self) -> Vec<String> {
        self.place().0
    }

    /// The room of the crate this file belongs to, and the path inside of the crate's sources.
    fn place(&self) -> (Vec<String>, &str) {
        let of_crate = self.path.strip_prefix("crates/").and_then(|path| {
            let (folder, inside) = path.split_once("/src/")?;
            Some((room_of_crate(&format!("dbs_{folder}"))?, inside))
        });
        of_crate.unwrap_or_else(|| (Vec::new(), self.path.trim_start_matches("src/")))
    }

    /// Returns true if this file is the facade of a room: `src/ui.rs` beside `src/ui`, or `crates/term/src/lib.rs` with its modules.
    pub(crate) fn is_facade(&self, folders: &BTreeSet<&str>) -> bool {
        match self.place() {
            (room, inside) if !room.is_empty() => inside == "lib.rs" && self.has_files_below(),
            _ => self.path.matches('/').count() == 1 && folders.contains(self.path.trim_end_matches(".rs")),
        }
    }

    fn has_files_below(&self) -> bool {
        !self.child_names().is_empty()
    }

    /// Names of the modules that have their own files.
    pub(crate) fn child_names(&self) -> Vec<String> {
        let name = |item: &syn::Item| match item {
            syn::Item::Mod(item) if item.content.is_none() => Some(item.ident.to_string()),
            _ => None,
        };
        self.items.items.iter().filter_map(name).collect()
    }

    /// A finding at `line` of this file.
    pub(crate) fn finding(&self, line: usize, text: impl Into<String>) -> Finding {
        Finding {
            file: self.path.clone(),
            line,
            text: text.into(),
        }
    }
}

#[expect(
    clippy::panic,
    reason = "the compiler says the same about this file; there is nothing to go on with"
)]
fn unreadable(path: &str, place: Span, why: &str) -> ! {
    panic!("{path}:{}: could not parse: {why}", place.start().line)
}

/// Separation of shipped code from code that is compiled only for tests.
#[derive(Default)]
struct Split {
    lines: usize,
    children: BTreeSet<String>,
}

impl Split {
    fn without_tests(&mut self, tokens: TokenStream) -> Vec<TokenTree> {
        let mut kept = Vec::new();
        let mut rest = tokens.into_iter().peekable();
        while let Some(token) = rest.next() {
            let is_gate = is_punct(&token, '#') && rest.peek().is_some_and(is_test_gate);
            if !is_gate {
                kept.push(token);
                continue;
            }
            let first = token.span().start().line;
            let mut last = first;
            let mut named = None;
            let mut after_mod = false;
            rest.next();
            for token in rest.by_ref() {
                last = token.span().end().line;
                if let TokenTree::Ident(name) = &token {
                    if after_mod {
                        named = Some(name.to_string());
                    }
                    after_mod = name == "mod";
                }
                if is_punct(&token, ';') || is_block(&token) {
                    break;
                }
            }
            self.lines += last + 1 - first;
            self.children.extend(named);
        }
        kept
    }
}

fn is_block(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == proc_macro2::Delimiter::Brace)
}

/// Returns true if `token` is the punctuation mark `mark`.
pub(crate) fn is_punct(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}

/// Returns true if the bracketed part of an attribute is `cfg(test)` or `cfg(all(test, ...))`.
fn is_test_gate(token: &TokenTree) -> bool {
    let text: String = token.to_string().split_whitespace().collect();
    text.starts_with("[cfg(test)") || text.starts_with("[cfg(all(test,")
}

/// A text file that is not necessarily Rust.
pub(crate) struct TextFile {
    /// Relative to the project.
    pub(crate) path: String,
    /// The text of the file.
    pub(crate) text: String,
}

/// A `Cargo.toml`, or its table of dependencies that several crates share.
pub(crate) struct Manifest {
    /// Relative to the project.
    pub(crate) path: String,
    /// The folder of the files that may use the dependencies; nothing stands for every file.
    pub(crate) folder: Option<String>,
    /// Names of the dependencies, spelled as in code.
    pub(crate) dependencies: BTreeSet<String>,
}

/// The whole project as the rules see it.
pub(crate) struct Tree {
    /// Files below `src` and `crates` that are shipped, in path order.
    pub(crate) source: Vec<SourceFile>,
    /// Files below `src` and `crates` that are compiled only for tests, and everything below `tests`, `benches` and `examples`.
    pub(crate) tests: Vec<SourceFile>,
    /// Everything that people read or that the program contains: documents, assets, build files, sources.
    pub(crate) texts: Vec<TextFile>,
    /// The manifests of the program and of its crates.
    pub(crate) manifests: Vec<Manifest>,
    /// `docs/conformance.md`.
    pub(crate) conformance: String,
    /// `docs/hostile-inputs.md`.
    pub(crate) hostile_inputs: String,
    /// `docs/architecture.md`.
    pub(crate) architecture: String,
    /// `docs/glossary.md`.
    pub(crate) glossary: String,
}

impl Tree {
    /// Reads the project from which this test was built.
    pub(crate) fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (source, hidden) = shipped_and_hidden(
            rust_files(root, "src")
                .into_iter()
                .chain(rust_files(root, "crates"))
                .collect(),
        );
        let mut tests = hidden;
        for folder in ["tests", "benches", "examples"] {
            tests.extend(rust_files(root, folder));
        }
        Self {
            source,
            tests,
            texts: text_files(root),
            manifests: manifests(root),
            conformance: text(root, "docs/conformance.md"),
            hostile_inputs: text(root, "docs/hostile-inputs.md"),
            architecture: text(root, "docs/architecture.md"),
            glossary: text(root, "docs/glossary.md"),
        }
    }
}

fn manifests(root: &Path) -> Vec<Manifest> {
    let program = text(root, "Cargo.toml");
    let (shared, own) = dependencies(&program);
    let of = |path: String, folder: Option<&str>, dependencies| Manifest {
        path,
        folder: folder.map(ToOwned::to_owned),
        dependencies,
    };
    let mut manifests = vec![
        of("Cargo.toml".to_owned(), None, shared),
        of("Cargo.toml".to_owned(), Some(""), own),
    ];
    manifests.extend(CRATES.iter().map(|(name, _)| {
        let path = format!("crates/{name}/Cargo.toml");
        let (_, own) = dependencies(&text(root, &path));
        of(path, Some(&format!("crates/{name}/")), own)
    }));
    manifests
}

fn text(root: &Path, path: &str) -> String {
    fs::read_to_string(root.join(path)).expect(path)
}

/// Moves files that are children of a `#[cfg(test)] mod name;` line to the second list.
fn shipped_and_hidden(files: Vec<SourceFile>) -> (Vec<SourceFile>, Vec<SourceFile>) {
    let hidden: BTreeSet<Vec<String>> = files
        .iter()
        .flat_map(|file| {
            let module = file.module();
            file.test_children
                .iter()
                .map(move |child| [module.clone(), vec![child.clone()]].concat())
        })
        .collect();
    files.into_iter().partition(|file| {
        let module = file.module();
        !(1..=module.len()).any(|length| module.get(..length).is_some_and(|part| hidden.contains(part)))
    })
}

fn rust_files(root: &Path, folder: &str) -> Vec<SourceFile> {
    let mut paths = Vec::new();
    walk(root, &root.join(folder), &mut paths);
    paths.retain(|path| {
        Path::new(path)
            .extension()
            .is_some_and(|extension| extension == "rs")
    });
    paths
        .iter()
        .map(|path| SourceFile::parse(path, &text(root, path)))
        .collect()
}

fn text_files(root: &Path) -> Vec<TextFile> {
    let mut paths = Vec::new();
    for folder in ["src", "crates", "docs", "assets", "tests", ".ci", ".github"] {
        walk(root, &root.join(folder), &mut paths);
    }
    paths.retain(|path| !path.starts_with("tests/data/"));
    let at_the_top = [
        "README.md",
        "CHANGELOG.md",
        "Cargo.toml",
        "clippy.toml",
        "deny.toml",
        "rustfmt.toml",
    ];
    paths.extend(at_the_top.map(ToOwned::to_owned));
    let read = |path: String| {
        fs::read_to_string(root.join(&path))
            .ok()
            .map(|text| TextFile { path, text })
    };
    paths.into_iter().filter_map(read).collect()
}

fn walk(root: &Path, folder: &Path, found: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            walk(root, &path, found);
        } else if let Ok(relative) = path.strip_prefix(root) {
            found.push(relative.to_string_lossy().replace('\\', "/"));
        }
    }
}

/// The names in the table of dependencies that several crates share, and those of every other `[...dependencies]` table of a manifest, as
/// code spells them.
fn dependencies(manifest: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let mut manifest: toml_edit::DocumentMut = manifest.parse().expect("Cargo.toml is valid");
    let (mut shared, mut own) = (BTreeSet::new(), BTreeSet::new());
    if let Some(workspace) = manifest.remove("workspace")
        && let Some(table) = workspace.as_table_like()
    {
        collect_dependencies(table, &mut shared);
    }
    collect_dependencies(manifest.as_table(), &mut own);
    (shared, own)
}

fn collect_dependencies(table: &dyn toml_edit::TableLike, names: &mut BTreeSet<String>) {
    for (key, item) in table.iter() {
        let Some(inner) = item.as_table_like() else {
            continue;
        };
        if key.ends_with("dependencies") {
            names.extend(inner.iter().map(|(name, _)| name.replace('-', "_")));
        } else {
            collect_dependencies(inner, names);
        }
    }
}

#[test]
fn code_for_tests_is_set_apart() {
    let file = SourceFile::parse(
        "src/domain/task.rs",
        "//! Doc.\nuse a::b;\n#[cfg(test)]\nmod tests {\n    use c::d;\n}\n#[cfg(test)]\nmod more;\n",
    );
    let shipped: String = file.shipped.iter().map(ToString::to_string).collect();
    assert!(shipped.contains('a') && !shipped.contains("mod"), "{shipped}");
    assert_eq!(file.test_lines, 6);
    assert!(file.test_children.contains("more"));
    assert_eq!(file.module(), ["domain", "task"]);
}

#[test]
fn a_file_of_a_crate_is_a_module_of_its_room() {
    let module = |path: &str| SourceFile::parse(path, "//! Doc.\n").module();
    assert_eq!(module("crates/domain/src/lib.rs"), ["domain"]);
    assert_eq!(
        module("crates/domain/src/board/signals.rs"),
        ["domain", "board", "signals"]
    );
    assert_eq!(module("crates/holder/src/log.rs"), ["adapters", "holder", "log"]);
    assert_eq!(
        module("crates/other/src/lib.rs").first().map(String::as_str),
        Some("crates")
    );
    assert!(module("src/lib.rs").is_empty());
}

#[test]
fn a_file_below_a_test_module_is_not_shipped() {
    let files = vec![
        SourceFile::parse("src/domain.rs", "//! Doc.\n#[cfg(test)]\nmod tests;\nmod task;\n"),
        SourceFile::parse("src/domain/task.rs", "//! Doc.\n"),
        SourceFile::parse("src/domain/tests.rs", "//! Doc.\n"),
        SourceFile::parse("src/domain/tests/deep.rs", "//! Doc.\n"),
    ];
    let (shipped, hidden) = shipped_and_hidden(files);
    assert_eq!(shipped.len(), 2);
    assert_eq!(hidden.len(), 2);
}

#[test]
fn dependencies_of_every_table_are_known() {
    let (shared, own) = dependencies(
        "[workspace.dependencies]\nserde = \"1\"\n[dependencies]\nrio-vt = \"1\"\n[dev-dependencies]\nsyn = \"2\"\n[target.'cfg(unix)'.dependencies]\nnix = \"0\"\n",
    );
    assert_eq!(own.into_iter().collect::<Vec<_>>(), ["nix", "rio_vt", "syn"]);
    assert_eq!(shared.into_iter().collect::<Vec<_>>(), ["serde"]);
}
