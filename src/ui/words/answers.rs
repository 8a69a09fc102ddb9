//! Words in answers.

use super::Words;

texts! {
    all_of_answers;
    /// What readers hear of a task's box that is ticked.
    box_done: "Done", "已完成";
    /// What readers hear of one that is not.
    box_open: "Not done", "未完成";
}

#[cfg(test)]
mod tests {
    use crate::ui::words::Language;

    #[test]
    fn all_is_said_in_both_languages() {
        let [english, chinese] = [Language::English, Language::Chinese]
            .map(|language| language.words().all_of_answers());
        assert_eq!(english.len(), chinese.len());
        for (one, other) in english.iter().zip(&chinese) {
            assert!(!one.is_empty() && !other.is_empty() && one != other);
        }
    }
}
