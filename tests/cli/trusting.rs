//! Who may trust what a project's files would start, from the command line.

use crate::shop::{Said, Shop};

/// Runs as an agent does.
fn as_agent(shop: &Shop, arguments: &[&str]) -> Said {
    let text = |word: std::ffi::OsString| word.into_string().unwrap();
    let mut env: std::collections::BTreeMap<String, String> = shop
        .environment()
        .into_iter()
        .map(|(name, value)| (text(name), text(value)))
        .collect();
    env.insert("DBS_ATTEMPT".to_owned(), "7".to_owned());
    shop.run_with(&env, arguments)
}

#[test]
fn what_an_agent_sets_waits_for_a_person_and_an_agent_trusts_nothing() {
    let shop = Shop::new();
    shop.does(&["config", "gates.check", "make check"]);
    assert_eq!(
        shop.does(&["config", "gates.check"]),
        "make check\n",
        "set by a person"
    );
    assert_eq!(as_agent(&shop, &["config", "gates.check", "true"]).code, 0);
    assert_eq!(
        shop.does(&["config", "gates.check"]),
        "make check\n",
        "set by an agent"
    );
    let shown = shop.run(&["trust", "diff"]);
    assert_eq!(shown.code, 1, "{shown:?}");
    assert!(
        shown
            .out
            .contains("changed  program   gates.check  (.debussy/config.toml:"),
        "{shown:?}"
    );
    assert!(shown.out.contains("\n- make check\n+ true\n"), "{shown:?}");
    let hash = shown.out.trim().rsplit(' ').next().unwrap();
    for arguments in [
        &["trust", "--hash", hash][..],
        &["trust", "--forget"],
        &["trust", "--state"],
    ] {
        let said = as_agent(&shop, arguments);
        assert!(
            said.code == 1 && said.err.contains("a person does that"),
            "{said:?}"
        );
    }
    assert_eq!(shop.does(&["config", "gates.check"]), "make check\n");
    shop.does(&["trust", "--hash", hash]);
    assert_eq!(shop.does(&["config", "gates.check"]), "true\n");
    assert_eq!(shop.run(&["trust"]).code, 0);
}
