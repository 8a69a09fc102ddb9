//! The file tree as rows: what is shown, in which order, and where the arrows lead.
#![cfg(not(target_arch = "wasm32"))]

use tabloop::ui::state::file_tree::{
    Files, Filter, Move, RowKind, Step, TreeRow, Turned, join, moved, name, put, rows,
    rows_matching, step, totals,
};

fn files(paths: &[&str]) -> Files {
    let mut files = Files::new();
    for path in paths {
        match path.strip_suffix('/') {
            Some(folder) => put(&mut files, folder.to_owned(), None),
            None => put(&mut files, (*path).to_owned(), Some(2)),
        }
    }
    files
}

fn shown(rows: &[TreeRow]) -> Vec<String> {
    let mark = |row: &TreeRow| match row.kind {
        RowKind::File(_) => "",
        RowKind::Folded => "/…",
        RowKind::Unfolded => "/",
    };
    let line = |row: &TreeRow| {
        format!(
            "{}{}{}",
            "  ".repeat(row.level - 1),
            name(&row.path),
            mark(row)
        )
    };
    rows.iter().map(line).collect()
}

#[test]
fn folders_come_first_and_can_be_folded() {
    let files = files(&[
        "b.md",
        "A.md",
        "src/",
        "src/main.rs",
        "src/a/deep.rs",
        "docs/x.md",
    ]);
    let all = rows(&files, &Turned::new());
    assert_eq!(
        shown(&all),
        [
            "docs/",
            "  x.md",
            "src/",
            "  a/",
            "    deep.rs",
            "  main.rs",
            "A.md",
            "b.md"
        ]
    );
    assert_eq!((all[2].position, all[2].siblings), (2, 4));
    let folded = rows(&files, &Turned::from(["src".to_owned()]));
    assert_eq!(shown(&folded), ["docs/", "  x.md", "src/…", "A.md", "b.md"]);
    assert_eq!(totals(&files), (5, 10));
}

#[test]
fn many_files_begin_folded() {
    let names: Vec<String> = (0..300).map(|n| format!("d/{n}.txt")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let files = files(&names);
    assert_eq!(shown(&rows(&files, &Turned::new())), ["d/…"]);
    assert_eq!(rows(&files, &Turned::from(["d".to_owned()])).len(), 301);
}

#[test]
fn the_arrows_walk_the_tree() {
    let files = files(&["src/a.rs", "src/b.rs", "z.md"]);
    let all = rows(&files, &Turned::new());
    let check = |from, to, expected| assert_eq!(step(&all, from, to), expected, "{from} {to:?}");
    let focus = |path: &str| Step::Focus(path.to_owned());
    check("src", Move::Down, focus("src/a.rs"));
    check("src", Move::In, focus("src/a.rs"));
    check("src", Move::Out, Step::Turn("src".into()));
    check("src", Move::Up, Step::Stay);
    check("src/b.rs", Move::Out, focus("src"));
    check("src/b.rs", Move::In, Step::Stay);
    check("z.md", Move::Down, Step::Stay);
    check("z.md", Move::First, focus("src"));
    check("src", Move::Last, focus("z.md"));
    check("z.md", Move::Out, Step::Stay);
    let folded = rows(&files, &Turned::from(["src".to_owned()]));
    assert_eq!(step(&folded, "src", Move::In), Step::Turn("src".into()));
}

#[test]
fn names_between_a_folder_and_its_content_are_not_lost() {
    // Signs that sort before the slash.
    let files = files(&["a/x", "a-b", "a.b", "a!/y", "a0", "b/c/d"]);
    let all = rows(&files, &Turned::new());
    assert_eq!(
        shown(&all),
        [
            "a/", "  x", "a!/", "  y", "b/", "  c/", "    d", "a-b", "a.b", "a0"
        ]
    );
}

#[test]
fn a_filter_shows_what_matches_and_the_way_there() {
    let files = files(&[
        "src/App.rs",
        "src/lib/app_test.rs",
        "src/main.rs",
        "docs/Ärger.md",
    ]);
    let found = |typed: &str, turned: &Turned| {
        let (rows, count) = rows_matching(&files, &Filter::of(typed).unwrap(), turned);
        (shown(&rows), count)
    };
    let none = Turned::new();
    let lines = |lines: &[&str]| {
        lines
            .iter()
            .map(|line| (*line).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        found("APP", &none),
        (lines(&["src/", "  lib/", "    app_test.rs", "  App.rs"]), 2)
    );
    assert_eq!(found("rs main", &none), (lines(&["src/", "  main.rs"]), 1));
    assert_eq!(found("ärger", &none), (lines(&["docs/", "  Ärger.md"]), 1));
    assert_eq!(found("nothing such", &none), (lines(&[]), 0));
    // All that is in a folder that matches.
    assert_eq!(found("lib/", &none).1, 1);
    assert_eq!(
        found("app", &Turned::from(["src/lib".to_owned()])),
        (lines(&["src/", "  lib/…", "  App.rs"]), 2)
    );
    assert_eq!(Filter::of("  "), None);
}

#[test]
fn twenty_thousand_files_are_few_rows_until_they_are_unfolded() {
    let mut all = Files::new();
    for n in 0..20_000 {
        put(&mut all, format!("d{}/{n}.txt", n % 100), Some(1));
    }
    assert_eq!(rows(&all, &Turned::new()).len(), 100);
    let (found, count) = rows_matching(&all, &Filter::of("9.txt").unwrap(), &Turned::new());
    assert_eq!((found.len(), count), (2_010, 2_000));
}

#[test]
fn paths_follow_what_is_moved() {
    assert_eq!(moved("a/b/c", "a/b", "x"), Some("x/c".to_owned()));
    assert_eq!(moved("a/b", "a/b", "x"), Some("x".to_owned()));
    assert_eq!(moved("a/bc", "a/b", "x"), None);
    assert_eq!(
        (join("", "n"), join("a", "n")),
        ("n".to_owned(), "a/n".to_owned())
    );
}
