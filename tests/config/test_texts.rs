//! Files of tests in each language: which tests are found, which of them assert, and which only look so.

use std::path::Path;

use dbs::formats::test_text::{self, MOST_TEST_TEXT_BYTES, TestLanguage, TestWords};
use proptest::prelude::*;

/// Each test as `line name`, with a mark: `+` asserts, `-` does not, `~` is skipped.
fn read(language: &TestLanguage, text: &str) -> Vec<String> {
    let tests = test_text::read(language, text).tests;
    let shown = tests.iter().map(|test| {
        let mark = match (test.is_skipped, test.has_assertion) {
            (true, _) => '~',
            (false, true) => '+',
            (false, false) => '-',
        };
        format!("{mark} {} {}", test.line, test.name)
    });
    shown.collect()
}

/// Checks bodies of one test each, written by `write`.
fn check(language: &TestLanguage, write: impl Fn(&str) -> String, real: &[&str], stubs: &[&str]) {
    for (bodies, wanted) in [(real, 1), (stubs, 0)] {
        for body in bodies {
            let text = write(body);
            let file = test_text::read(language, &text);
            assert_eq!((file.tests.len(), file.n_asserting()), (1, wanted), "{text}");
        }
    }
}

#[test]
fn tests_in_python_are_functions_and_methods_that_a_runner_collects() {
    let text = r#"import pytest
from unittest import TestCase
"""
def test_in_a_text():
    assert x
"""
# def test_in_a_comment(): assert x
def helper():
    def test_inner():
        assert x
async def test_async(client):
    """assert nothing"""
    response = await client.get(
        "/health",
    )
    assert response.status == 200

@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.skip(reason="later")
def test_later(n):
    assert n

@pytest.mark.skipif(windows, reason="no")
def test_sometimes(n): assert n

class TestHealth:
    def test_body(self):
        assert self.body()
    class TestInner:
        def test_deep(self):
            pass
    def helper(self):
        assert self.x

class Login(TestCase):
    def test_user(self):
        self.assertEqual(1, self.count)

@pytest.mark.xfail
class TestKnown:
    def test_known(self):
        assert x

class Plain:
    def test_not_collected(self):
        assert x

def test_twice():
    assert x
def test_twice():
    pass
"#;
    assert_eq!(
        read(&TestLanguage::Python, text),
        [
            "+ 11 test_async",
            "~ 20 test_later",
            "+ 24 test_sometimes",
            "+ 27 TestHealth::test_body",
            "- 30 TestHealth::TestInner::test_deep",
            "+ 36 Login::test_user",
            "~ 41 TestKnown::test_known",
            "- 50 test_twice",
        ]
    );
    let marked = "pytestmark = pytest.mark.skip\ndef test_a():\n    assert x\n";
    assert_eq!(read(&TestLanguage::Python, marked), ["~ 2 test_a"]);
}

#[test]
fn a_stub_in_python_is_no_assertion() {
    let write = |body: &str| {
        format!(
            "def test_a(self, tmp_path):\n    {}\n",
            body.replace('\n', "\n    ")
        )
    };
    check(
        &TestLanguage::Python,
        write,
        &[
            "assert total() == 3",
            "assert not errors",
            "assert (total() == 3)",
            "assert f(\n1, 2) \\\n  == 3, \"no\"",
            "for x in xs:\n    assert x",
            "if slow:\n    pytest.skip()\nassert x",
            "with pytest.raises(ValueError):\n    f()",
            "self.assertTrue(x)",
            "self.assertRaises(ValueError, f)",
            "mock.assert_called_once()",
            "eq = self.assertEqual\neq(1, x)",
            "if x:\n    self.fail('no')",
            "if x: pass\nelse: pytest.fail('no')",
            "assert_valid(response)",
            "x = 1; assert x",
            "def check():\n    assert x\ncheck()",
        ],
        &[
            "pass",
            "...",
            "assert True",
            "assert not False",
            "assert 1 == 1",
            "assert \"x\" in \"xyz\"",
            "assert False, reason",
            "assert (x == 1, \"words\")",
            "self.assertTrue(True)",
            "self.assertTrue(True, message)",
            "self.assertEqual(1, 1)",
            "# assert x",
            "\"\"\"assert x\"\"\"",
            "print('assert x')",
            "x = total()",
            "pytest.skip('later')\nassert x",
            "self.skipTest('later')\nassert x",
            "self.fail('not yet')",
            "raise NotImplementedError",
        ],
    );
}

#[test]
fn tests_in_rust_are_functions_with_an_attribute() {
    let text = r##"
//! #[test] fn in_a_comment() {}
/* #[test] /* nested */ fn in_a_block() { assert!(x) } */
const TEXT: &str = r#"#[test] fn in_a_text() { assert!(x) } ""#;
fn helper<'a>(x: &'a str, c: char) { assert!(c == '"' || c == '\''); }
#[cfg(test)]
mod tests {
    #[test]
    fn adds() { assert_eq!(add(1, 2), 3); }
    #[tokio::test(flavor = "multi_thread")]
    async fn waits() -> Result<(), Error> { assert!(it().await?); Ok(()) }
    #[test]
    #[ignore = "slow"]
    fn slow() { assert!(x) }
    #[rstest]
    fn many(#[case] x: [u8; 3]) { assert_eq!(f(x), 3) }
    #[test]
    #[should_panic(expected = "x")]
    fn breaks() { divide(1, 0); }
    #[test]
    #[should_panic]
    fn breaks_at_once() { todo!(); }
    fn no_test() { assert!(x) }
    proptest! { #[test] fn holds(x in 0..9) { prop_assert!(x < 9); } }
    #[test]
    fn empty() {}
}
"##;
    assert_eq!(
        read(&TestLanguage::Rust, text),
        [
            "+ 9 adds",
            "+ 11 waits",
            "~ 14 slow",
            "+ 16 many",
            "+ 19 breaks",
            "- 22 breaks_at_once",
            "+ 24 holds",
            "- 26 empty"
        ]
    );
}

#[test]
fn a_stub_in_rust_is_no_assertion() {
    check(
        &TestLanguage::Rust,
        |body| format!("#[test]\nfn a() {{\n{body}\n}}\n"),
        &[
            "assert!(total() == 3);",
            "assert_ne!(3, total(), \"no\");",
            "if x { assert!(matches!(y, Some(_))); }",
            "insta::assert_snapshot!(shown);",
            "assert_status(&response, 200);",
            "command.assert().success();",
            "debug_assert_eq!(x, 1);",
            "let Some(x) = f() else { panic!(\"none\") };",
        ],
        &[
            "",
            "todo!()",
            "panic!(\"not yet: {x}\")",
            "unimplemented!(\"assert!(x)\")",
            "assert!(true);",
            "assert!(true, \"{x}\");",
            "assert!(!false, \"{}\", total());",
            "assert_eq!(2 + 2, 4);",
            "assert_eq!(\"a\", \"a\", \"{}\", x);",
            "// assert!(x)",
            "/* /* */ assert!(x) */",
            "let text = r#\"assert!(x)\"#;",
            "let _ = total();",
        ],
    );
}

#[test]
fn tests_in_javascript_and_typescript_are_calls() {
    let text = r"
import { test, expect } from 'vitest';
// test('in a comment', () => { expect(x).toBe(1) });
const text = `test('in a template ${`${x}`}', () => { expect(x).toBe(1); })`;
const pattern = /['(]test\(/g;
if (pattern.test(text)) { run(); }
describe('health', () => {
  test('status is 200', async ({ page }) => {
    const { status } = await page.get(`/health/${id}`);
    expect(status).toBe(200);
  });
  it.each([[1, 2], [3, 4]])('adds %i', (a, b) => { expect(add(a)).toBe(b); });
  it.each`a | b`('adds $a', ({ a, b }) => { expect(add(a)).toBe(b); });
  test.skip('later', () => { expect(x).toBe(1); });
  xit('later too', () => { expect(x).toBe(1); });
  test.todo('some day');
  it('shows', () => { render(<p>Don't</p>);
    expect(screen.getByText('x')).toBeVisible();
  });
  it('is typed', (): void => { const x = list as Array<number>; });
});
describe.skip('all of it', () => {
  it('is left', () => { expect(x).toBe(1); });
});
Deno.test('in Deno', () => { assertEquals(x, 1); });
";
    assert_eq!(
        read(&TestLanguage::JavaScript, text),
        [
            "+ 8 status is 200",
            "+ 12 adds %i",
            "+ 13 adds $a",
            "~ 14 later",
            "~ 15 later too",
            "~ 16 some day",
            "+ 17 shows",
            "- 20 is typed",
            "~ 23 is left",
            "+ 25 in Deno"
        ]
    );
}

#[test]
fn a_stub_in_javascript_is_no_assertion() {
    check(
        &TestLanguage::JavaScript,
        |body| format!("it('a', async () => {{\n{body}\n}});\n"),
        &[
            "expect(total()).toBe(3);",
            "expect(3).toBe(total());",
            "await expect(load()).rejects.toThrow('x');",
            "expect(() => f()).not.toThrow();",
            "expect(x)\n  .toEqual({ a: 1 });",
            "expect(x).to.be.true;",
            "assert.equal(total(), 3);",
            "assert(x);",
            "result.should.equal(3);",
            "const half = a / 2; expect(half / b).toBe(1); // it's",
        ],
        &[
            "",
            "expect(true).toBe(true);",
            "expect(1 + 1).toEqual(2);",
            "expect('x').toBe('x');",
            "expect(undefined).not.toBe(null);",
            "expect(x);",
            "expect.assertions(1);",
            "assert.ok(true, message);",
            "assert(true, message);",
            "assert.equal(1, 1, message);",
            "// expect(x).toBe(1)",
            "/* expect(x).toBe(1) */",
            "const text = \"expect(x).toBe(1)\";",
            "const text = `expect(x).toBe(${1})`;",
            "const pattern = /expect(x).toBe(1)/;",
            "total();",
        ],
    );
}

#[test]
fn tests_in_go_are_functions_that_take_a_test() {
    let text = "package a\n// func TestComment(t *testing.T) {}\nvar s = `\nfunc TestText(t *testing.T) { if x { t.Fatal() } }\n`\n\
        func TestMain(m *testing.M) { m.Run() }\nfunc Testing(t *testing.T) {}\nfunc helper(t *testing.T) {}\n\
        func TestStatus(t *testing.T) {\n\tgot := get()\n\tif got != 200 {\n\t\tt.Errorf(\"%d\", got)\n\t}\n}\n\
        func TestTable(t *testing.T) {\n\tfor _, c := range cases {\n\t\tt.Run(c.name, func(t *testing.T) {\n\t\t\tif f(c) != 1 { t.Fatal() }\n\t\t})\n\t}\n}\n\
        func TestLater(t *testing.T) {\n\tt.Skip(\"later\")\n\tif x { t.Fatal() }\n}\n\
        func TestShort(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip()\n\t}\n\trequire.NoError(t, f())\n}\n";
    assert_eq!(
        read(&TestLanguage::Go, text),
        [
            "+ 9 TestStatus",
            "+ 15 TestTable",
            "~ 22 TestLater",
            "+ 26 TestShort"
        ]
    );
}

#[test]
fn a_stub_in_go_is_no_assertion() {
    check(
        &TestLanguage::Go,
        |body| format!("func TestA(t *testing.T) {{\n{body}\n}}\n"),
        &[
            "if got := f(); got != 1 {\n t.Fatal(got)\n}",
            "if a == 1 {\n} else {\n t.Fail()\n}",
            "switch f() {\ncase 1:\ndefault:\n t.Error()\n}",
            "assert.Equal(t, 200, status)",
            "is.Equal(x, 1)",
            "assertStatus(t, response, 200)",
        ],
        &[
            "",
            "t.Fatal(\"not yet\")",
            "if true {\n t.Fatal(\"not yet\")\n}",
            "t.Run(\"a\", func(t *testing.T) {\n t.Fatal(\"not yet\")\n})",
            "assert.True(t, true)",
            "assert.Equal(t, 1, 1)",
            "// if x { t.Fatal() }",
            "_ = \"if x { t.Fatal() }\"",
            "f()",
        ],
    );
}

#[test]
fn a_test_that_calls_a_function_of_its_file_that_asserts_does_assert() {
    let python = "class TestA:\n    def check(self, x):\n        verify(x)\n    def test_a(self):\n        self.check(f())\n    def test_b(self):\n        self.look(f())\n\
        def verify(x):\n    if x:\n        assert x.ok\ndef look(x):\n    assert True\n";
    assert_eq!(
        read(&TestLanguage::Python, python),
        ["+ 4 TestA::test_a", "- 6 TestA::test_b"]
    );
    let rust = "trait T { fn check(); }\nmacro_rules! same { ($a:expr) => { assert!($a.ok()) } }\nfn check(x: u8) { verify(x) }\n#[test]\nfn a() { check(f()); }\n\
        #[test]\nfn b() { look(f()); }\n#[test]\nfn c() { same!(f()); }\nfn verify(x: u8) { if x > 1 { panic!(\"{x}\") } }\nfn look(x: u8) { assert!(true) }\n";
    assert_eq!(read(&TestLanguage::Rust, rust), ["+ 5 a", "- 7 b", "+ 9 c"]);
    let javascript = "const base = 'x'\nfunction check(x) {\n  verify(x);\n}\nconst verify = async (x: Thing): Promise<void> => {\n  expect(x.ok).toBe(true);\n};\n\
        const short = (x) => expect(x).toBe(1)\nconst look = (x) => { expect(true).toBe(true); };\n\
        it('a', () => { check(f()); });\nit('b', () => { look(f()); });\nit('c', () => { short(f()); });\n";
    assert_eq!(
        read(&TestLanguage::JavaScript, javascript),
        ["+ 10 a", "- 11 b", "+ 12 c"]
    );
    let go = "func (s *S) check(t *testing.T, x int) (bool, error) {\n\tverify(t, x)\n}\nfunc TestA(t *testing.T) { run(t, same) }\nfunc TestB(t *testing.T) { look(t, f()) }\n\
        func same(t *testing.T) { s.check(t, 1) }\nfunc verify(tb testing.TB, x int) {\n\tif x > 1 {\n\t\ttb.Fatal(x)\n\t}\n}\nfunc look(t *testing.T, x int) { if x > 1 { println(err.Error()) } }\n";
    assert_eq!(read(&TestLanguage::Go, go), ["+ 4 TestA", "- 5 TestB"]);
}

#[test]
fn tests_in_another_language_are_known_by_words_of_the_settings() {
    let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let ruby = TestLanguage::Other(TestWords {
        tests: list(&["it", "test_*"]),
        assertions: list(&["expect", "assert*"]),
        skips: list(&["skip", "pending"]),
        comments: list(&["#"]),
    });
    let text = "describe 'health' do\n  it 'has a status' do\n    expect(status).to eq 200\n  end\n  it 'is doubtful' do\n    expect(true).to eq true # x\n  end\n\
        \n  it 'is later' do\n    skip\n    expect(status).to eq 200\n  end\nend\ndef test_body\n  assert_equal 'it', body\nend\n";
    // The name of a matcher counts as something that is looked at.
    assert_eq!(
        read(&ruby, text),
        [
            "+ 2 has a status",
            "+ 5 is doubtful",
            "~ 9 is later",
            "+ 14 test_body"
        ]
    );
}

#[test]
fn the_language_of_a_file_follows_from_its_name() {
    for (name, wanted) in [
        ("tests/test_US_001.py", Some(TestLanguage::Python)),
        ("a.rs", Some(TestLanguage::Rust)),
        ("a.test.tsx", Some(TestLanguage::JavaScript)),
        ("a.spec.mjs", Some(TestLanguage::JavaScript)),
        ("a_test.go", Some(TestLanguage::Go)),
        ("a.rb", None),
        ("Makefile", None),
    ] {
        assert_eq!(TestLanguage::of_path(Path::new(name)), wanted, "{name}");
    }
}

#[test]
fn a_file_that_is_too_large_is_read_to_its_limit() {
    let text = format!(
        "def test_a():\n    assert x\n{}é",
        "#".repeat(MOST_TEST_TEXT_BYTES)
    );
    let file = test_text::read(&TestLanguage::Python, &text);
    assert_eq!((file.n_asserting(), file.is_cut), (1, true));
}

fn languages() -> [TestLanguage; 5] {
    let words = TestWords {
        tests: vec!["it".to_owned()],
        assertions: vec!["expect".to_owned()],
        skips: vec!["skip".to_owned()],
        comments: vec!["//".to_owned()],
    };
    [
        TestLanguage::Python,
        TestLanguage::Rust,
        TestLanguage::JavaScript,
        TestLanguage::Go,
        TestLanguage::Other(words),
    ]
}

proptest! {
    #[test]
    fn no_text_breaks_the_reader_of_tests(
        pieces in prop::collection::vec(
            prop_oneof![
                prop::sample::select(vec![
                    "def test_a():\n", "    ", "assert ", "x", "class TestB:\n", "#[test]", "fn a()", "{", "}", "(", ")", "assert!", "'", "\"", "`",
                    "${", "/*", "*/", "//", "#", "\n", "it", "test.skip", ".each", "expect", ".toBe", "func TestA(t *testing.T)", "if ", "t.Fatal",
                    "r#", "\\", "'''", "/", "[", "]", ",", "@", "async ", ":", ";", "é", "\u{0}",
                ]).prop_map(str::to_owned),
                any::<String>(),
            ],
            0..40,
        ),
    ) {
        let text = pieces.concat();
        let n_lines = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
        for language in languages() {
            let file = test_text::read(&language, &text);
            prop_assert!(file.tests.iter().all(|test| (1..=n_lines).contains(&test.line)));
            prop_assert!(file.tests.iter().all(|test| !test.name.chars().any(char::is_control)));
        }
    }
}
