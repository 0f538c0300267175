//! What agents do in more than one story.

/// A developer who asks for a permission before the work; without it, they cannot go on.
pub(crate) fn careful() -> String {
    working(
        r#"  { ask = "Touch the shop?", refused = [{ signal = "block", text = "I was not allowed to." }, { exit = 0 }] },"#,
    )
}

/// A developer who takes these steps and then adds a file named after its task; a reviewer who agrees.
pub(crate) fn working(first: &str) -> String {
    format!(
        r#"
[[part]]
role = "developer"
steps = [
  {{ signal = "claim" }},
{first}
{WORK}"#
    )
}

const WORK: &str = r#"
  { write = "work/{task}.txt", text = "{title}\n" },
  { commit = "[{task}] Work" },
  { push = "origin" },
  { signal = "done", text = "Worked." },
]

[[part]]
steps = [{ signal = "claim" }, { signal = "done", text = "Good." }]
"#;
