//! Where attached files are, once they were brought in.

use crate::protocol::Report;

/// Most that are mentioned: more would hide the message.
const MOST: usize = 10;

/// The paths of the files and folders called `names` by what `report` tells of them;
/// `None`: it is about others. Archives are told by the folder they were unpacked into.
pub fn places(
    names: &[String],
    report: &Report,
    is_there: &dyn Fn(&str) -> bool,
) -> Option<Vec<String>> {
    let renamed = |name: &str| {
        let mut name = name.to_owned();
        // Cleaned first, then numbered.
        for (from, to) in &report.renamed {
            if *from == name {
                name.clone_from(to);
            }
        }
        name
    };
    let of = |name: &String| {
        let path = renamed(name);
        if is_there(&path) {
            return Some(path);
        }
        let mut unpacked = report.places.iter();
        unpacked
            .find(|place| name.starts_with(place.as_str()))
            .cloned()
    };
    let is_told = |name: &String| {
        let mut places = report.places.iter();
        let is_left = report.left_out.iter().any(|left| left.name == *name);
        let is_renamed = report.renamed.iter().any(|(from, _)| from == name);
        is_left || is_renamed || places.any(|place| name.starts_with(place.as_str()))
    };
    let is_known = || report.known > 0 && names.iter().any(|name| is_there(name));
    if !names.iter().any(is_told) && !is_known() {
        return None;
    }
    let mut found: Vec<String> = Vec::new();
    for path in names.iter().filter_map(of) {
        if !found.contains(&path) {
            found.push(path);
        }
    }
    found.truncate(MOST);
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{LeftOut, Why};

    fn check(names: &[&str], report: &Report, there: &[&str], expected: Option<&[&str]>) {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let found = places(&names, report, &|path| there.contains(&path));
        let found: Option<Vec<&str>> = found
            .as_ref()
            .map(|found| found.iter().map(String::as_str).collect());
        assert_eq!(found.as_deref(), expected);
    }

    fn told(places: &[&str], renamed: &[(&str, &str)], known: u64) -> Report {
        let text = |text: &&str| (*text).to_owned();
        Report {
            places: places.iter().map(text).collect(),
            renamed: renamed.iter().map(|(a, b)| (text(a), text(b))).collect(),
            known,
            ..Report::default()
        }
    }

    #[test]
    fn files_are_found_under_the_names_they_got() {
        let report = told(&["a.txt", "b (2).txt"], &[("b.txt", "b (2).txt")], 0);
        let there = ["a.txt", "b.txt", "b (2).txt"];
        check(
            &["a.txt", "b.txt"],
            &report,
            &there,
            Some(&["a.txt", "b (2).txt"]),
        );
        let report = told(&["x (2)"], &[("x:", "x"), ("x", "x (2)")], 0);
        check(&["x:"], &report, &["x", "x (2)"], Some(&["x (2)"]));
    }

    #[test]
    fn an_archive_is_where_it_was_unpacked() {
        let report = told(&["project"], &[], 0);
        check(&["project.zip"], &report, &["project"], Some(&["project"]));
    }

    #[test]
    fn one_that_is_there_already_is_mentioned_all_the_same() {
        check(&["a.txt"], &told(&[], &[], 1), &["a.txt"], Some(&["a.txt"]));
    }

    #[test]
    fn what_was_not_taken_in_is_not_mentioned() {
        let mut report = told(&[], &[], 0);
        report.left_out.push(LeftOut {
            name: "a.txt".to_owned(),
            why: Why::TooLarge,
        });
        check(&["a.txt"], &report, &[], Some(&[]));
    }

    #[test]
    fn the_report_of_others_is_not_taken_for_it() {
        let report = told(&["other.txt"], &[], 0);
        check(&["a.txt"], &report, &["other.txt"], None);
    }
}
