//! Models' names: those that a host lists, and those that are like another.

use serde_json::Value as Json;

/// The names in a list of models, in whichever of the shapes hosts give it: below `data` or
/// `models`, or bare; objects with an `id`, a `model` or a `name`, or names alone. `None` if
/// it is no list.
pub fn listed(answer: &Json) -> Option<Vec<String>> {
    let list = ["data", "models"].iter().find_map(|name| answer.get(name));
    let list = list.unwrap_or(answer).as_array()?;
    let name = |entry: &Json| {
        let fields = ["id", "model", "name"].iter();
        let named = fields.filter_map(|field| entry.get(field)).next();
        named.unwrap_or(entry).as_str().map(str::to_owned)
    };
    Some(list.iter().filter_map(name).collect())
}

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
    use serde_json::json;

    #[test]
    fn lists_are_read_in_the_shapes_hosts_give_them() {
        let names = Some(vec!["a".to_owned(), "b".to_owned()]);
        for answer in [
            json!({"object": "list", "data": [{"id": "a", "object": "model"}, {"id": "b"}]}),
            json!({"models": [{"name": "a"}, {"model": "b", "size": 1}]}),
            json!([{"id": "a"}, {"id": "b", "name": "B"}]),
            json!({"data": ["a", "b"]}),
        ] {
            assert_eq!(listed(&answer), names, "{answer}");
        }
        for answer in [json!({"detail": "x"}), json!("a"), json!({"data": null})] {
            assert_eq!(listed(&answer), None, "{answer}");
        }
    }

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
