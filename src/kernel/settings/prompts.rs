//! Prompts that the user keeps to write them again, with variables to be filled in.

use crate::plain::Plain;

/// What stands around the name of a variable.
const OPEN: &str = "{{";
const CLOSE: &str = "}}";

/// A text to be used again. `{{name}}` in it is asked for when it is used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Plain)]
pub struct Prompt {
    /// By which it is found.
    pub name: String,
    /// What is written.
    pub text: String,
}

impl Prompt {
    /// The names of its variables, each once, in their order.
    pub fn variables(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for (_, name) in pieces(&self.text) {
            if let Some(name) = name.filter(|name| !names.contains(name)) {
                names.push(name);
            }
        }
        names
    }

    /// The text with what `value` gives in the place of each variable.
    pub fn filled(&self, value: impl Fn(&str) -> String) -> String {
        let mut filled = String::with_capacity(self.text.len());
        for (before, name) in pieces(&self.text) {
            filled.push_str(before);
            if let Some(name) = name {
                filled.push_str(&value(name));
            }
        }
        filled
    }
}

/// Stretches of text, each with the variable that follows it.
fn pieces(text: &str) -> Vec<(&str, Option<&str>)> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while let Some((before, after, name)) = next_variable(rest) {
        pieces.push((before, Some(name)));
        rest = after;
    }
    pieces.push((rest, None));
    pieces
}

/// What stands before the first variable, what behind it, and its name.
fn next_variable(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let open = from + text[from..].find(OPEN)?;
        let inner = &text[open + OPEN.len()..];
        let close = inner.find(CLOSE)?;
        let name = inner[..close].trim();
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | '.');
        if !name.is_empty() && name.chars().all(is_name) {
            return Some((&text[..open], &inner[close + CLOSE.len()..], name));
        }
        from = open + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(text: &str) -> Prompt {
        Prompt {
            name: String::new(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn variables_are_found_once_each_in_their_order() {
        let check = |text: &str, names: &[&str]| assert_eq!(prompt(text).variables(), names);
        check("Write {{ what }} for {{who}}, {{what}}.", &["what", "who"]);
        check(
            "把 {{文件}} 译成 {{target language}}",
            &["文件", "target language"],
        );
        check(
            "no {{}} names {{ }} or {{a\nb}} {{x: y}} {single} {{open",
            &[],
        );
        check("{{{deep}}}", &["deep"]);
        check("", &[]);
    }

    #[test]
    fn values_take_the_place_of_variables_and_are_not_read_again() {
        let value = |name: &str| match name {
            "a" => "{{b}}".to_owned(),
            name => name.to_uppercase(),
        };
        assert_eq!(
            prompt("{{a}} and {{ b }}; {{a}}{{}}").filled(value),
            "{{b}} and B; {{b}}{{}}"
        );
        assert_eq!(prompt("plain").filled(value), "plain");
    }
}
