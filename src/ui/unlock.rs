//! The passphrase that unlocks the keys: over the composer, and in the settings. It goes
//! from its field straight into the command: it stands in no signal and no attribute.

use leptos::prelude::*;

use super::controller::Controller;
use super::controller::keys::{Then, UNLOCK_FIELD};
use super::dom;
use super::element::{El, button, div, el, follow_later, span};
use super::field::bare_input;
use super::icon::{Icon, icon};
use super::words::Words;
use crate::kernel::vault::Passphrase;
use crate::protocol::{VaultCommand, VaultProblem};

/// The settings' part about keys.
pub const KEYS_PART: &str = "settings-keys";

/// Stands over the composer as long as the endpoint's key is locked.
pub fn unlock_card(ui: Controller) -> El {
    let text = move || match ui.then() {
        Some(Then::Send) => ui.words().unlock_to_send,
        Some(Then::GoOn) => ui.words().unlock_to_go_on,
        None => ui.words().unlock_text,
    };
    let told = div("unlock__told")
        .attr("role", "status")
        .child(
            el("h2")
                .class("unlock__title")
                .attr("id", "unlock-title")
                .say(ui, |words| words.keys_are_locked),
        )
        .child(el("p").class("unlock__text").live(text));
    let forgotten = button("button button--quiet button--small")
        .test_id("unlock-forgotten")
        .say(ui, |words| words.passphrase_forgotten)
        .press(move || {
            ui.open_settings();
            dom::focus_later(format!("#{KEYS_PART}"));
        });
    let head = div("unlock__head")
        .child(icon(Icon::Key))
        .child(told)
        .child(forgotten);
    el("section")
        .class("unlock")
        .attr("aria-labelledby", "unlock-title")
        .test_id("unlock-card")
        .child(head)
        .child(unlock_form(ui, UNLOCK_FIELD, "unlock"))
}

/// The field called `id`, and its button.
pub fn unlock_form(ui: Controller, id: &'static str, submit: &'static str) -> El {
    let keys = ui.keys;
    let is_wrong = move || keys.problem.with(Option::is_some);
    let input = secret_input(id)
        .say_as("aria-label", ui, |words| words.passphrase)
        .say_as("placeholder", ui, |words| words.passphrase)
        .bind("aria-invalid", move || is_wrong().then_some("true"))
        .bind("aria-describedby", move || {
            is_wrong().then(|| format!("{id}-error"))
        });
    let typed = input.clone();
    // Whoever was wrong types again.
    let again = input.clone();
    follow_later(Box::new(move || {
        if is_wrong() {
            again.focus();
        }
    }));
    let row = div("unlock__row")
        .child(input)
        .child(work_button(ui, submit, |words| words.unlock));
    el("form")
        .class("unlock__form")
        .attr("novalidate", "")
        .on("submit", move |event| {
            event.prevent_default();
            if untrack(|| !can_ask(ui)) {
                return;
            }
            match taken(&typed) {
                Some(passphrase) => ui.vault(VaultCommand::Unlock(passphrase)),
                None => typed.focus(),
            }
        })
        .child(row)
        .when(is_wrong, move || {
            let problem = move || keys.problem.get();
            secret_error(&format!("{id}-error"), move || told(ui, problem()))
        })
}

/// What is wrong, in words.
pub fn told(ui: Controller, problem: Option<VaultProblem>) -> &'static str {
    problem.map_or("", |problem| ui.words().vault_problem(&problem))
}

/// Whether the kernel can be asked something about the keys.
pub fn can_ask(ui: Controller) -> bool {
    ui.can_work() && !ui.keys.at_work.get()
}

/// A field for a passphrase. No browser fills it in, nor keeps it.
pub fn secret_input(id: &str) -> El {
    bare_input(id, "password", "").attr("autocomplete", "new-password")
}

/// Takes the passphrase out of its field; `None` if there is none.
pub fn taken(field: &El) -> Option<Passphrase> {
    let typed = field.value();
    field.set_value("");
    (!typed.is_empty()).then(|| Passphrase::new(typed))
}

/// What is wrong with a field for a passphrase.
pub fn secret_error(id: &str, text: impl Fn() -> &'static str + 'static) -> El {
    div("field__error")
        .attr("id", id)
        .test_id(id)
        .child(icon(Icon::Warning))
        .child(span("field__problem").live(text))
}

/// The button that sends a form, and says when the kernel is at it.
pub fn work_button(ui: Controller, test_id: &str, label: fn(&Words) -> &'static str) -> El {
    let text = move || match ui.keys.at_work.get() {
        true => ui.words().keys_at_work,
        false => label(ui.words()),
    };
    button("button button--main")
        .attr("type", "submit")
        .test_id(test_id)
        .flag("disabled", move || !can_ask(ui))
        .live(text)
}
