//! Whether a call may run: the user's rules, and what holds where no rule does.
//! It decides and remembers nothing; asking is the business of the loop.

mod pattern;

use super::tool::Effect;
use crate::plain::Plain;
use pattern::Target;

/// Longest tool name or pattern of a rule, in characters.
const MAX_PATTERN: usize = 200;
/// The pattern that stands for everything.
const EVERYTHING: &str = "**";

/// What happens with a call, from the mildest to the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Plain)]
pub enum Action {
    /// It runs.
    Allow,
    /// The user is asked.
    Ask,
    /// It does not run, and the model is told so.
    Deny,
}

/// What the user said about some calls.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Rule {
    /// A tool's name, or `*` for every tool.
    pub tool: String,
    /// A pattern for what the call works on: a path of the workspace (`notes/*`)
    /// or the host of an address (`*.example.com`). `*` stands for any run of
    /// characters without a slash, `**` for any at all; a leading `**/` may also
    /// stand for nothing. Empty and `**` mean everything.
    pub target: String,
    /// What happens with such a call.
    pub action: Action,
}

/// When to ask where no rule says anything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Plain)]
pub enum ApprovalMode {
    /// For every change and everything dangerous.
    Writes,
    /// For what can't be undone or reaches outside.
    #[default]
    Dangerous,
    /// Never.
    Never,
}

/// What was decided, and by what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// What happens with the call.
    pub action: Action,
    /// The place of the rule that decided; `None` when the mode did.
    pub rule: Option<usize>,
}

/// Decides on a call of `tool` that works on `targets`: paths of the workspace
/// and whole addresses (`https://…`), as the call gives them.
///
/// For each target the last rule that matches wins, else the mode. Of several
/// targets the strictest action wins. A call without targets is matched by the
/// rules for everything alone.
pub fn decide(
    mode: ApprovalMode,
    rules: &[Rule],
    effect: Effect,
    tool: &str,
    targets: &[&str],
) -> Decision {
    let by_mode = match (effect, mode) {
        (Effect::ReadOnly, _) | (_, ApprovalMode::Never) => Action::Allow,
        (Effect::Writing, ApprovalMode::Dangerous) => Action::Allow,
        (Effect::Writing, ApprovalMode::Writes) | (Effect::Dangerous, _) => Action::Ask,
    };
    let decide_one = |target: &Target| {
        let matches =
            |rule: &Rule| (rule.tool == "*" || rule.tool == tool) && rule_fits_target(rule, target);
        match rules.iter().rposition(matches) {
            Some(at) => Decision {
                action: rules[at].action,
                rule: Some(at),
            },
            None => Decision {
                action: by_mode,
                rule: None,
            },
        }
    };
    let mut strictest = None;
    for target in targets {
        let decision = decide_one(&Target::parse(target));
        if strictest.is_none_or(|so_far: Decision| decision.action > so_far.action) {
            strictest = Some(decision);
        }
    }
    strictest.unwrap_or_else(|| decide_one(&Target::Nothing))
}

fn rule_fits_target(rule: &Rule, target: &Target) -> bool {
    if is_everything(&rule.target) {
        return true;
    }
    match target {
        Target::Nothing => false,
        Target::Path(path) => pattern::matches(&rule.target, path),
        Target::Host(host) => pattern::matches(&rule.target.to_ascii_lowercase(), host),
        // Nobody knows where it leads: no permission for a place covers it, and
        // every caution does.
        Target::Unreadable => rule.action != Action::Allow,
    }
}

fn is_everything(pattern: &str) -> bool {
    pattern.is_empty() || pattern == EVERYTHING
}

/// The rule that the answer "always" makes from a call: the same tool in the
/// same folder or at the same host; for a call with no target or several,
/// everything of that tool.
pub fn rule_for(tool: &str, targets: &[&str]) -> Rule {
    let target = match targets {
        [target] => match Target::parse(target) {
            Target::Path(path) => match path.rfind('/') {
                Some(slash) => format!("{}/*", &path[..slash]),
                None => "*".into(),
            },
            Target::Host(host) => host,
            // No path and no host has this name, so the rule allows nothing.
            Target::Unreadable | Target::Nothing => "?".into(),
        },
        _ => EVERYTHING.into(),
    };
    Rule {
        tool: tool.into(),
        target,
        action: Action::Allow,
    }
}

/// The host of an address as rules see it: in small letters, with the port unless it is the
/// scheme's own. `None` where it can't be told.
pub fn host(address: &str) -> Option<String> {
    match Target::parse(address) {
        Target::Host(host) => Some(host),
        _ => None,
    }
}

/// Whether a rule can be kept: it names a tool, and neither part holds control
/// characters or is longer than 200 characters.
pub fn check(rule: &Rule) -> bool {
    let fits =
        |text: &str| text.chars().count() <= MAX_PATTERN && !text.chars().any(char::is_control);
    !rule.tool.trim().is_empty() && fits(&rule.tool) && fits(&rule.target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Action::{Allow, Ask, Deny};

    fn rule(tool: &str, target: &str, action: Action) -> Rule {
        Rule {
            tool: tool.into(),
            target: target.into(),
            action,
        }
    }

    #[test]
    fn without_rules_the_mode_decides() {
        use ApprovalMode::{Dangerous, Never, Writes};
        for (mode, effect, action) in [
            (Writes, Effect::ReadOnly, Allow),
            (Writes, Effect::Writing, Ask),
            (Writes, Effect::Dangerous, Ask),
            (Dangerous, Effect::ReadOnly, Allow),
            (Dangerous, Effect::Writing, Allow),
            (Dangerous, Effect::Dangerous, Ask),
            (Never, Effect::ReadOnly, Allow),
            (Never, Effect::Writing, Allow),
            (Never, Effect::Dangerous, Allow),
        ] {
            for targets in [&[][..], &["a"], &["a", "b"]] {
                assert_eq!(
                    decide(mode, &[], effect, "t", targets),
                    Decision { action, rule: None }
                );
            }
        }
        assert_eq!(ApprovalMode::default(), Dangerous);
    }

    fn check_decision(
        rules: &[Rule],
        tool: &str,
        targets: &[&str],
        expected: (Action, Option<usize>),
    ) {
        let decision = decide(
            ApprovalMode::Dangerous,
            rules,
            Effect::Writing,
            tool,
            targets,
        );
        assert_eq!(
            (decision.action, decision.rule),
            expected,
            "{tool} {targets:?}"
        );
    }

    #[test]
    fn the_last_rule_that_matches_wins_and_over_targets_the_strictest() {
        let rules = [
            rule("*", "**", Ask),
            rule("write_file", "notes/**", Allow),
            rule("write_file", "notes/private/*", Deny),
            rule("fetch_url", "*.Example.com", Allow),
            rule("fetch_url", "evil.example.com", Deny),
            rule("bash", "", Allow),
        ];
        for (tool, targets, expected) in [
            ("write_file", &["src/a.rs"][..], (Ask, Some(0))),
            ("write_file", &["notes/a.md"], (Allow, Some(1))),
            ("write_file", &["/notes/./x//a.md"], (Allow, Some(1))),
            ("write_file", &["notes/private/a.md"], (Deny, Some(2))),
            ("write_file", &["notes/private/x/a.md"], (Allow, Some(1))),
            ("delete", &["notes/a.md"], (Ask, Some(0))),
            (
                "write_file",
                &["notes/a.md", "notes/b.md"],
                (Allow, Some(1)),
            ),
            ("write_file", &["notes/a.md", "b.md"], (Ask, Some(0))),
            (
                "write_file",
                &["b.md", "notes/private/a.md", "c"],
                (Deny, Some(2)),
            ),
            (
                "fetch_url",
                &["https://api.example.com/v1?x#y"],
                (Allow, Some(3)),
            ),
            (
                "fetch_url",
                &["HTTPS://API.EXAMPLE.COM:443"],
                (Allow, Some(3)),
            ),
            (
                "fetch_url",
                &["https://api.example.com:8443/"],
                (Ask, Some(0)),
            ),
            (
                "fetch_url",
                &["https://user@evil.example.com./"],
                (Deny, Some(4)),
            ),
            (
                "fetch_url",
                &["https://api.example.com@other.org/"],
                (Ask, Some(0)),
            ),
            (
                "fetch_url",
                &["https://other.org/?api.example.com"],
                (Ask, Some(0)),
            ),
            (
                "fetch_url",
                &["https://other.org\\@api.example.com/"],
                (Ask, Some(0)),
            ),
            (
                "fetch_url",
                &["https://ev%69l.example.com/"],
                (Deny, Some(4)),
            ),
            ("fetch_url", &["https:evil.example.com"], (Deny, Some(4))),
            ("bash", &[], (Allow, Some(5))),
            ("write_file", &[], (Ask, Some(0))),
            ("write_file", &["../notes/a.md"], (Deny, Some(2))),
        ] {
            check_decision(&rules, tool, targets, expected);
        }
    }

    #[test]
    fn a_rule_can_hold_back_what_only_reads() {
        let rules = [rule("read_file", "**/.env", Deny)];
        for (target, action) in [(".env", Deny), ("a/b/.env", Deny), ("a/x.env", Allow)] {
            let decision = decide(
                ApprovalMode::Never,
                &rules,
                Effect::ReadOnly,
                "read_file",
                &[target],
            );
            assert_eq!(decision.action, action, "{target}");
        }
    }

    #[test]
    fn always_covers_the_folder_or_the_host_and_no_more() {
        for (targets, expected) in [
            (&["notes/a.md"][..], "notes/*"),
            (&["./a/b/c.md"], "a/b/*"),
            (&["a.md"], "*"),
            (&["https://Api.example.com/v1"], "api.example.com"),
            (&["http://localhost:3000/x"], "localhost:3000"),
            (&["http://[::1]:80/x"], "[::1]"),
            (&["https://ev%69l.com"], "?"),
            (&["**"], "?"),
            (&[], "**"),
            (&["a", "b/c"], "**"),
        ] {
            let made = rule_for("t", targets);
            assert_eq!(made, rule("t", expected, Allow), "{targets:?}");
            assert!(check(&made));
            let allowed = decide(ApprovalMode::Writes, &[made], Effect::Writing, "t", targets);
            assert_eq!(allowed.action == Allow, expected != "?", "{targets:?}");
        }
    }

    #[test]
    fn rules_that_can_be_kept() {
        for (tool, target, expected) in [
            ("write_file", "", true),
            ("*", "**", true),
            ("", "**", false),
            (" ", "**", false),
            ("a\nb", "**", false),
            ("a", "b\0", false),
            ("a", &"长".repeat(200), true),
            ("a", &"b".repeat(201), false),
            (&"a".repeat(201), "b", false),
        ] {
            assert_eq!(
                check(&rule(tool, target, Ask)),
                expected,
                "{tool:?} {target:?}"
            );
        }
    }
}
