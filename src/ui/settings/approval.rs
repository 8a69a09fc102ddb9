//! What is asked about: the mode, and rules for single tools and targets.

use super::choice;
use crate::kernel::approval::{Action, ApprovalMode, Rule};
use crate::protocol::{Command, Field};
use crate::ui::controller::Controller;
use crate::ui::dom;
use crate::ui::element::{El, button, div, el};
use crate::ui::field::{bare_field, field_error, problem_of};
use crate::ui::icon::{Icon, icon};
use crate::ui::signal::RwSignal;
use crate::ui::words::Words;

const MODE: &str = "setting-approval";
const ADD: &str = "approval-rule-add";

/// The mode's field, and the rules with the numbers that tell them apart.
#[derive(Clone)]
pub(super) struct ApprovalForm {
    ui: Controller,
    mode: El,
    rules: RwSignal<Vec<(u64, Rule)>>,
}

/// Where a rule is moved to.
#[derive(Clone, Copy)]
enum Way {
    Up,
    Down,
}

fn in_use(ui: Controller) -> (ApprovalMode, Vec<Rule>) {
    ui.settings.with_untracked(|settings| {
        settings
            .as_ref()
            .map(|settings| (settings.kept.approval, settings.kept.rules.clone()))
            .unwrap_or_default()
    })
}

fn mode_name(mode: ApprovalMode) -> &'static str {
    match mode {
        ApprovalMode::Writes => "writes",
        ApprovalMode::Dangerous => "dangerous",
        ApprovalMode::Never => "never",
    }
}

fn mode_named(name: &str) -> ApprovalMode {
    match name {
        "writes" => ApprovalMode::Writes,
        "never" => ApprovalMode::Never,
        _ => ApprovalMode::Dangerous,
    }
}

fn action_name(action: Action) -> &'static str {
    match action {
        Action::Allow => "allow",
        Action::Ask => "ask",
        Action::Deny => "deny",
    }
}

fn action_named(name: &str) -> Action {
    match name {
        "allow" => Action::Allow,
        "deny" => Action::Deny,
        _ => Action::Ask,
    }
}

impl ApprovalForm {
    pub(super) fn new(ui: Controller) -> Self {
        let (mode, rules) = in_use(ui);
        let field = choice(
            ui,
            [
                ("writes", |words| words.approval_writes),
                ("dangerous", |words| words.approval_dangerous),
                ("never", |words| words.approval_never),
            ],
        );
        field.set_value(mode_name(mode));
        Self {
            ui,
            mode: field
                .attr("id", MODE)
                .test_id(MODE)
                .attr("aria-describedby", "setting-approval-hint"),
            rules: RwSignal::new((0..).zip(rules).collect()),
        }
    }

    pub(super) fn view(&self) -> El {
        let (ui, rules) = (self.ui, self.rules);
        let chosen = RwSignal::new(mode_named(&self.mode.value()));
        let seen = self.mode.clone();
        let mode = self
            .mode
            .clone()
            .on("change", move |_| chosen.set(mode_named(&seen.value())));
        let mode = bare_field(ui, MODE, mode, move |words| {
            let hint = match chosen.get() {
                ApprovalMode::Writes => words.approval_writes_hint,
                ApprovalMode::Dangerous => words.approval_dangerous_hint,
                ApprovalMode::Never => words.approval_never_hint,
            };
            [words.approval_mode, "", hint].map(Into::into)
        });
        let add = button("button button--small rules__add")
            .attr("id", ADD)
            .test_id(ADD)
            .child(icon(Icon::Plus))
            .child(el("span").say(ui, |words| words.rule_add))
            .press(move || {
                let id = add_rule(rules);
                dom::focus_later(format!("#rule-{id} input"));
            });
        let items =
            move || rules.with(|all| all.iter().map(|rule| (rule.0, rule.clone())).collect());
        let list = div("")
            .class("rules__list")
            .each(items, move |rule| rule_row(ui, rules, rule));
        let is_wrong = move || problem_of(ui, Field::Rules).is_some();
        div("rules")
            .child(mode)
            .child(el("h4").class("rules__title").say(ui, |words| words.rules))
            .child(el("p").class("muted").say(ui, |words| words.rules_hint))
            .child(list)
            .when(is_wrong, move || field_error(ui, Field::Rules, el("span")))
            .child(add)
    }

    /// What saves them; nothing if they are as they were.
    pub(super) fn command(&self) -> Option<Command> {
        let mode = mode_named(&self.mode.value());
        let rules = self.rules.get_untracked();
        let rules: Vec<Rule> = rules.into_iter().map(|(_, rule)| trimmed(rule)).collect();
        let now = (mode, rules);
        (now != in_use(self.ui)).then(|| {
            let (mode, rules) = now;
            Command::SaveApproval { mode, rules }
        })
    }
}

/// A rule without a tool is for all of them.
fn trimmed(rule: Rule) -> Rule {
    let tool = match rule.tool.trim() {
        "" => "*",
        tool => tool,
    };
    Rule {
        tool: tool.to_owned(),
        target: rule.target.trim().to_owned(),
        action: rule.action,
    }
}

/// Adds a rule that changes nothing much, and gives its number.
fn add_rule(rules: RwSignal<Vec<(u64, Rule)>>) -> u64 {
    rules
        .try_update(|rules| {
            let id = rules.iter().map(|(id, _)| id + 1).max().unwrap_or(0);
            let rule = Rule {
                tool: String::new(),
                target: String::new(),
                action: Action::Ask,
            };
            rules.push((id, rule));
            id
        })
        .unwrap_or(0)
}

/// Tool, target, action, and the buttons that move and remove the rule.
fn rule_row(ui: Controller, rules: RwSignal<Vec<(u64, Rule)>>, (id, rule): (u64, Rule)) -> El {
    let place = move || rules.with(|rules| rules.iter().position(|(of, _)| *of == id));
    let change = move |change: &dyn Fn(&mut Rule)| {
        rules.update(|rules| {
            if let Some((_, rule)) = rules.iter_mut().find(|(of, _)| *of == id) {
                change(rule);
            }
        });
    };
    let text = |test_id: &str, value: &str, label: fn(&Words) -> &'static str| {
        let input = el("input")
            .class("field__input")
            .test_id(test_id)
            .attr("type", "text")
            .attr("autocomplete", "off")
            .attr("autocapitalize", "none")
            .attr("spellcheck", "false")
            .bind("aria-label", move || label(ui.words()))
            .bind("placeholder", move || label(ui.words()));
        input.set_value(value);
        input
    };
    let tool = text("approval-rule-tool", &rule.tool, |words| words.rule_tool);
    let target = text("approval-rule-target", &rule.target, |words| {
        words.rule_target
    });
    let action = choice(
        ui,
        [
            ("allow", |words| words.rule_allow),
            ("ask", |words| words.rule_ask),
            ("deny", |words| words.rule_deny),
        ],
    );
    action.set_value(action_name(rule.action));
    let action = action
        .test_id("approval-rule-action")
        .say_as("aria-label", ui, |words| words.rule_action);
    let [of_tool, of_target, of_action] = [tool.clone(), target.clone(), action.clone()];
    let move_it = move |way: Way| move_rule(rules, id, way);
    let remove = tool_button(ui, "approval-rule-remove", Icon::Trash, |words| {
        words.rule_remove
    })
    .press(move || {
        rules.update(|rules| rules.retain(|(of, _)| *of != id));
        dom::focus(&format!("#{ADD}"));
    });
    let up = tool_button(ui, "approval-rule-up", Icon::ArrowUp, |words| words.rule_up)
        .bind("aria-disabled", move || {
            (place() == Some(0)).then_some("true")
        })
        .press(move || move_it(Way::Up));
    let is_last = move || rules.with(|rules| rules.last().is_some_and(|(of, _)| *of == id));
    let down = tool_button(ui, "approval-rule-down", Icon::ArrowDown, |words| {
        words.rule_down
    })
    .bind("aria-disabled", move || is_last().then_some("true"))
    .press(move || move_it(Way::Down));
    div("")
        .class("rule")
        .test_id("approval-rule")
        .attr("id", &format!("rule-{id}"))
        .attr("role", "group")
        .bind("aria-label", move || {
            ui.words().numbered_rule(place().unwrap_or(0) + 1)
        })
        .child(tool.on("input", move |_| {
            change(&|rule| rule.tool = of_tool.value())
        }))
        .child(target.on("input", move |_| {
            change(&|rule| rule.target = of_target.value())
        }))
        .child(action.on("change", move |_| {
            change(&|rule| rule.action = action_named(&of_action.value()));
        }))
        .child(div("rule__buttons").children([up, down, remove]))
}

fn tool_button(
    ui: Controller,
    test_id: &str,
    shape: Icon,
    label: fn(&Words) -> &'static str,
) -> El {
    button("button button--icon button--small")
        .test_id(test_id)
        .bind("aria-label", move || label(ui.words()))
        .bind("title", move || label(ui.words()))
        .child(icon(shape))
}

/// Moves a rule by one place. Its row may be taken out and put in again, so its button
/// gets the focus anew.
fn move_rule(rules: RwSignal<Vec<(u64, Rule)>>, id: u64, way: Way) {
    rules.update(|rules| {
        let Some(at) = rules.iter().position(|(of, _)| *of == id) else {
            return;
        };
        let other = match way {
            Way::Up => at.checked_sub(1),
            Way::Down => (at + 1 < rules.len()).then_some(at + 1),
        };
        if let Some(other) = other {
            rules.swap(at, other);
        }
    });
    let button = match way {
        Way::Up => "up",
        Way::Down => "down",
    };
    dom::focus_later(format!("#rule-{id} [data-testid=approval-rule-{button}]"));
}
