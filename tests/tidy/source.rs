//! What the rules look at: the files of the project with their module paths, and findings about them.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};

/// One violated rule, bound to a file and a line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// The file, relative to the project.
    pub(crate) file: String,
    /// The line, counted from 1.
    pub(crate) line: usize,
    /// What is wrong, as a fragment.
    pub(crate) text: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.text)
    }
}

/// One Rust file.
pub(crate) struct SourceFile {
    /// Relative to the project, with `/` between folders.
    pub(crate) path: String,
    /// The text as it stands.
    pub(crate) text: String,
    /// The items, as `syn` reads them.
    pub(crate) items: syn::File,
    /// The tokens without anything under `#[cfg(test)]`.
    pub(crate) shipped: Vec<TokenTree>,
    /// How many lines belong to `#[cfg(test)]` items.
    pub(crate) test_lines: usize,
    /// Names of the child modules that exist for tests only.
    pub(crate) test_children: BTreeSet<String>,
}

impl SourceFile {
    /// Reads `text` as the file at `path`.
    pub(crate) fn parse(path: &str, text: &str) -> Self {
        let items = syn::parse_file(text).unwrap_or_else(|error| {
            let start = error.span().start();
            unreadable(path, start.line, &error.to_string())
        });
        let tokens: TokenStream = text.parse().expect("what syn reads has tokens");
        let mut split = Split::default();
        let shipped = split.without_tests(tokens);
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
            items,
            shipped,
            test_lines: split.lines,
            test_children: split.children,
        }
    }

    /// The module this file is: `src/domain/task.rs` is `["domain", "task"]`, `src/lib.rs` is `[]`.
    pub(crate) fn module(&self) -> Vec<String> {
        let stem = self.path.trim_start_matches("src/").trim_end_matches(".rs");
        if stem == "lib" {
            Vec::new()
        } else {
            stem.split('/').map(ToOwned::to_owned).collect()
        }
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
fn unreadable(path: &str, line: usize, why: &str) -> ! {
    panic!("{path}:{line}: could not parse: {why}")
}

/// Separates what is shipped from what is only compiled for tests.
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

/// Whether `token` is the punctuation mark `mark`.
pub(crate) fn is_punct(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}

/// Whether the bracketed part of an attribute is `cfg(test)` or `cfg(all(test, ...))`.
fn is_test_gate(token: &TokenTree) -> bool {
    let text: String = token.to_string().split_whitespace().collect();
    text.starts_with("[cfg(test)") || text.starts_with("[cfg(all(test,")
}

/// A text file that is not necessarily Rust.
pub(crate) struct TextFile {
    /// Relative to the project.
    pub(crate) path: String,
    /// The text as it stands.
    pub(crate) text: String,
}

/// The whole project as the rules see it.
pub(crate) struct Tree {
    /// Files below `src` that are shipped, in path order.
    pub(crate) source: Vec<SourceFile>,
    /// Files below `src` that are only compiled for tests, and everything below `tests`, `benches` and `examples`.
    pub(crate) tests: Vec<SourceFile>,
    /// Everything people read or the program carries: documents, assets, build files, sources.
    pub(crate) texts: Vec<TextFile>,
    /// Names of the dependencies, spelled as in code.
    pub(crate) dependencies: BTreeSet<String>,
    /// `docs/conformance.md`.
    pub(crate) conformance: String,
    /// `docs/architecture.md`.
    pub(crate) architecture: String,
    /// `docs/glossary.md`.
    pub(crate) glossary: String,
}

impl Tree {
    /// Reads the project this test was built from.
    pub(crate) fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (source, hidden) = shipped_and_hidden(rust_files(root, "src"));
        let mut tests = hidden;
        for folder in ["tests", "benches", "examples"] {
            tests.extend(rust_files(root, folder));
        }
        Self {
            source,
            tests,
            texts: text_files(root),
            dependencies: dependencies(&text(root, "Cargo.toml")),
            conformance: text(root, "docs/conformance.md"),
            architecture: text(root, "docs/architecture.md"),
            glossary: text(root, "docs/glossary.md"),
        }
    }
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
    for folder in ["src", "docs", "assets", "tests", ".ci", ".github"] {
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

/// The names under every `[...dependencies]` table of a manifest, as code spells them.
pub(crate) fn dependencies(manifest: &str) -> BTreeSet<String> {
    let manifest: toml_edit::DocumentMut = manifest.parse().expect("Cargo.toml is valid");
    let mut names = BTreeSet::new();
    collect_dependencies(manifest.as_table(), &mut names);
    names
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
    let names = dependencies(
        "[dependencies]\nrio-vt = \"1\"\n[dev-dependencies]\nsyn = \"2\"\n[target.'cfg(unix)'.dependencies]\nnix = \"0\"\n",
    );
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["nix", "rio_vt", "syn"]);
}
