//! Where keys are kept: for the tab, or on this device under a passphrase. What is done
//! here holds at once. Passphrases go from their fields straight into the command.

use std::cell::Cell;

use leptos::prelude::*;

use crate::protocol::{VaultCommand, VaultProblem, VaultState};
use crate::ui::controller::Controller;
use crate::ui::dom;
use crate::ui::element::{El, button, div, el, follow_later};
use crate::ui::field::bare_field;
use crate::ui::signal::RwSignal;
use crate::ui::state::strength::{Look, Strength, look_at};
use crate::ui::unlock::{
    KEYS_PART, can_ask, secret_error, secret_input, taken, told, unlock_form, work_button,
};
use crate::ui::words::Words;

const OLD: &str = "keys-old";
const NEW: &str = "keys-new";
const AGAIN: &str = "keys-again";

/// What is asked before something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ask {
    /// Nothing: what can be done is shown.
    Nothing,
    /// A new passphrase.
    Keep,
    /// The passphrase in use, and a new one.
    Change,
    /// Whether all keys shall really be forgotten.
    Forget,
}

/// The part's content.
pub(super) fn view(ui: Controller) -> El {
    let ask = RwSignal::new(Ask::Nothing);
    ui.keys.problem.set(None);
    end_when_done(ui, ask);
    let state = move || ui.vault_state();
    div("keys")
        .test_id("keys-state")
        .bind("data-state", move || state_name(state()))
        .child(
            el("p")
                .class("muted")
                .attr("role", "status")
                .live(move || ui.words().keys_told(state())),
        )
        .when(
            move || state() == VaultState::Locked && ask.get() == Ask::Nothing,
            move || unlock_form(ui, "keys-unlock-passphrase", "keys-unlock"),
        )
        .choose(
            move || ask.get() as u64,
            move |which| {
                Some(match which {
                    which if which == Ask::Keep as u64 => passphrase_form(ui, ask, Ask::Keep),
                    which if which == Ask::Change as u64 => passphrase_form(ui, ask, Ask::Change),
                    which if which == Ask::Forget as u64 => forget_question(ui, ask),
                    _ => buttons(ui, ask),
                })
            },
        )
}

fn state_name(state: VaultState) -> &'static str {
    match state {
        VaultState::Unavailable(_) => "unavailable",
        VaultState::None => "none",
        VaultState::Locked => "locked",
        VaultState::Open => "open",
        VaultState::Damaged => "damaged",
    }
}

/// What was asked is over when the kernel has done it.
fn end_when_done(ui: Controller, ask: RwSignal<Ask>) {
    let was_at_work = Cell::new(false);
    follow_later(Box::new(move || {
        let at_work = ui.keys.at_work.get();
        let is_done = was_at_work.replace(at_work) && !at_work;
        if is_done && ui.keys.problem.with_untracked(Option::is_none) {
            leave(ask);
        }
    }));
}

/// Back to what can be done. The button that was pressed is gone.
fn leave(ask: RwSignal<Ask>) {
    ask.set(Ask::Nothing);
    dom::focus_later(format!("#{KEYS_PART}"));
}

/// What can be done, as the vault stands.
fn buttons(ui: Controller, ask: RwSignal<Ask>) -> El {
    let state = move || ui.vault_state();
    let holds_keys = move || {
        let holds = |with_key: &Vec<String>| !with_key.is_empty();
        ui.settings
            .with(|settings| settings.as_ref().is_some_and(|all| holds(&all.with_key)))
    };
    let is_kept = move || {
        matches!(
            state(),
            VaultState::Locked | VaultState::Open | VaultState::Damaged
        )
    };
    let opens = move |class: &'static str, test_id: &'static str, label, which: Ask, field| {
        doing(ui, class, test_id, label).press(move || {
            ui.keys.problem.set(None);
            ask.set(which);
            dom::focus_later(format!("#{field}"));
        })
    };
    div("keys__buttons")
        .when(
            move || state() == VaultState::None,
            move || {
                opens(
                    "button",
                    "keys-keep",
                    |words| words.keys_keep,
                    Ask::Keep,
                    NEW,
                )
            },
        )
        .when(
            move || state() == VaultState::Open,
            move || {
                doing(ui, "button", "keys-lock", |words| words.keys_lock)
                    .press(move || ui.vault(VaultCommand::Lock))
            },
        )
        .when(
            move || state() == VaultState::Open,
            move || {
                opens(
                    "button",
                    "keys-change",
                    |words| words.keys_change,
                    Ask::Change,
                    OLD,
                )
            },
        )
        .when(
            move || is_kept() || holds_keys(),
            move || {
                let label: fn(&Words) -> &'static str = |words| words.keys_forget;
                opens(
                    "button button--quiet",
                    "keys-forget",
                    label,
                    Ask::Forget,
                    "keys-forget-no",
                )
            },
        )
}

fn doing(ui: Controller, class: &str, test_id: &str, label: fn(&Words) -> &'static str) -> El {
    button(class)
        .test_id(test_id)
        .flag("disabled", move || !can_ask(ui))
        .live(move || label(ui.words()))
}

fn forget_question(ui: Controller, ask: RwSignal<Ask>) -> El {
    let yes = doing(ui, "button", "keys-forget-yes", |words| {
        words.keys_forget_yes
    })
    .press(move || ui.vault(VaultCommand::Forget));
    let no = button("button button--quiet")
        .attr("id", "keys-forget-no")
        .test_id("keys-forget-no")
        .say(ui, |words| words.cancel)
        .press(move || leave(ask));
    div("keys__ask")
        .attr("role", "group")
        .attr("aria-labelledby", "keys-forget-ask")
        .child(
            el("p")
                .attr("id", "keys-forget-ask")
                .say(ui, |words| words.keys_forget_ask),
        )
        .child(div("keys__buttons").child(yes).child(no))
        .when(
            move || ui.keys.problem.with(Option::is_some),
            move || secret_error("keys-forget-error", move || told(ui, ui.keys.problem.get())),
        )
}

/// The fields of a passphrase that is to be kept.
#[derive(Clone)]
struct Fields {
    ui: Controller,
    old: Option<El>,
    new: El,
    again: El,
    /// How good the new one is.
    look: RwSignal<Look>,
    /// Whether it was typed in two ways.
    differs: RwSignal<bool>,
}

impl Fields {
    /// Sends what was typed, if it is good enough.
    fn submit(&self) {
        let (ui, new) = (self.ui, self.new.value());
        ui.keys.problem.set(None);
        self.differs.set(new != self.again.value());
        if matches!(look_at(&new).strength, Strength::Empty | Strength::Short(_)) {
            self.differs.set(false);
            ui.keys.problem.set(Some(VaultProblem::TooShort));
            return self.new.focus();
        }
        if self.differs.get_untracked() {
            self.again.set_value("");
            return self.again.focus();
        }
        let old = self.old.as_ref().map(taken);
        self.again.set_value("");
        let command = match (old, taken(&self.new)) {
            (None, Some(new)) => VaultCommand::Keep(new),
            (Some(Some(old)), Some(new)) => VaultCommand::Change { old, new },
            _ => return self.focus_first(),
        };
        self.look.set(look_at(""));
        ui.vault(command);
    }

    fn focus_first(&self) {
        self.old.as_ref().unwrap_or(&self.new).focus();
    }

    /// Which field the kernel's problem stands at.
    fn problem_at(&self, id: &str) -> Option<VaultProblem> {
        let problem = self.ui.keys.problem.get()?;
        let at = match problem {
            VaultProblem::WrongPassphrase => OLD,
            _ => NEW,
        };
        (at == id).then_some(problem)
    }
}

fn passphrase_form(ui: Controller, ask: RwSignal<Ask>, which: Ask) -> El {
    let look = RwSignal::new(look_at(""));
    let fields = Fields {
        ui,
        old: (which == Ask::Change).then(|| secret_input(OLD)),
        new: secret_input(NEW),
        again: secret_input(AGAIN),
        look,
        differs: RwSignal::new(false),
    };
    let (submitted, refused, typed) = (fields.clone(), fields.clone(), fields.new.clone());
    follow_later(Box::new(move || {
        if refused.problem_at(OLD).is_some() || refused.problem_at(NEW).is_some() {
            refused.focus_first();
        }
    }));
    let new = fields
        .new
        .clone()
        .on("input", move |_| look.set(look_at(&typed.value())));
    let old = fields.old.clone().map(|old| {
        let field = bare_field(ui, OLD, old, |words| {
            [words.passphrase_old, "", ""].map(Into::into)
        });
        with_error(&fields, OLD, field)
    });
    let new = bare_field(ui, NEW, new, move |words| {
        [
            words.passphrase_new.into(),
            "".into(),
            hint(words, look.get()).into(),
        ]
    });
    let again = bare_field(ui, AGAIN, fields.again.clone(), |words| {
        [words.passphrase_again, "", ""].map(Into::into)
    });
    let label: fn(&Words) -> &'static str = match which {
        Ask::Change => |words| words.keys_change,
        _ => |words| words.keys_keep_save,
    };
    let cancel = button("button button--quiet")
        .test_id("keys-cancel")
        .say(ui, |words| words.cancel)
        .press(move || leave(ask));
    let about =
        (which == Ask::Keep).then(|| el("p").class("muted").say(ui, |words| words.keys_keep_hint));
    el("form")
        .class("keys__form")
        .attr("novalidate", "")
        .on("submit", move |event| {
            event.prevent_default();
            if untrack(|| can_ask(ui)) {
                submitted.submit();
            }
        })
        .children(about)
        .children(old)
        .child(
            with_error(&fields, NEW, new).bind("data-strength", move || strength_name(look.get())),
        )
        .child(with_error(&fields, AGAIN, again))
        .child(
            div("keys__buttons")
                .child(work_button(ui, "keys-save", label))
                .child(cancel),
        )
}

/// How strong it is, and what else is good to know.
fn hint(words: &Words, look: Look) -> String {
    let told = words.strength(look);
    match look.has_outer_space {
        true => format!("{told} {}", words.passphrase_space),
        false => told,
    }
}

fn strength_name(look: Look) -> &'static str {
    match look.strength {
        Strength::Empty => "empty",
        Strength::Short(_) => "short",
        Strength::Weak => "weak",
        Strength::Fair => "fair",
        Strength::Strong => "strong",
    }
}

/// A field that tells what was wrong with it.
fn with_error(fields: &Fields, id: &'static str, field: El) -> El {
    let (ui, of) = (fields.ui, fields.clone());
    let text = move || match id {
        AGAIN if of.differs.get() => ui.words().passphrase_differs,
        AGAIN => "",
        _ => told(ui, of.problem_at(id)),
    };
    let (is_wrong, shown) = (text.clone(), text);
    let is_wrong = move || !is_wrong().is_empty();
    let error = format!("{id}-error");
    field
        .class_if("field--wrong", is_wrong.clone())
        .when(is_wrong, move || secret_error(&error, shown.clone()))
}
