//! Parameters have names of their own: a function does not take a tuple only to split it.

use syn::spanned::Spanned as _;
use syn::visit::{Visit, visit_item_mod};

use super::files::is_for_tests;
use super::source::{Finding, SourceFile};

/// Largest number of parameters in the program that may be tuple patterns; the remaining ones are in the command line.
const MOST_PATTERNS: usize = 2;

/// Every parameter that is a tuple pattern, if there are too many. A pair whose type has a name, such as a position, counts as one value.
pub(crate) fn check(files: &[SourceFile]) -> Vec<Finding> {
    let found: Vec<Finding> = files.iter().flat_map(check_file).collect();
    if found.len() > MOST_PATTERNS {
        found
    } else {
        Vec::new()
    }
}

fn check_file(file: &SourceFile) -> Vec<Finding> {
    let mut patterns = Patterns::default();
    patterns.visit_file(&file.items);
    let lines = patterns.lines.into_iter();
    lines
        .map(|line| file.finding(line, "a parameter is a tuple that is taken apart"))
        .collect()
}

/// Lines of the parameters that are tuple patterns.
#[derive(Default)]
struct Patterns {
    lines: Vec<usize>,
}

impl<'ast> Visit<'ast> for Patterns {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_for_tests(&item.attrs) {
            visit_item_mod(self, item);
        }
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        let is_pattern = |input: &&syn::FnArg| match input {
            syn::FnArg::Typed(input) => {
                matches!(
                    (&*input.pat, &*input.ty),
                    (syn::Pat::Tuple(_), syn::Type::Tuple(_))
                )
            }
            syn::FnArg::Receiver(_) => false,
        };
        let patterns = signature.inputs.iter().filter(is_pattern);
        self.lines.extend(patterns.map(|input| input.span().start().line));
    }
}

#[cfg(test)]
fn planted(text: &str) -> usize {
    check_file(&SourceFile::parse("src/ui/board.rs", text)).len()
}

#[test]
fn a_planted_tuple_pattern_as_a_parameter_is_found() {
    assert_eq!(planted("fn draw((x, y): (u16, u16), _: u8) {}"), 1);
    assert_eq!(
        planted("impl A { fn b(&self, (x, _): (u16, u16), (a, b): (A, B)) {} }"),
        2
    );
    assert_eq!(planted("mod inner { fn draw((mut x, y): (u16, u16)) {} }"), 1);
}

#[test]
fn pairs_that_are_one_thing_and_closures_and_tests_are_fine() {
    assert_eq!(planted("fn draw(at: (u16, u16), size: Size) {}"), 0);
    assert_eq!(
        planted("fn draw((line, column): TextPosition, (a, b): &(A, B)) {}"),
        0
    );
    assert_eq!(
        planted("fn draw() { rows.map(|(at, row): (usize, Row)| row) }"),
        0
    );
    assert_eq!(
        planted("#[cfg(test)]\nmod tests { fn draw((x, y): (u16, u16)) {} }"),
        0
    );
}

#[test]
fn one_pattern_more_than_the_limit_is_found() {
    let found = |many: usize| {
        let text = "fn draw((x, y): (u16, u16)) {}\n".repeat(many);
        check(&[SourceFile::parse("src/ui/board.rs", &text)]).len()
    };
    assert_eq!(found(MOST_PATTERNS), 0);
    assert_eq!(found(MOST_PATTERNS + 1), MOST_PATTERNS + 1);
}
