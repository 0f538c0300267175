//! Documents of a project for its stories, to be filled in by people (A26).

/// File names and texts of the documents that a project gets in `.swanson/`.
pub const STORY_TEMPLATES: [(&str, &str); 4] = [
    (
        "product-vision.md",
        include_str!("../../../../assets/stories/product-vision.md"),
    ),
    (
        "standards.md",
        include_str!("../../../../assets/stories/standards.md"),
    ),
    (
        "context-map.md",
        include_str!("../../../../assets/stories/context-map.md"),
    ),
    (
        "prd-schema.md",
        include_str!("../../../../assets/stories/prd-schema.md"),
    ),
];
