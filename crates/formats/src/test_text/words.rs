//! The words by which tests, their assertions and what skips them are known in a language.

use std::path::Path;

/// Words for tests in a language. A word that ends in `*` is the beginning of one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TestWords {
    /// Words before the name of a test, or, when they end in `*`, the beginning of its name: `it`, `test_*`.
    pub tests: Vec<String>,
    /// Words before the name of a function that tests may call: `def *`.
    pub functions: Vec<String>,
    /// Words that assert: `assert`, `expect*`.
    pub assertions: Vec<String>,
    /// Words that skip a test.
    pub skips: Vec<String>,
    /// Marks that begin a comment to the end of the line: `#`, `//`, `--`.
    pub comments: Vec<String>,
}

impl TestWords {
    /// Returns the words for a file, by the ending of its name; `None` for a language that does not come with the program.
    pub fn of_path(path: &Path) -> Option<TestWords> {
        let ending = path.extension()?.to_str()?;
        let is_known = |known: &&KnownLanguage| known.endings.split(", ").any(|known| known == ending);
        let known = KNOWN.iter().find(is_known)?;
        let owned = |words: &str| words.split(", ").map(str::to_owned).collect();
        Some(TestWords {
            tests: owned(known.tests),
            functions: owned(known.functions),
            assertions: owned(known.assertions),
            skips: owned(known.skips),
            comments: owned(known.comment),
        })
    }
}

/// A language that comes with the program, with commas between its words.
struct KnownLanguage {
    endings: &'static str,
    tests: &'static str,
    functions: &'static str,
    assertions: &'static str,
    skips: &'static str,
    comment: &'static str,
}

/// Words of each language, as `WordPattern` reads them. A condition counts as an assertion, because a failure often stands behind one.
const KNOWN: [KnownLanguage; 4] = [
    KnownLanguage {
        endings: "py",
        tests: "def test*",
        functions: "def *, class *",
        assertions: "assert*, .assert_*(, raises, warns, if, except",
        skips: "@pytest.mark.skip, @pytest.mark.xfail, @unittest.skip, @skip, expectedFailure",
        comment: "#",
    },
    KnownLanguage {
        endings: "rs",
        tests: "#[test] … fn *, ::test] … fn *, ::test( … fn *, #[rstest … fn *, #[test_case … fn *, #[quickcheck … fn *, \
                #[wasm_bindgen_test … fn *",
        functions: "fn *, macro_rules! *",
        assertions: "assert*, prop_assert*, debug_assert*, .assert(), should_panic], should_panic(, else { panic!(, => panic!(, if",
        skips: "#[ignore",
        comment: "//",
    },
    KnownLanguage {
        endings: "js, jsx, mjs, cjs, ts, tsx, mts, cts",
        tests: "it(*, it.only(*, it.concurrent(*, it.each … '*', it.skip('*', it.todo('*', it.fails('*', xit('*', test(*, test.only(*, \
                test.concurrent(*, test.each … '*', test.skip('*', test.todo('*', test.fails('*', xtest('*', specify('*', Deno.test(*",
        functions: "function *, const * = (, const * = async",
        assertions: "expect*, assert*, .should., if",
        skips: "it.skip(, it.todo(, it.fails(, xit(, test.skip('*', test.todo(, test.fails(, xtest(",
        comment: "//",
    },
    KnownLanguage {
        endings: "go",
        tests: "func Test*(t",
        functions: "func *(, func ( … ) *(",
        assertions: "assert.*(t, require.*(t, assert*(t, require*(t, check*(t, expect*(t, must*(t, is.*(, qt.*(, if, switch, select {",
        skips: "testing.T) { t.Skip*",
        comment: "//",
    },
];
