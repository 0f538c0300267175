//! The workflows that come with the program; a project may put its own beside or over them.

/// Returns names and texts of the built-in workflows.
pub fn builtin() -> Vec<(&'static str, &'static str)> {
    vec![
        ("kanban", include_str!("../../../../assets/workflows/kanban.toml")),
        ("atdd", include_str!("../../../../assets/workflows/atdd.toml")),
        (
            "convert",
            include_str!("../../../../assets/workflows/convert.toml"),
        ),
        ("design", include_str!("../../../../assets/workflows/design.toml")),
        ("phased", include_str!("../../../../assets/workflows/phased.toml")),
        ("graph", include_str!("../../../../assets/workflows/graph.toml")),
        (
            "conduct",
            include_str!("../../../../assets/workflows/conduct.toml"),
        ),
        (
            "investigation",
            include_str!("../../../../assets/workflows/investigation.toml"),
        ),
    ]
}
