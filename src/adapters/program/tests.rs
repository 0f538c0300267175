//! Tests of `src/adapters/program.rs`.

use super::*;
use std::os::unix::fs::PermissionsExt as _;

#[test]
fn a_program_is_found_in_the_path_or_where_its_name_says() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir(root.join("bin")).unwrap();
    for (name, mode) in [("bin/tool", 0o755), ("bin/text", 0o644)] {
        std::fs::write(root.join(name), "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(root.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let path = format!("/nowhere::{}", root.join("bin").display());
    std::fs::copy(root.join("bin/tool"), root.join("shop")).unwrap();
    let find = |name| find_program(name, root, &path);
    assert_eq!(find("tool"), Some(root.join("bin/tool")));
    assert_eq!(find("./bin/tool"), Some(root.join("./bin/tool")));
    assert_eq!(find("bin/tool"), Some(root.join("bin/tool")));
    for missing in ["text", "bin", "other", "/nowhere/tool", "bin/other"] {
        assert_eq!(find(missing), None, "{missing}");
    }
    assert_eq!(
        find_program("shop", root, "."),
        None,
        "the current folder is searched"
    );
}

#[test]
fn folders_that_are_relative_empty_or_in_the_project_are_left_out_of_the_search() {
    let folder = tempfile::tempdir().unwrap();
    let outside = folder.path().canonicalize().unwrap();
    let project = outside.join("shop");
    std::fs::create_dir_all(project.join("node_modules/.bin")).unwrap();
    std::os::unix::fs::symlink(project.join("node_modules"), outside.join("link")).unwrap();
    let own = |name: &str| project.join(name).display().to_string();
    let linked = outside.join("link/.bin").display().to_string();
    let not_there_yet = outside.join("link/later").display().to_string();
    let beside = format!("{}-two/bin", project.display());
    let given = [
        ".",
        "",
        "node_modules/.bin",
        "/usr/bin",
        &own(""),
        &own("bin"),
        &linked,
        &not_there_yet,
        &beside,
    ];
    let path = SearchPath::outside(Some(&project), given.join(":").as_ref());
    assert_eq!(path.kept.unwrap(), format!("/usr/bin:{beside}").as_str());
    assert_eq!(path.left_out.len(), 7, "{:?}", path.left_out);
    let path = SearchPath::outside(None, format!(".:{}", own("bin")).as_ref());
    assert_eq!(path.kept.unwrap(), own("bin").as_str());
    // An empty PATH would mean the current folder.
    assert_eq!(SearchPath::outside(None, ":.".as_ref()).kept, None);
}
