//! Files of tests in each language: the tests that are found, those that assert, and those that only seem to.

use std::path::Path;

use dbs::formats::test_text::{self, TestWords};
use proptest::prelude::*;

fn known(name: &str) -> TestWords {
    TestWords::of_path(Path::new(name)).unwrap()
}

/// Each test as `line name`, with a mark: `+` asserts, `-` does not, `~` is skipped.
fn read(words: &TestWords, text: &str) -> Vec<String> {
    let tests = test_text::read(words, text);
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

/// Checks bodies of one test each: those in `real` must count as asserting, those in `stubs` must not.
fn check(name: &str, write: impl Fn(&str) -> String, real: &[&str], stubs: &[&str]) {
    for (bodies, wanted) in [(real, 1), (stubs, 0)] {
        for body in bodies {
            let text = write(&body.replace('\n', "\n    "));
            let tests = test_text::read(&known(name), &text);
            let n_asserting = tests.iter().filter(|test| test.is_asserting()).count();
            assert_eq!((tests.len(), n_asserting), (1, wanted), "{text}");
        }
    }
}

#[test]
fn tests_in_python_are_functions_and_methods() {
    let text = r#"import pytest
"""
def test_in_a_text():
    assert x
"""
# def test_in_a_comment(): assert x
def helper(): assert x
async def test_async(client):
    """assert nothing"""
    response = await client.get(
        "/health",
    )
    assert response.status == 200

@pytest.mark.skip(reason="later")
@pytest.mark.parametrize("n", [1, 2])
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
def test_known():
    assert x
"#;
    assert_eq!(
        read(&known("tests/test_US_001.py"), text),
        [
            "+ 8 test_async",
            "~ 17 test_later",
            "+ 21 test_sometimes",
            "+ 24 test_body",
            "- 27 test_deep",
            "+ 33 test_user",
            "~ 37 test_known",
        ]
    );
}

#[test]
fn a_stub_in_python_is_no_assertion() {
    check(
        "a.py",
        |body| format!("def test_a(self, tmp_path):\n    {body}\n"),
        &[
            "assert total() == 3",
            "assert not errors",
            "assert (\n    total() == 3\n)",
            "assert f(\n1, 2) \\\n  == 3, \"no\"",
            "for x in xs:\n    assert x",
            "if slow:\n    pytest.skip()\nassert x",
            "with pytest.raises(ValueError):\n    f()",
            "self.assertTrue(x)",
            "self.assertRaises(ValueError, f)",
            "mock.assert_called_once()",
            "if x:\n    self.fail('no')",
            "assert_valid(response)",
            "def check():\n    assert x\ncheck()",
        ],
        &[
            "pass",
            "...",
            "assert True",
            "assert not False",
            "assert 1 == 1",
            "assert (\n    True\n)",
            "assert \"x\" in \"xyz\"",
            "self.assertTrue(True)",
            "self.assertEqual(1, 1)",
            "# assert x",
            "\"\"\"assert\nassert x\"\"\"",
            "print('assert x')",
            "x = total()",
            "self.fail('not yet')",
            "raise NotImplementedError",
        ],
    );
}

#[test]
fn tests_in_rust_are_functions_with_an_attribute() {
    let text = r#"
//! #[test] fn in_a_comment() {}
/* #[test] fn in_a_block() { assert!(x) } */
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
    fn no_test() { assert!(x) }
    proptest! { #[test] fn holds(x in 0..9) { prop_assert!(x < 9); } }
    #[test]
    fn empty() {}
}
"#;
    assert_eq!(
        read(&known("a.rs"), text),
        [
            "+ 8 adds",
            "+ 10 waits",
            "~ 13 slow",
            "+ 15 many",
            "+ 18 breaks",
            "+ 20 holds",
            "- 22 empty"
        ]
    );
}

#[test]
fn a_stub_in_rust_is_no_assertion() {
    check(
        "a.rs",
        |body| format!("#[test]\nfn a() {{\n    {body}\n}}\n"),
        &[
            "assert!(total() == 3);",
            "assert_eq!(\n    total(),\n    3\n);",
            "if x { assert!(matches!(y, Some(_))); }",
            "insta::assert_snapshot!(shown);",
            "assert_status(&response, 200);",
            "command.assert().success();",
            "let Some(x) = f() else {\n    panic!(\"none\")\n};",
        ],
        &[
            "",
            "todo!()",
            "panic!(\"not yet: {x}\")",
            "unimplemented!(\"assert!(x)\")",
            "assert!(true);",
            "assert!(true, \"{x}\");",
            "assert_eq!(2 + 2, 4);",
            "// assert!(x)",
            "/* assert!(x)\n*/",
            "let _ = total();",
        ],
    );
}

#[test]
fn tests_in_javascript_and_typescript_are_calls() {
    let text = r"
import { test, expect } from 'vitest';
// test('in a comment', () => { expect(x).toBe(1) });
const text = `
test('in a template', () => { expect(x).toBe(1); })`;
const pattern = /['(]test\(/g;
if (pattern.test(text)) { run(); }
test.beforeEach(async ({ page }) => { await page.open(); });
describe('health', () => {
  test('status is 200', async ({ page }) => {
    const { status } = await page.get(`/health/${id}`);
    expect(status).toBe(200);
  });
  it.each([[1, 2], [3, 4]])('adds %i', (a, b) => { expect(add(a)).toBe(b); });
  test.skip('later', () => { expect(x).toBe(1); });
  xit('later too', () => { expect(x).toBe(1); });
  test.todo('some day');
  it('shows', () => { render(<p>Don't</p>);
    expect(screen.getByText('x')).toBeVisible();
  });
  it('is typed', (): void => { const x = list as Array<number>; });
});
Deno.test('in Deno', () => { assertEquals(x, 1); });
";
    for name in ["a.test.tsx", "a.spec.mjs"] {
        assert_eq!(
            read(&known(name), text),
            [
                "+ 10 status is 200",
                "+ 14 adds %i",
                "~ 15 later",
                "~ 16 later too",
                "~ 17 some day",
                "+ 18 shows",
                "- 21 is typed",
                "+ 23 in Deno"
            ]
        );
    }
}

#[test]
fn a_stub_in_javascript_is_no_assertion() {
    check(
        "a.js",
        |body| format!("it('a', async () => {{\n    {body}\n}});\n"),
        &[
            "expect(total()).toBe(3);",
            "expect(3).toBe(total());",
            "await expect(load()).rejects.toThrow('x');",
            "expect(\n  f(1),\n).toBe(2);",
            "expect(3)\n  .toBe(total());",
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
            "expect.assertions(1);",
            "assert.ok(true);",
            "// expect(x).toBe(1)",
            "/* expect(x).toBe(1) */",
            "const text = \"expect(x).toBe(1)\";",
            "const text = `expect(x).toBe(${1})`;",
            "total();",
        ],
    );
}

#[test]
fn tests_in_go_are_functions_that_take_a_test() {
    let text = "package a\n// func TestComment(t *testing.T) {}\nvar s = `\nfunc TestText(t *testing.T) { if x { t.Fatal() } }\n`\n\
        func TestMain(m *testing.M) { m.Run() }\nfunc helper(t *testing.T) {}\n\
        func TestStatus(t *testing.T) {\n\tgot := get()\n\tif got != 200 {\n\t\tt.Errorf(\"bad\")\n\t}\n}\n\
        func TestTable(t *testing.T) {\n\tfor _, c := range cases {\n\t\tt.Run(c.name, func(t *testing.T) {\n\t\t\tif f(c) != 1 { t.Fatal() }\n\t\t})\n\t}\n}\n\
        func TestLater(t *testing.T) {\n\tt.Skip(\"later\")\n\tif x { t.Fatal() }\n}\n\
        func TestShort(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip()\n\t}\n\trequire.NoError(t, f())\n}\n";
    assert_eq!(
        read(&known("a_test.go"), text),
        [
            "+ 8 TestStatus",
            "+ 14 TestTable",
            "~ 21 TestLater",
            "+ 25 TestShort"
        ]
    );
}

#[test]
fn a_stub_in_go_is_no_assertion() {
    check(
        "a.go",
        |body| format!("func TestA(t *testing.T) {{\n    {body}\n}}\n"),
        &[
            "if got := f(); got != 1 {\n t.Fatal(got)\n}",
            "switch f() {\ncase 1:\ndefault:\n t.Error()\n}",
            "assert.Equal(t, 200, status)",
            "is.Equal(x, 1)",
            "assertStatus(t, response, 200)",
        ],
        &[
            "",
            "t.Fatal(\"not yet\")",
            "if true {\n t.Fatal(\"not yet\")\n}",
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
    assert_eq!(read(&known("a.py"), python), ["+ 4 test_a", "- 6 test_b"]);
    let rust = "trait T { fn check(); }\nmacro_rules! same { ($a:expr) => { assert!($a.ok()) } }\nfn check(x: u8) { verify(x) }\n#[test]\nfn a() { check(f()); }\n\
        #[test]\nfn b() { look(f()); }\n#[test]\nfn c() { same!(f()); }\nfn verify(x: u8) { if x > 1 { panic!(\"{x}\") } }\nfn look(x: u8) { assert!(true) }\n";
    assert_eq!(read(&known("a.rs"), rust), ["+ 5 a", "- 7 b", "+ 9 c"]);
    let javascript = "const base = 'x'\nfunction check(x) {\n  verify(x);\n}\nconst verify = async (x: Thing): Promise<void> => {\n  expect(x.ok).toBe(true);\n};\n\
        const short = (x) => expect(x).toBe(1)\nconst look = (x) => { expect(true).toBe(true); };\n\
        it('a', () => { check(f()); });\nit('b', () => { look(f()); });\nit('c', () => { short(f()); });\n";
    assert_eq!(read(&known("a.ts"), javascript), ["+ 10 a", "- 11 b", "+ 12 c"]);
    let go = "func (s *S) check(t *testing.T, x int) (bool, error) {\n\tverify(t, x)\n}\nfunc TestA(t *testing.T) { run(t, same) }\nfunc TestB(t *testing.T) { look(t, f()) }\n\
        func same(t *testing.T) { s.check(t, 1) }\nfunc verify(tb testing.TB, x int) {\n\tif x > 1 {\n\t\ttb.Fatal(x)\n\t}\n}\nfunc look(t *testing.T, x int) { println(x) }\n";
    assert_eq!(read(&known("a.go"), go), ["+ 4 TestA", "- 5 TestB"]);
}

#[test]
fn tests_in_another_language_are_known_by_words_of_the_settings() {
    let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let ruby = TestWords {
        tests: list(&["it", "test_*"]),
        functions: Vec::new(),
        assertions: list(&["expect", "assert*"]),
        skips: list(&["skip", "pending"]),
        comments: list(&["#"]),
    };
    let text = "describe 'health' do\n  it 'has a status' do\n    expect(status).to eq 200\n  end\n  it 'is doubtful' do\n    expect(true).to eq true # x\n  end\n\
        \n  it 'is later' do\n    skip\n    expect(status).to eq 200\n  end\nend\ndef test_body\n  assert_equal 'it', body\nend\n";
    // The name of a matcher counts as a value under test.
    assert_eq!(
        read(&ruby, text),
        [
            "+ 2 has a status",
            "+ 5 is doubtful",
            "~ 9 is later",
            "+ 14 test_body"
        ]
    );
    let java = TestWords {
        tests: list(&["void"]),
        skips: list(&["Disabled"]),
        comments: list(&["//"]),
        ..ruby
    };
    let text = "@Test\nvoid adds() {\n  assertEquals(3, add(1, 2));\n}\n@Test\n@Disabled(\"later\")\nvoid later() {\n  assertTrue(x);\n}\n/*\nvoid gone() {}\n*/\n";
    assert_eq!(read(&java, text), ["+ 2 adds", "~ 7 later"]);
    assert_eq!(TestWords::of_path(Path::new("a.rb")), None);
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
        for name in ["a.py", "a.rs", "a.js", "a.go"] {
            let tests = test_text::read(&known(name), &text);
            prop_assert!(tests.iter().all(|test| (1..=n_lines).contains(&test.line)));
            prop_assert!(tests.iter().all(|test| !test.name.chars().any(char::is_control)));
        }
    }
}
