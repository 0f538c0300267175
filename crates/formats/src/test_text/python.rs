//! Tests written in Python, for pytest and unittest: functions `test…`, of a module or of a class.

use super::assertions::{end_of_arguments, names_something};
use super::called::{CodeUnit, tests_of};
use super::code::Code;
use super::model::{WrittenTest, kept_name};
use super::syntax::PYTHON;

/// A statement: its tokens from `start` to before `end`, and its indent.
struct PythonLine {
    start: usize,
    end: usize,
    indent: usize,
}

/// A class or function around the place.
struct PythonBlock {
    indent: usize,
    kind: PythonBlockKind,
}

enum PythonBlockKind {
    /// A class that holds tests, or not.
    Class {
        name: String,
        has_tests: bool,
        is_skipped: bool,
    },
    /// The unit of this index, and the indent of its body once that is known.
    Test { index: usize, body: Option<usize> },
    /// Any other function, with the index of its unit: a test in it is never run.
    Function(usize),
}

pub(super) fn tests(text: &str) -> Vec<WrittenTest> {
    let code = Code::of(text, PYTHON);
    let mut reader = PythonReader {
        code: &code,
        units: Vec::new(),
        blocks: Vec::new(),
        is_skipped: false,
        is_module_skipped: false,
    };
    for line in lines(&code) {
        reader.take(&line);
    }
    let is_module_skipped = reader.is_module_skipped;
    let mut tests = tests_of(reader.units);
    for test in &mut tests {
        test.is_skipped |= is_module_skipped;
    }
    // Of two functions with one name the later one replaces the other.
    let mut seen = std::collections::BTreeSet::new();
    let mut kept: Vec<WrittenTest> = tests
        .into_iter()
        .rev()
        .filter(|test| seen.insert(test.name.clone()))
        .collect();
    kept.reverse();
    kept
}

/// Returns the statements of a module; a bracketed part over several lines is one.
fn lines(code: &Code<'_>) -> Vec<PythonLine> {
    let mut lines: Vec<PythonLine> = Vec::new();
    let mut at = 0;
    while let Some(token) = code.get(at) {
        let is_continued = at > 0 && code.is_mark(at - 1, '\\');
        match (token.indent, lines.last_mut()) {
            (Some(indent), _) if !is_continued => lines.push(PythonLine {
                start: at,
                end: at,
                indent,
            }),
            (_, None) => lines.push(PythonLine {
                start: at,
                end: at,
                indent: 0,
            }),
            _ => {}
        }
        let is_open = ['(', '[', '{'].iter().any(|mark| token.is_mark(*mark));
        let next = if is_open {
            (code.closer(at) + 1).min(code.tokens.len())
        } else {
            at + 1
        };
        if let Some(line) = lines.last_mut() {
            line.end = next;
        }
        at = next;
    }
    lines
}

struct PythonReader<'a, 'b> {
    code: &'a Code<'b>,
    units: Vec<CodeUnit<'b>>,
    blocks: Vec<PythonBlock>,
    /// True if a decorator says that the next function or class is skipped.
    is_skipped: bool,
    is_module_skipped: bool,
}

impl<'b> PythonReader<'_, 'b> {
    fn take(&mut self, line: &PythonLine) {
        while self
            .blocks
            .last()
            .is_some_and(|block| block.indent >= line.indent)
        {
            self.blocks.pop();
        }
        let code = self.code;
        if code.is_mark(line.start, '@') {
            self.is_skipped |= is_skip(code, line.start + 1, line.end);
            return;
        }
        let first = usize::from(code.is_word(line.start, "async")) + line.start;
        if code.is_word(first, "def") {
            self.function(line, first);
        } else if code.is_word(first, "class") {
            self.class(line, first);
        } else {
            if code.is_word(first, "pytestmark") && self.blocks.is_empty() {
                self.is_module_skipped |= is_skip(code, first + 1, line.end);
            }
            self.statement(line, line.start);
        }
        self.is_skipped = false;
    }

    fn class(&mut self, line: &PythonLine, first: usize) {
        let name = self.code.word(first + 1).unwrap_or_default();
        let head = self.code.range(first + 2, line.end);
        let is_unittest = head.iter().any(|token| token.text.ends_with("TestCase"));
        let kind = PythonBlockKind::Class {
            name: self.class_name(name),
            has_tests: (name.starts_with("Test") || is_unittest) && self.is_in_classes(),
            is_skipped: self.is_skipped || self.is_in_skipped(),
        };
        self.blocks.push(PythonBlock {
            indent: line.indent,
            kind,
        });
    }

    fn class_name(&self, name: &str) -> String {
        let outer = self.blocks.last().map(|block| &block.kind);
        match outer {
            Some(PythonBlockKind::Class { name: outer, .. }) => format!("{outer}::{name}"),
            _ => name.to_owned(),
        }
    }

    /// Returns true if everything around is a class with tests, or if there is nothing.
    fn is_in_classes(&self) -> bool {
        let is_class =
            |block: &PythonBlock| matches!(block.kind, PythonBlockKind::Class { has_tests: true, .. });
        self.blocks.iter().all(is_class)
    }

    fn is_in_skipped(&self) -> bool {
        let is_skipped =
            |block: &PythonBlock| matches!(block.kind, PythonBlockKind::Class { is_skipped: true, .. });
        self.blocks.iter().any(is_skipped)
    }

    fn function(&mut self, line: &PythonLine, first: usize) {
        let name = self.code.word(first + 1).unwrap_or_default();
        let is_test = name.starts_with("test") && self.is_in_classes();
        if !is_test {
            // A helper inside of a test belongs to the test.
            if !self.is_in_test() {
                self.push(line, name, None);
            }
            return;
        }
        let written = WrittenTest {
            name: kept_name(&self.class_name(name)),
            line: self.code.get(first).map_or(0, |token| token.line),
            is_skipped: self.is_skipped || self.is_in_skipped(),
            has_assertion: false,
        };
        self.push(line, name, Some(written));
        // A statement on the line of the function itself.
        let colon = (first..line.end).rev().find(|at| self.code.is_mark(*at, ':'));
        self.statement(line, colon.map_or(line.end, |at| at + 1));
    }

    /// Begins a function.
    fn push(&mut self, line: &PythonLine, name: &'b str, test: Option<WrittenTest>) {
        let index = self.units.len();
        let kind = if test.is_some() {
            PythonBlockKind::Test { index, body: None }
        } else {
            PythonBlockKind::Function(index)
        };
        self.units.push(CodeUnit {
            name,
            asserts: false,
            mentions: Vec::new(),
            test,
        });
        self.blocks.push(PythonBlock {
            indent: line.indent,
            kind,
        });
    }

    fn is_in_test(&self) -> bool {
        self.blocks
            .iter()
            .any(|block| matches!(block.kind, PythonBlockKind::Test { .. }))
    }

    /// Takes a statement, which may be an assertion of the function around it.
    fn statement(&mut self, line: &PythonLine, start: usize) {
        let code = self.code;
        let found = self
            .blocks
            .iter_mut()
            .rev()
            .find_map(|block| match &mut block.kind {
                PythonBlockKind::Test { index, body } if start < line.end => {
                    // A statement under a condition is indented further than the first of the body.
                    Some((*index, *body.get_or_insert(line.indent) == line.indent))
                }
                PythonBlockKind::Function(index) => Some((*index, false)),
                _ => None,
            });
        let Some((index, is_plain)) = found else { return };
        let starts = |words: [&str; 3]| {
            let mut words = words.iter().enumerate();
            words.all(|(n, word)| code.get(start + n).is_some_and(|token| token.text == *word))
        };
        let skips = starts(["pytest", ".", "skip"]) || starts(["self", ".", "skipTest"]);
        if let Some(unit) = self.units.get_mut(index) {
            // `self.fail("…")` under a condition asserts; without one it says that nothing is there yet.
            let fails = |at: usize| {
                code.is_word(at, "fail") && code.is_mark(at.wrapping_sub(1), '.') && code.is_mark(at + 1, '(')
            };
            let fails_on_condition = (start..line.end).any(|at| fails(at) && !(is_plain && at == start + 2));
            unit.asserts |= fails_on_condition || has_assertion(code, start, line.end);
            let calls = (start..line.end).filter(|at| code.is_mark(at + 1, '('));
            unit.mentions.extend(calls.filter_map(|at| code.word(at)));
            if let Some(test) = &mut unit.test {
                test.is_skipped |= skips && is_plain && !unit.asserts;
            }
        }
    }
}

/// Returns true if a decorator skips without a condition, or expects a failure.
fn is_skip(code: &Code<'_>, start: usize, end: usize) -> bool {
    let words = code.range(start, end).iter();
    let mut words = words.map(|token| token.text);
    words.any(|word| matches!(word, "skip" | "xfail" | "expectedFailure"))
}

/// Returns true if these tokens hold an assertion that looks at something.
fn has_assertion(code: &Code<'_>, start: usize, end: usize) -> bool {
    let mut at = start;
    while at < end {
        let word = code.word(at).unwrap_or_default();
        let is_member = code.is_mark(at.wrapping_sub(1), '.');
        if word == "assert" && !is_member {
            let stop = end_of_statement(code, at + 1, end);
            let judged = end_of_arguments(code, at + 1, stop, 1);
            if !is_pair(code, at + 1, judged) && names_something(code.range(at + 1, judged), "") {
                return true;
            }
            at = stop;
        } else if is_member && word.starts_with("assert") && !code.is_mark(at + 1, '(') {
            // `eq = self.assertEqual` gives it another name.
            return true;
        } else if code.is_mark(at + 1, '(')
            && (word.starts_with("assert") || matches!(word, "raises" | "warns"))
        {
            let close = code.closer(at + 1).min(end);
            let n = if matches!(
                word,
                "assertTrue" | "assertFalse" | "assertIsNone" | "assertIsNotNone"
            ) {
                1
            } else {
                usize::MAX
            };
            let judged = end_of_arguments(code, at + 2, close, n);
            // A mock knows by itself the arguments it was called with.
            if word.starts_with("assert_") && is_member || names_something(code.range(at + 2, judged), "") {
                return true;
            }
            at = close;
        }
        at += 1;
    }
    false
}

fn end_of_statement(code: &Code<'_>, start: usize, end: usize) -> usize {
    (start..end).find(|at| code.is_mark(*at, ';')).unwrap_or(end)
}

/// Returns true if there is an `assert (a, "words")` here, which is true whatever `a` is.
fn is_pair(code: &Code<'_>, start: usize, end: usize) -> bool {
    let close = code.closer(start);
    code.is_mark(start, '(') && close + 1 == end && end_of_arguments(code, start + 1, close, 1) < close
}
