//! Functions that tests share: a test that calls an asserting one asserts as well.

use std::collections::BTreeMap;

use super::model::WrittenTest;

/// A test or another function of a file.
pub(super) struct CodeUnit<'a> {
    /// Name by which others call it; empty when it cannot be called.
    pub(super) name: &'a str,
    /// True if it asserts something itself, or by a function it calls.
    pub(super) asserts: bool,
    /// Names in its body that may be those of functions.
    pub(super) mentions: Vec<&'a str>,
    /// The test that it is, if it is one.
    pub(super) test: Option<WrittenTest>,
}

/// Returns the tests among these functions, with assertions by other functions of the same file counted.
pub(super) fn tests_of(mut units: Vec<CodeUnit<'_>>) -> Vec<WrittenTest> {
    let mut callers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, unit) in units.iter().enumerate() {
        for name in &unit.mentions {
            callers.entry(name).or_default().push(index);
        }
    }
    let mut asserting: Vec<usize> = (0..units.len())
        .filter(|index| units.get(*index).is_some_and(|unit| unit.asserts))
        .collect();
    while let Some(index) = asserting.pop() {
        let name = units.get(index).map_or("", |unit| unit.name);
        // Each name is asked for once.
        for caller in callers.remove(name).unwrap_or_default() {
            if let Some(unit) = units.get_mut(caller)
                && !unit.asserts
            {
                unit.asserts = true;
                asserting.push(caller);
            }
        }
    }
    let tests = units.into_iter().filter_map(|unit| {
        let test = unit.test?;
        Some(WrittenTest {
            has_assertion: unit.asserts,
            ..test
        })
    });
    tests.collect()
}
