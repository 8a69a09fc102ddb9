//! Looking for paths as people type parts of them: letters in their order are enough, and
//! what stands together, at the start of a name or in the name itself counts more.

/// How well a path fits. The last part of a path is its name.
const IN_NAME: i32 = 40;
const AT_START: i32 = 24;
const TOGETHER: i32 = 16;
const GAP: i32 = -1;
/// Most that gaps take away between two letters.
const WORST_GAP: i32 = -12;

/// The best `most` of `paths` for `query`, best first; those that fit as well, the shorter
/// and then the earlier first. All of them fit an empty query.
pub fn best<'a>(paths: impl Iterator<Item = &'a str>, query: &str, most: usize) -> Vec<&'a str> {
    let wanted: Vec<char> = query
        .chars()
        .filter(|c| !c.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect();
    if wanted.is_empty() {
        return paths.take(most).collect();
    }
    let mut lowered = Vec::new();
    let mut found: Vec<(i32, usize, usize, &str)> = paths
        .enumerate()
        .filter_map(|(at, path)| {
            lower(path, &mut lowered);
            let score = score(&lowered, &wanted)?;
            Some((-score, path.len(), at, path))
        })
        .collect();
    if found.len() > most {
        found.select_nth_unstable(most);
        found.truncate(most);
    }
    found.sort_unstable();
    found.into_iter().map(|(.., path)| path).collect()
}

/// The path in small letters, into a buffer that is used again: one for each letter.
fn lower(path: &str, into: &mut Vec<char>) {
    into.clear();
    into.extend(path.chars().map(|c| match c.is_ascii() {
        true => c.to_ascii_lowercase(),
        false => c.to_lowercase().next().unwrap_or(c),
    }));
}

/// How well it fits; `None`: not at all. In the name alone if all letters are there, else
/// anywhere.
fn score(path: &[char], wanted: &[char]) -> Option<i32> {
    let name = path.iter().rposition(|c| *c == '/').map_or(0, |at| at + 1);
    let in_name = along(path, wanted, name).map(|score| score + IN_NAME);
    in_name.max(along(path, wanted, 0))
}

/// The score of the letters from `from` on: first where they stand together, else each at
/// its first place.
fn along(path: &[char], wanted: &[char], from: usize) -> Option<i32> {
    let together = path[from..]
        .windows(wanted.len())
        .enumerate()
        .filter(|(_, part)| *part == wanted)
        .map(|(at, _)| from + at)
        .max_by_key(|at| is_start(path, *at));
    if let Some(at) = together {
        let start = if is_start(path, at) { AT_START } else { 0 };
        return Some(start + TOGETHER * wanted.len() as i32);
    }
    let (mut score, mut last) = (0, None);
    let mut at = from;
    for letter in wanted {
        at += path[at..].iter().position(|c| c == letter)?;
        score += match last {
            Some(last) if at == last + 1 => TOGETHER / 2,
            Some(last) => (GAP * (at - last) as i32).max(WORST_GAP),
            None => 0,
        };
        if is_start(path, at) {
            score += AT_START / 3;
        }
        last = Some(at);
        at += 1;
    }
    Some(score)
}

/// Whether a word begins there.
fn is_start(path: &[char], at: usize) -> bool {
    at == 0 || !path[at - 1].is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATHS: [&str; 8] = [
        "README.md",
        "src/app.rs",
        "src/app/router.rs",
        "src/ui/application.rs",
        "docs/approach.md",
        "tests/app_test.rs",
        "notes/会议 纪要.md",
        "a/p/p/x.txt",
    ];

    fn check(query: &str, expected: &[&str]) {
        let found = best(PATHS.into_iter(), query, 3);
        assert_eq!(found, expected, "{query:?}");
    }

    #[test]
    fn names_count_more_than_folders_and_whole_words_more_than_spread_letters() {
        check(
            "app",
            &["src/app.rs", "docs/approach.md", "tests/app_test.rs"],
        );
        check("router", &["src/app/router.rs"]);
        check("readme", &["README.md"]);
        check(
            "app.rs",
            &["src/app.rs", "tests/app_test.rs", "src/ui/application.rs"],
        );
        check(
            "src/app",
            &["src/app.rs", "src/app/router.rs", "src/ui/application.rs"],
        );
        check("纪要", &["notes/会议 纪要.md"]);
    }

    #[test]
    fn letters_in_their_order_are_enough_and_blanks_do_not_count() {
        check("sarr", &["src/app/router.rs"]);
        check("app test", &["tests/app_test.rs"]);
        check("zzz", &[]);
        check("rdm", &["README.md"]);
    }

    #[test]
    fn an_empty_query_takes_the_first_ones() {
        check("", &PATHS[..3]);
        check(" ", &PATHS[..3]);
    }

    #[test]
    fn the_best_of_many_are_the_best_of_all() {
        let many: Vec<String> = (0..20_000)
            .map(|n| format!("folder{}/part{}/file-{n}.txt", n % 97, n % 13))
            .collect();
        let paths = || many.iter().map(String::as_str);
        let all = best(paths(), "file19", usize::MAX);
        assert!(all.len() > 1_000);
        assert_eq!(best(paths(), "file19", 50), all[..50]);
        assert_eq!(
            best(paths(), "file-19999.txt", 5),
            ["folder17/part5/file-19999.txt"]
        );
    }
}
