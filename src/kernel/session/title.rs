//! The title that a session begins with.

/// Longest title made from a task, in characters.
pub const MAX_TITLE: usize = 60;

/// A title for a session that begins with `task`.
pub fn title_of(task: &str) -> String {
    let line = task.lines().map(str::trim).find(|line| !line.is_empty());
    let line = line.unwrap_or_default();
    let mut title: String = line.chars().take(MAX_TITLE).collect();
    if line.chars().count() > MAX_TITLE {
        title.push('…');
    }
    title
}

#[cfg(test)]
mod tests {
    use super::title_of;

    #[test]
    fn a_title_is_the_first_line_that_says_something() {
        assert_eq!(title_of("\n  Fix the login \nand more"), "Fix the login");
        assert_eq!(title_of(&"长".repeat(80)), format!("{}…", "长".repeat(60)));
    }
}
