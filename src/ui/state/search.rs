//! Looking for a name in a long list, as people type parts of it.

/// How badly a name fits in which only the letters of a word were found, in their order.
const SPREAD: u32 = 1_000;

/// The places of at most `most` of `names` that fit `query`, best first, and how many fit.
/// Each word of the query must be found in the name; if no name has them all, their
/// letters in their order will do. Of names that fit as well the order stays.
pub fn search(names: &[&str], query: &str, most: usize) -> (Vec<usize>, usize) {
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let mut found: Vec<(u32, usize)> = names
        .iter()
        .enumerate()
        .filter_map(|(at, name)| Some((rank(name, &words)?, at)))
        .collect();
    if found.iter().any(|(rank, _)| *rank < SPREAD) {
        found.retain(|(rank, _)| *rank < SPREAD);
    }
    let all = found.len();
    if !words.is_empty() {
        found.sort_unstable();
    }
    found.truncate(most);
    (found.into_iter().map(|(_, at)| at).collect(), all)
}

/// How badly a name fits; `None`: not at all.
fn rank(name: &str, words: &[&str]) -> Option<u32> {
    let name = name.to_lowercase();
    let mut rank = 0;
    for word in words {
        rank += rank_of_word(&name, word)?;
    }
    Some(rank)
}

fn rank_of_word(name: &str, word: &str) -> Option<u32> {
    if name == word {
        return Some(0);
    }
    let is_start = |at: usize| !name[..at].ends_with(char::is_alphanumeric);
    if name.match_indices(word).any(|(at, _)| is_start(at)) {
        return Some(1);
    }
    if name.contains(word) {
        return Some(2);
    }
    let mut rest = name.chars();
    let is_spread = word.chars().all(|c| rest.any(|other| other == c));
    is_spread.then_some(SPREAD)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 7] = [
        "anthropic/claude-haiku-4.5",
        "mistral-large-latest",
        "openai/gpt-4.1",
        "openai/gpt-4.1-mini",
        "openai/gpt-5-mini",
        "gpt-4.1",
        "模型-一",
    ];

    fn check(query: &str, expected: &[&str]) {
        let (found, all) = search(&NAMES, query, 100);
        let names: Vec<&str> = found.iter().map(|at| NAMES[*at]).collect();
        assert_eq!(names, expected, "{query:?}");
        assert_eq!(all, expected.len());
    }

    #[test]
    fn the_best_come_first() {
        check(
            "gpt-4.1",
            &["gpt-4.1", "openai/gpt-4.1", "openai/gpt-4.1-mini"],
        );
        check("MINI", &["openai/gpt-4.1-mini", "openai/gpt-5-mini"]);
        check("mini 5", &["openai/gpt-5-mini"]);
        check("haiku", &["anthropic/claude-haiku-4.5"]);
        check("模型", &["模型-一"]);
    }

    #[test]
    fn letters_in_their_order_are_found_where_no_name_has_the_words() {
        check("g5m", &["openai/gpt-5-mini"]);
        check("large", &["mistral-large-latest"]);
        check("xyz", &[]);
    }

    #[test]
    fn an_empty_query_finds_all_as_they_stand() {
        check(" ", &NAMES);
        assert_eq!(search(&NAMES, "", 2), (vec![0, 1], 7));
    }
}
