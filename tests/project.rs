//! The folder of a project, on real file systems. Git's layout is written by hand, as git writes it.
#![expect(clippy::unwrap_used, reason = "what cannot be set up is a failed test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use dbs::adapters::project::{Project, ProjectError, ProjectSecret, StateOrigin, WorkPlaces, WorkspaceRoot};
use dbs::domain::{AttemptId, Timestamp};
use tempfile::TempDir;

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = fs::canonicalize(folder.path()).unwrap();
    (folder, path)
}

fn repository(path: &Path) -> PathBuf {
    fs::create_dir_all(path.join(".git/objects")).unwrap();
    fs::create_dir_all(path.join(".git/refs")).unwrap();
    fs::write(path.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    path.to_owned()
}

fn worktree(main: &Path, path: &Path) {
    let own = main.join(".git/worktrees/ravel");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("commondir"), "../..\n").unwrap();
    fs::create_dir_all(path.join("deep")).unwrap();
    fs::write(path.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
}

#[test]
fn a_state_is_known_to_the_person_who_made_it_and_to_nobody_else() {
    let (_keep, path) = folder();
    let project = Project::find(&repository(&path.join("one"))).unwrap();
    let (ann, bob) = (path.join("ann"), path.join("bob"));
    let origin = |person: &Path| project.state_origin(Some(person)).unwrap();
    for person in [&ann, &bob] {
        assert_eq!(origin(person), StateOrigin::Own, "none yet");
    }
    assert!(
        !project.dbs().exists() && !project.folder().exists(),
        "looking makes nothing"
    );
    project.prepare(Some(&ann)).unwrap();
    assert_eq!(origin(&ann), StateOrigin::Own);
    assert!(matches!(origin(&bob), StateOrigin::Foreign(_)));
    assert!(matches!(
        project.state_origin(None).unwrap(),
        StateOrigin::Foreign(_)
    ));
    project.adopt_state(Some(&bob)).unwrap();
    assert_eq!(origin(&bob), StateOrigin::Own);
    assert!(matches!(origin(&ann), StateOrigin::Foreign(_)), "a new identity");
}

#[test]
fn a_state_without_an_identity_is_foreign_whatever_there_is_of_it() {
    for name in ["store.db", "secret", "control.git/config", "inbox/1", "identity"] {
        let (_keep, path) = folder();
        let root = repository(&path.join("one"));
        let file = root.join(".git/dbs").join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "x").unwrap();
        let origin = Project::find(&root)
            .unwrap()
            .state_origin(Some(&path.join("ann")));
        assert!(
            matches!(origin, Ok(StateOrigin::Foreign(_))),
            "{name}: {origin:?}"
        );
    }
}

#[test]
fn several_who_begin_at_once_all_know_the_state() {
    let (_keep, path) = folder();
    let project = Project::find(&repository(&path.join("one"))).unwrap();
    std::thread::scope(|scope| {
        let begin = || {
            project.prepare(Some(&path.join("ann"))).unwrap();
            project.state_origin(Some(&path.join("ann"))).unwrap()
        };
        let started: Vec<_> = (0..8).map(|_| scope.spawn(begin)).collect();
        for one in started {
            assert_eq!(one.join().unwrap(), StateOrigin::Own);
        }
    });
}

#[test]
fn a_project_is_found_from_any_folder_in_it_also_through_a_link() {
    let (_keep, path) = folder();
    let root = repository(&path.join("one"));
    fs::create_dir_all(root.join("src/deep")).unwrap();
    for from in ["", "src", "src/deep", ".git", ".git/objects"] {
        let project = Project::find(&root.join(from)).unwrap();
        assert_eq!(
            (project.root(), project.git_folder()),
            (root.as_path(), root.join(".git").as_path()),
            "{from}"
        );
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&root, path.join("link")).unwrap();
        assert_eq!(Project::find(&path.join("link/src")).unwrap().root(), root);
    }
}

#[test]
fn a_linked_worktree_leads_to_the_project_of_its_main_checkout() {
    let (_keep, path) = folder();
    let root = repository(&path.join("one"));
    let inside = root.join(".debussy-worktrees/developer-ravel");
    for tree in [inside, path.join("elsewhere")] {
        worktree(&root, &tree);
        let project = Project::find(&tree.join("deep")).unwrap();
        assert_eq!(
            (project.root(), project.git_folder()),
            (root.as_path(), root.join(".git").as_path())
        );
    }
}

/// A repository, and a worktree of it that has a `.debussy` folder of its own.
fn worktree_with_own_folder() -> (TempDir, PathBuf, PathBuf) {
    let (keep, path) = folder();
    let root = repository(&path.join("one"));
    let tree = path.join("two");
    worktree(&root, &tree);
    fs::create_dir(tree.join(".debussy")).unwrap();
    (keep, root, tree)
}

#[test]
fn a_worktree_with_its_own_debussy_folder_is_its_own_project_and_shares_the_ignore_rules() {
    let (_keep, root, tree) = worktree_with_own_folder();
    let project = Project::find(&tree).unwrap();
    assert_eq!(project.root(), tree);
    project.init().unwrap();
    assert!(
        fs::read_to_string(root.join(".git/info/exclude"))
            .unwrap()
            .contains("/.debussy*\n")
    );
}

#[test]
fn a_submodule_is_its_own_project() {
    let (_keep, path) = folder();
    let root = repository(&path.join("one"));
    let git = root.join(".git/modules/sub");
    fs::create_dir_all(&git).unwrap();
    fs::create_dir(root.join("sub")).unwrap();
    fs::write(root.join("sub/.git"), "gitdir: ../.git/modules/sub\n").unwrap();
    let project = Project::find(&root.join("sub")).unwrap();
    assert_eq!(
        (project.root(), project.git_folder()),
        (root.join("sub").as_path(), git.as_path())
    );
}

#[test]
fn no_repository_a_bare_one_and_a_broken_pointer_are_told_apart() {
    let (_keep, path) = folder();
    let bare = path.join("bare.git");
    fs::create_dir_all(bare.join("objects")).unwrap();
    fs::create_dir_all(bare.join("refs")).unwrap();
    fs::write(bare.join("HEAD"), "").unwrap();
    assert!(matches!(
        Project::find(&bare.join("refs")),
        Err(ProjectError::Bare { .. })
    ));
    fs::create_dir(path.join("broken")).unwrap();
    fs::write(path.join("broken/.git"), "nonsense").unwrap();
    assert!(matches!(
        Project::find(&path.join("broken")),
        Err(ProjectError::Foreign { .. })
    ));
    fs::write(path.join("broken/.git"), "gitdir: /not/there\n").unwrap();
    assert!(matches!(
        Project::find(&path.join("broken")),
        Err(ProjectError::Failed { .. })
    ));
    fs::create_dir(path.join("empty")).unwrap();
    let nowhere = Project::find(&path.join("empty"));
    // The folder for temporary files may itself lie in a repository.
    assert!(!nowhere.is_ok_and(|found| found.root().starts_with(&path)));
}

const RULE: &str = "/.debussy*\n";

#[test]
fn no_line_of_the_exclude_file_is_lost_whatever_it_is_made_of() {
    for (mine, wanted) in [
        (
            &b"caf\xe9\r\n/.debussy/logs \r\n\n!keep"[..],
            &b"caf\xe9\r\n/.debussy/logs \r\n\n!keep\n"[..],
        ),
        (b"/.debussy*\n", b"/.debussy*\n"),
        (b"", b""),
    ] {
        let (_keep, path) = folder();
        let root = repository(&path);
        let file = root.join(".git/info/exclude");
        fs::create_dir_all(root.join(".git/info")).unwrap();
        fs::write(&file, mine).unwrap();
        Project::find(&root).unwrap().init().unwrap();
        let text = fs::read(&file).unwrap();
        assert!(text.starts_with(wanted), "{}", text.escape_ascii());
        let added = String::from_utf8(text[wanted.len()..].to_vec()).unwrap();
        let rules: Vec<&str> = RULE.lines().filter(|rule| !has_line(mine, rule)).collect();
        assert_eq!(added.lines().collect::<Vec<_>>(), rules);
    }
}

fn has_line(text: &[u8], line: &str) -> bool {
    text.split(|&byte| byte == b'\n')
        .any(|found| found.trim_ascii() == line.as_bytes())
}

#[cfg(unix)]
#[test]
fn the_exclude_file_keeps_its_permissions_and_its_folder_may_be_no_link() {
    use std::os::unix::fs::PermissionsExt;
    let (_keep, path) = folder();
    let root = repository(&path.join("one"));
    let info = root.join(".git/info");
    fs::create_dir(&info).unwrap();
    fs::write(info.join("exclude"), "mine\n").unwrap();
    fs::set_permissions(info.join("exclude"), fs::Permissions::from_mode(0o664)).unwrap();
    Project::find(&root).unwrap().init().unwrap();
    let mode = fs::metadata(info.join("exclude")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o664);
    fs::rename(&info, path.join("elsewhere")).unwrap();
    fs::write(path.join("elsewhere/exclude"), "mine\n").unwrap();
    std::os::unix::fs::symlink(path.join("elsewhere"), &info).unwrap();
    let refused = Project::find(&root).unwrap().init();
    assert!(refused.is_err());
    assert_eq!(fs::read(path.join("elsewhere/exclude")).unwrap(), b"mine\n");
}

#[test]
fn initialising_twice_makes_everything_once_and_keeps_the_secret() {
    let (_keep, path) = folder();
    let root = repository(&path);
    fs::create_dir_all(root.join(".git/info")).unwrap();
    fs::write(root.join(".git/info/exclude"), "# mine\n*.log").unwrap();
    let project = Project::find(&root).unwrap();
    assert!(!project.dbs().is_dir());
    let first = project.init().unwrap();
    let second = project.init().unwrap();
    assert!(project.dbs().is_dir());
    let token = first.token(AttemptId(1), Timestamp(2));
    assert_eq!(token, second.token(AttemptId(1), Timestamp(2)));
    let exclude = fs::read_to_string(root.join(".git/info/exclude")).unwrap();
    assert_eq!(exclude, format!("# mine\n*.log\n{RULE}"));
    for made in [
        project.attempts(),
        project.inbox(),
        project.logs(),
        project.backups(),
    ] {
        assert!(made.is_dir(), "{}", made.display());
    }
    assert_eq!(project.attempts(), root.join(".git/dbs/attempts"));
}

#[cfg(unix)]
#[test]
fn folders_and_the_secret_are_private_also_where_they_were_open_before() {
    use std::os::unix::fs::PermissionsExt;
    let (_keep, path) = folder();
    let project = Project::find(&repository(&path)).unwrap();
    fs::create_dir_all(project.dbs()).unwrap();
    fs::set_permissions(project.dbs(), fs::Permissions::from_mode(0o755)).unwrap();
    project.init().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&project.dbs()), 0o700);
    assert_eq!(mode(&project.attempts()), 0o700);
    assert_eq!(mode(&project.dbs().join("secret")), 0o600);
}

#[cfg(unix)]
#[test]
fn links_in_the_place_of_our_folders_are_refused() {
    for name in [".debussy", ".git/dbs", ".git/dbs/attempts"] {
        let (_keep, path) = folder();
        let root = repository(&path.join("one"));
        fs::create_dir(path.join("trap")).unwrap();
        fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(path.join("trap"), root.join(name)).unwrap();
        let refused = Project::find(&root).unwrap().init();
        assert!(
            matches!(refused, Err(ProjectError::Foreign { .. })),
            "{name}: {refused:?}"
        );
        assert_eq!(fs::read_dir(path.join("trap")).unwrap().count(), 0, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_the_inbox_is_moved_aside_and_keeps_nobody_out() {
    let (_keep, path) = folder();
    let root = repository(&path.join("one"));
    let (trap, inbox) = (path.join("trap"), root.join(".git/dbs/inbox"));
    fs::create_dir(&trap).unwrap();
    fs::create_dir_all(inbox.parent().unwrap()).unwrap();
    // Twice: what was moved before does not stand in the way.
    for _ in 0..2 {
        std::os::unix::fs::symlink(&trap, &inbox).unwrap();
        Project::find(&root).unwrap().init().unwrap();
        assert!(fs::symlink_metadata(&inbox).unwrap().is_dir());
        let aside = inbox.with_extension("moved");
        assert_eq!(fs::read_link(aside).unwrap(), trap);
        assert_eq!(
            fs::read_dir(&trap).unwrap().count(),
            0,
            "nothing is made behind it"
        );
        fs::remove_dir(&inbox).unwrap();
    }
}

#[test]
fn a_worktree_that_was_a_project_of_its_own_stays_one_when_its_debussy_folder_is_gone() {
    let (_keep, root, tree) = worktree_with_own_folder();
    let project = Project::find(&tree).unwrap();
    project.init().unwrap();
    assert_eq!(project.dbs(), root.join(".git/dbs-worktrees/ravel"));
    fs::remove_dir_all(tree.join(".debussy")).unwrap();
    assert_eq!(Project::find(&tree).unwrap(), project);
    assert_ne!(Project::find(&root).unwrap().dbs(), project.dbs());
}

#[test]
fn a_file_for_people_says_where_the_state_is_and_leads_nobody_elsewhere() {
    let (_keep, path) = folder();
    let project = Project::find(&repository(&path)).unwrap();
    project.init().unwrap();
    let pointer = project.folder().join("state.txt");
    let text = fs::read_to_string(&pointer).unwrap();
    assert!(text.contains(&project.dbs().display().to_string()), "{text}");
    fs::write(&pointer, "/elsewhere").unwrap();
    project.init().unwrap();
    assert_eq!(fs::read_to_string(&pointer).unwrap(), text);
    assert_eq!(Project::find(&path).unwrap(), project);
}

#[test]
fn a_secret_of_the_wrong_length_is_refused_and_left_alone() {
    let (_keep, path) = folder();
    let file = path.join("secret");
    fs::write(&file, [7; 31]).unwrap();
    assert!(matches!(
        ProjectSecret::of(&file),
        Err(ProjectError::BadSecret { .. })
    ));
    assert_eq!(fs::read(&file).unwrap(), [7; 31]);
}

#[test]
fn of_many_who_make_the_secret_at_once_all_get_the_same() {
    for _ in 0..20 {
        let (_keep, path) = folder();
        let file = path.join("secret");
        let tokens: BTreeSet<String> = std::thread::scope(|scope| {
            let makers: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        ProjectSecret::of(&file)
                            .unwrap()
                            .token(AttemptId(1), Timestamp(1))
                    })
                })
                .collect();
            makers.into_iter().map(|maker| maker.join().unwrap()).collect()
        });
        assert_eq!(tokens.len(), 1);
        assert_eq!(
            fs::read_dir(&path).unwrap().count(),
            1,
            "nothing but the secret is left"
        );
    }
}

#[test]
fn a_token_proves_one_attempt_of_one_project_and_nothing_else() {
    let (_keep, path) = folder();
    fs::write(path.join("secret"), [7; 32]).unwrap();
    let secret = ProjectSecret::of(&path.join("secret")).unwrap();
    let other = ProjectSecret::of(&path.join("other")).unwrap();
    let token = secret.token(AttemptId(17), Timestamp(1000));
    // sha256 of 32 bytes 07, then 17 and 1000 as eight bytes each.
    assert_eq!(token, EXPECTED);
    assert!(secret.proves(&token, AttemptId(17), Timestamp(1000)));
    assert!(!secret.proves(&token, AttemptId(18), Timestamp(1000)));
    assert!(!secret.proves(&token, AttemptId(17), Timestamp(1001)));
    assert!(!other.proves(&token, AttemptId(17), Timestamp(1000)));
    assert!(!secret.proves("", AttemptId(17), Timestamp(1000)));
    assert!(!secret.proves(token.get(..63).unwrap(), AttemptId(17), Timestamp(1000)));
    assert!(!secret.proves(&format!("{token}0"), AttemptId(17), Timestamp(1000)));
    assert_eq!(format!("{secret:?}"), "Secret(..)");
}

const EXPECTED: &str = "9550cb082c6b7685570b799acb6662940dc6bf6601d5086eead01bd3f23304ca";

#[cfg(unix)]
mod sockets {
    use super::*;
    use dbs::adapters::project::{RuntimeDirs, RuntimeFolder};
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    fn base(path: &Path) -> RuntimeDirs {
        RuntimeDirs {
            runtime: Some(path.join("run")),
            temporary: path.join("tmp"),
            user: fs::metadata(path).unwrap().uid(),
        }
    }

    fn places(path: &Path) -> RuntimeDirs {
        let base = base(path);
        fs::create_dir(path.join("run")).unwrap();
        fs::create_dir(path.join("tmp")).unwrap();
        base
    }

    #[test]
    fn the_runtime_folder_is_private_and_the_same_every_time() {
        let (_keep, path) = folder();
        let base = places(&path);
        let first = RuntimeFolder::prepare(&base).unwrap();
        assert_eq!(first.path(), path.join("run/dbs"));
        assert_eq!(
            fs::metadata(first.path()).unwrap().permissions().mode() & 0o777,
            0o700
        );
        assert_eq!(RuntimeFolder::prepare(&base).unwrap(), first);
        let one = first.server_socket(Path::new("/projects/one"));
        assert_ne!(one, first.server_socket(Path::new("/projects/two")));
        assert!(one.as_os_str().len() <= 100);
    }

    #[test]
    fn a_folder_that_is_open_linked_or_somebody_elses_is_passed_over() {
        let (_keep, path) = folder();
        let base = places(&path);
        let own = path.join(format!("tmp/dbs-{}", base.user));
        fs::create_dir(path.join("run/dbs")).unwrap();
        fs::set_permissions(path.join("run/dbs"), fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(RuntimeFolder::prepare(&base).unwrap().path(), own);
        fs::remove_dir(path.join("run/dbs")).unwrap();
        fs::create_dir(path.join("trap")).unwrap();
        symlink(path.join("trap"), path.join("run/dbs")).unwrap();
        assert_eq!(RuntimeFolder::prepare(&base).unwrap().path(), own);
        let stranger = RuntimeDirs {
            user: base.user + 4711,
            ..base
        };
        let refused = RuntimeFolder::prepare(&stranger);
        let text = refused.unwrap_err().to_string();
        assert!(text.contains("belongs to user"), "{text}");
        drop(fs::remove_dir(format!("/tmp/dbs-{}", stranger.user)));
    }

    #[test]
    fn a_path_too_long_for_a_socket_is_passed_over() {
        let (_keep, path) = folder();
        let base = RuntimeDirs {
            runtime: Some(path.join("x".repeat(90))),
            ..places(&path)
        };
        fs::create_dir(base.runtime.as_ref().unwrap()).unwrap();
        let found = RuntimeFolder::prepare(&base).unwrap();
        assert!(
            found.path().starts_with(path.join("tmp")),
            "{}",
            found.path().display()
        );
    }
}

/// Folder of new worktrees of a project after its preparation, and the person's state folder.
fn prepared(root: &Path, state: &Path, setting: WorkspaceRoot) -> (PathBuf, WorkPlaces) {
    let places = || Project::find(root).unwrap().places(Some(state), setting);
    places().prepare().unwrap();
    (places().worktrees(), places())
}

#[test]
fn worktrees_and_checkouts_lie_beside_the_checkout() {
    let (_keep, path) = folder();
    let (root, state) = (repository(&path.join("one")), path.join("state"));
    let (made, places) = prepared(&root, &state, WorkspaceRoot::Beside);
    assert_eq!(made, root.with_file_name("one.dbs"));
    assert!(made.is_dir());
    assert_eq!(places.checkouts(), made.join(".checkouts"));
    assert!(
        places
            .former_worktrees()
            .contains(&root.join(".debussy-worktrees"))
    );
    assert!(
        places
            .former_checkouts()
            .contains(&root.join(".debussy/checkouts"))
    );
    assert!(!state.exists());
}

#[test]
fn a_folder_beside_the_checkout_that_is_not_ours_is_left_alone() {
    for foreign in ["file", "folder", "of another checkout"] {
        let (_keep, path) = folder();
        let (root, state) = (repository(&path.join("one")), path.join("state"));
        let beside = root.with_file_name("one.dbs");
        match foreign {
            "file" => fs::write(&beside, "mine").unwrap(),
            _ => fs::create_dir(&beside).unwrap(),
        }
        match foreign {
            "folder" => fs::write(beside.join("notes"), "mine").unwrap(),
            "of another checkout" => {
                fs::write(beside.join(".dbs-place"), path.to_str().unwrap()).unwrap();
            }
            _ => {}
        }
        let (made, places) = prepared(&root, &state, WorkspaceRoot::Beside);
        assert!(
            made.starts_with(state.join("work")),
            "{foreign}: {}",
            made.display()
        );
        assert!(
            made.is_dir() && places.checkouts().starts_with(&state),
            "{foreign}"
        );
        let again = prepared(&root, &state, WorkspaceRoot::Beside).0;
        assert_eq!(again, made, "{foreign}");
    }
}

#[test]
fn worktrees_inside_of_the_checkout_leave_the_checkouts_of_gates_outside() {
    let (_keep, path) = folder();
    let (root, state) = (repository(&path.join("one")), path.join("state"));
    let (made, places) = prepared(&root, &state, WorkspaceRoot::Inside);
    assert_eq!(made, root.join(".debussy-worktrees"));
    assert!(!places.checkouts().starts_with(&root));
    assert!(!root.with_file_name("one.dbs").exists());
}

#[test]
fn worktrees_of_a_checkout_that_was_renamed_are_found() {
    let (_keep, path) = folder();
    let (root, state) = (repository(&path.join("one")), path.join("state"));
    let (before, _) = prepared(&root, &state, WorkspaceRoot::Beside);
    let registration = root.join(".git/worktrees/a");
    fs::create_dir_all(&registration).unwrap();
    fs::write(
        registration.join("gitdir"),
        format!("{}\n", before.join("a/.git").display()),
    )
    .unwrap();
    let moved = root.with_file_name("two");
    fs::rename(&root, &moved).unwrap();
    let (made, places) = prepared(&moved, &state, WorkspaceRoot::Beside);
    assert_eq!(made, moved.with_file_name("two.dbs"));
    assert!(places.former_worktrees().contains(&before));
}
