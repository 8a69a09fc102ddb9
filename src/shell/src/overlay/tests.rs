//! What commands do to the overlay, and what comes of it.

use super::change::MAX_FILE;
use super::*;

const INDEX: &str = "/ src\n/ src/lib\n5 1000 aa src/app.rs\n3 1000 bb src/lib/a.rs\n3 2000 cc src/lib/b c.rs\n4 1000 dd readme.md\n0 1000 ee empty";

fn overlay() -> Overlay {
    let mut overlay = Overlay::default();
    overlay.set_time(9_000);
    overlay.begin(INDEX);
    overlay
}

fn names(overlay: &Overlay, folder: &str) -> Vec<String> {
    let list = overlay.list(folder).unwrap();
    list.into_iter().map(|(name, _)| name).collect()
}

/// The changes in short: `-a`, `d/`, `f=text`, `to<from`.
fn told(overlay: &Overlay) -> Vec<String> {
    let told = overlay.changes().into_iter().map(|change| match change {
        Changed::Gone { path } => format!("-{path}"),
        Changed::Folder { path } => format!("{path}/"),
        Changed::File { path, content } => {
            format!("{path}={}", String::from_utf8_lossy(&content))
        }
        Changed::Same { path, from } => format!("{path}<{from}"),
    });
    told.collect()
}

#[test]
fn the_index_is_what_a_command_finds() {
    let overlay = overlay();
    assert_eq!(names(&overlay, ""), ["empty", "readme.md", "src"]);
    assert_eq!(names(&overlay, "src"), ["app.rs", "lib"]);
    assert_eq!(names(&overlay, "src/lib"), ["a.rs", "b c.rs"]);
    let look = overlay.look("src/lib/b c.rs").unwrap();
    assert_eq!(
        (look.is_folder, look.size, look.modified_ms),
        (false, 3, 2_000)
    );
    assert_eq!(overlay.look("src/nothing"), Err(Problem::NotFound));
    assert_eq!(overlay.list("readme.md"), Err(Problem::NotFolder));
    assert_eq!(told(&overlay), [""; 0]);
}

#[test]
fn contents_are_fetched_once_and_those_behind_along_with_them() {
    let mut overlay = overlay();
    let first = overlay.content("src/app.rs").unwrap();
    assert_eq!(first, Got::Fetch(vec!["src/app.rs".into()]));
    overlay.take("src/app.rs", Some(b"fn a".to_vec()));
    let here = Got::Here(Arc::new(b"fn a".to_vec()));
    assert_eq!(overlay.content("src/app.rs").unwrap(), here);
    let next = overlay.content("src/lib/a.rs").unwrap();
    assert_eq!(
        next,
        Got::Fetch(vec!["src/lib/a.rs".into(), "src/lib/b c.rs".into()])
    );
    overlay.take("src/lib/a.rs", None);
    assert_eq!(overlay.content("src/lib/a.rs"), Err(Problem::Forbidden));
    assert_eq!(overlay.content("empty").unwrap(), Got::Here(Arc::default()));
    assert_eq!(overlay.content("src"), Err(Problem::IsFolder));
    // The next command knows the same content again, and another one not.
    overlay.begin("5 1000 aa src/app.rs\n5 1000 ab readme.md");
    assert_eq!(overlay.content("src/app.rs").unwrap(), here);
    assert!(matches!(
        overlay.content("readme.md").unwrap(),
        Got::Fetch(_)
    ));
}

#[test]
fn what_is_written_is_told_and_nothing_else() {
    let mut overlay = overlay();
    overlay.write("src/app.rs", b"new").unwrap();
    overlay.make_folder("out/deep", Parents::Make).unwrap();
    overlay.write("out/deep/x", b"1").unwrap();
    let before = Arc::new(b"1".to_vec());
    overlay.append("out/deep/x", b"2", before).unwrap();
    overlay.remove("readme.md", What::Itself).unwrap();
    overlay.set_modified("empty", 5).unwrap();
    overlay.set_mode("src/app.rs", 0o100_755).unwrap();
    assert_eq!(overlay.look("src/app.rs").unwrap().mode, 0o755);
    assert_eq!(
        told(&overlay),
        [
            "-readme.md",
            "out/",
            "out/deep/",
            "out/deep/x=12",
            "src/app.rs=new"
        ]
    );
    overlay.begin(INDEX);
    assert_eq!(told(&overlay), [""; 0]);
}

#[test]
fn a_folder_that_is_moved_moves_without_its_contents_being_read() {
    let mut overlay = overlay();
    overlay.rename("src", "lib").unwrap();
    overlay.rename("lib/app.rs", "lib/main.rs").unwrap();
    let moved = [
        "-src",
        "-src/app.rs",
        "-src/lib",
        "-src/lib/a.rs",
        "-src/lib/b c.rs",
        "lib/",
        "lib/lib/",
        "lib/lib/a.rs<src/lib/a.rs",
        "lib/lib/b c.rs<src/lib/b c.rs",
        "lib/main.rs<src/app.rs",
    ];
    assert_eq!(told(&overlay), moved);
    // Back again is no change.
    overlay.rename("lib/main.rs", "lib/app.rs").unwrap();
    overlay.rename("lib", "src").unwrap();
    assert_eq!(told(&overlay), [""; 0]);
    overlay.copy("src/app.rs", "src/copy.rs").unwrap();
    assert_eq!(told(&overlay), ["src/copy.rs<src/app.rs"]);
}

#[test]
fn two_files_can_change_places() {
    let mut overlay = overlay();
    overlay.rename("readme.md", "t").unwrap();
    overlay.rename("src/app.rs", "readme.md").unwrap();
    overlay.rename("t", "src/app.rs").unwrap();
    assert_eq!(
        told(&overlay),
        ["readme.md<src/app.rs", "src/app.rs<readme.md"]
    );
}

#[test]
fn what_unix_refuses_is_refused() {
    let mut overlay = overlay();
    assert_eq!(overlay.write("src", b""), Err(Problem::IsFolder));
    assert_eq!(overlay.write("", b""), Err(Problem::IsFolder));
    assert_eq!(
        overlay.make_folder("readme.md/x", Parents::Make),
        Err(Problem::Exists)
    );
    assert_eq!(overlay.remove("src", What::Itself), Err(Problem::NotEmpty));
    assert_eq!(overlay.remove("", What::All), Err(Problem::NotEmpty));
    assert_eq!(overlay.remove("nothing", What::All), Err(Problem::NotFound));
    assert_eq!(overlay.rename("src", "src/lib/x"), Err(Problem::IntoItself));
    assert_eq!(overlay.rename("src", "readme.md"), Err(Problem::NotFolder));
    assert_eq!(overlay.rename("readme.md", "src"), Err(Problem::IsFolder));
    assert_eq!(overlay.rename("src/lib", "src"), Err(Problem::NotEmpty));
    assert_eq!(overlay.copy("src", "x"), Err(Problem::IsFolder));
    assert_eq!(told(&overlay), [""; 0]);
}

#[test]
fn names_the_workspace_can_not_hold_are_refused_where_they_are_given() {
    let mut overlay = overlay();
    let long = "n".repeat(256);
    for name in ["a\nb", "a\0b", "a\\b", "x/ y", "x ", "x.", long.as_str()] {
        assert!(
            matches!(overlay.write(name, b"x"), Err(Problem::BadName(_))),
            "{name:?}"
        );
        assert!(
            matches!(overlay.rename("readme.md", name), Err(Problem::BadName(_))),
            "{name:?}"
        );
        let made = overlay.make_folder(name, Parents::AreThere);
        assert!(matches!(made, Err(Problem::BadName(_))), "{name:?}");
    }
    assert_eq!(told(&overlay), [""; 0]);
    overlay.write("日本 語's \"x\".txt", b"x").unwrap();
    assert_eq!(told(&overlay).len(), 1);
}

#[test]
fn too_much_does_not_fit() {
    let mut overlay = overlay();
    let large = vec![0; 90 << 20];
    overlay.write("a", &large).unwrap();
    overlay.write("b", &large).unwrap();
    assert_eq!(overlay.write("c", &large), Err(Problem::Full));
    overlay.write("b", b"small").unwrap();
    overlay.write("c", &large).unwrap();
    assert_eq!(
        overlay.write("d", &vec![0; MAX_FILE + 1]),
        Err(Problem::Full)
    );
}
