//! What agents do in more than one story.

/// Asks for a permission before it works; without it, it cannot go on.
pub(crate) const CAREFUL: &str = r#"
[[part]]
role = "developer"
steps = [
  { signal = "claim" },
  { ask = "Touch the shop?", refused = [{ signal = "block", text = "I was not allowed to." }, { exit = 0 }] },
  { write = "work/{task}.txt", text = "{title}\n" },
  { commit = "[{task}] Work" },
  { push = "origin" },
  { signal = "done", text = "Worked." },
]

[[part]]
steps = [{ signal = "claim" }, { signal = "done", text = "Good." }]
"#;

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
