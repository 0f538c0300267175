//! Parts of agents that more than one story uses.

/// Returns the parts of a developer that asks for a permission before the work and cannot go on without it, and of a reviewer.
pub(crate) fn careful() -> String {
    working(
        r#"  { ask = "Touch the shop?", refused = [{ signal = "block", text = "I was not allowed to." }, { exit = 0 }] },"#,
    )
}

/// Returns the parts of a developer that takes these steps and then adds a file named after its task, and of a reviewer that agrees.
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
