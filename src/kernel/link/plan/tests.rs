//! All that can have become of a file on two sides, and names that get into each other's way.

use super::*;

fn side(files: &[(&str, &str)]) -> Side {
    let file = |(path, text): &(&str, &str)| {
        let path = WorkspacePath::parse_file(path).unwrap();
        (path, Version::of(text.as_bytes()))
    };
    files.iter().map(file).collect()
}

type Files<'a> = &'a [(&'a str, &'a str)];

/// What is to be done, a line each.
fn told(base: Files, here: Files, there: Files) -> Vec<String> {
    let plan = plan(&side(base), &side(here), &side(there));
    let lists = [
        ("settle", &plan.settle),
        ("out", &plan.out),
        ("take", &plan.take),
        ("gone here", &plan.gone_here),
        ("gone there", &plan.gone_there),
        ("conflict", &plan.conflicts),
    ];
    let mut lines: Vec<String> = lists
        .iter()
        .flat_map(|(name, paths)| paths.iter().map(move |path| format!("{name} {path}")))
        .collect();
    let blocked = plan.blocked.iter();
    lines.extend(blocked.map(|(path, block)| format!("{block:?} {path}")));
    lines
}

#[test]
fn one_file_in_every_state_of_three() {
    let states: [Option<&str>; 4] = [None, Some("1"), Some("2"), Some("3")];
    let file = |state: Option<&'static str>| state.map(|text| ("f", text));
    for was in states.map(file) {
        for is in states.map(file) {
            for other in states.map(file) {
                let list = |state: Option<(&'static str, &'static str)>| {
                    state.into_iter().collect::<Vec<_>>()
                };
                let told = told(&list(was), &list(is), &list(other));
                let expected = match () {
                    () if is == other && is == was => vec![],
                    () if is == other => vec!["settle f"],
                    () if other == was && is.is_some() => vec!["out f"],
                    () if other == was => vec!["gone here f"],
                    () if is == was && other.is_some() => vec!["take f"],
                    () if is == was => vec!["gone there f"],
                    () => vec!["conflict f"],
                };
                assert_eq!(told, expected, "{was:?} {is:?} {other:?}");
            }
        }
    }
}

#[test]
fn names_that_differ_in_capitals_are_not_written_over_each_other() {
    let check = |here: Files, there: Files, expected: &[&str]| {
        assert_eq!(told(&[], here, there), expected, "{here:?} {there:?}");
    };
    check(
        &[("README", "1"), ("readme", "2")],
        &[],
        &["out README", "Case readme"],
    );
    check(
        &[("README", "1")],
        &[("readme", "2")],
        &["take readme", "Case README"],
    );
    check(
        &[("Src/a", "1")],
        &[("src/b", "2")],
        &["take src/b", "Case Src/a"],
    );
    // A disk that holds two such names minds capitals.
    let two = [("A", "1"), ("a", "2")];
    check(
        &[("A", "1"), ("a", "2"), ("B", "1"), ("b", "2")],
        &two,
        &["settle A", "settle a", "out B", "out b"],
    );
    // Changing what is there already is no new name.
    let files = [("readme", "1")];
    let told = super::plan(&side(&files), &side(&[("readme", "2")]), &side(&files));
    assert_eq!(told.out.len(), 1);
    // Another case for the same file: the old name goes first, which is asked about.
    let here = [("Readme", "1")];
    assert_eq!(told_renamed(&here), ["gone here readme", "Case Readme"]);
}

fn told_renamed(here: Files) -> Vec<String> {
    told(&[("readme", "1")], here, &[("readme", "1")])
}

#[test]
fn a_file_is_not_put_where_a_folder_is_nor_below_a_file() {
    let check = |here: Files, there: Files, expected: &[&str]| {
        assert_eq!(told(&[], here, there), expected, "{here:?} {there:?}");
    };
    check(&[("a", "1")], &[("a/b", "2")], &["Kind a", "Kind a/b"]);
    check(
        &[("a", "1")],
        &[("a.c", "0"), ("a/b", "2")],
        &["take a.c", "Kind a", "Kind a/b"],
    );
    check(
        &[("a/b/c", "1")],
        &[("a/b", "2")],
        &["Kind a/b", "Kind a/b/c"],
    );
    check(&[("ab", "1")], &[("a/b", "2")], &["out ab", "take a/b"]);
}

#[test]
fn an_empty_file_that_is_new_there_is_no_conflict() {
    let check = |base: Files, here: Files, there: Files, expected: &[&str]| {
        assert_eq!(
            told(base, here, there),
            expected,
            "{base:?} {here:?} {there:?}"
        );
    };
    check(&[], &[("f", "1")], &[("f", "")], &["out f"]);
    check(&[("f", "0")], &[("f", "1")], &[("f", "")], &["conflict f"]);
    check(&[], &[("f", "")], &[("f", "1")], &["conflict f"]);
}
