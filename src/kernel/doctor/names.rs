//! Models' names that are like another.

/// Up to `most` of `names` that are most like `wanted`, the likest first; the first ones
/// where nothing is wanted.
pub fn alike(wanted: &str, names: &[String], most: usize) -> Vec<String> {
    let wanted = pairs(wanted);
    let mut rated: Vec<(usize, &String)> = names
        .iter()
        .map(|name| (likeness(&wanted, &pairs(name)), name))
        .filter(|(likeness, _)| wanted.is_empty() || *likeness >= 40)
        .collect();
    rated.sort_by_key(|(likeness, _)| usize::MAX - likeness);
    let best = rated.into_iter().take(most);
    best.map(|(_, name)| name.clone()).collect()
}

/// Neighbouring letters and digits, whatever stands between them.
fn pairs(name: &str) -> Vec<[char; 2]> {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    let letters: Vec<char> = letters.map(|c| c.to_ascii_lowercase()).collect();
    letters.windows(2).map(|two| [two[0], two[1]]).collect()
}

/// How much of both is shared, in percent.
fn likeness(a: &[[char; 2]], b: &[[char; 2]]) -> usize {
    let mut rest = b.to_vec();
    let mut shared = 0;
    for pair in a {
        if let Some(at) = rest.iter().position(|other| other == pair) {
            rest.swap_remove(at);
            shared += 1;
        }
    }
    200 * shared / (a.len() + b.len()).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_like_another_come_first() {
        let names: Vec<String> = [
            "gpt-4.1-mini",
            "gpt-4.1",
            "meta/Llama-3.3-70B-Instruct",
            "whisper",
        ]
        .map(str::to_owned)
        .into();
        let check = |wanted, expected: &[&str]| assert_eq!(alike(wanted, &names, 2), expected);
        check("GPT 4.1 mini", &["gpt-4.1-mini", "gpt-4.1"]);
        check("llama3.3-70b", &["meta/Llama-3.3-70B-Instruct"]);
        check("zzz", &[]);
        check("", &["gpt-4.1-mini", "gpt-4.1"]);
    }
}
