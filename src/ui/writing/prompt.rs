//! Prompts that are used: written into the composer, with their variables filled in.

use crate::kernel::settings::Prompt;
use crate::ui::controller::Controller;
use crate::ui::controller::writing::Over;
use crate::ui::dom;
use crate::ui::element::{El, button, div, el};

/// Writes a prompt into the composer; asks for its variables first.
pub fn use_prompt(ui: Controller, prompt: Prompt) {
    match prompt.variables().is_empty() {
        true => insert(ui, &prompt.text),
        false => ui.over.set(Some(Over::Prompt(prompt))),
    }
}

/// Behind what stands in the composer.
fn insert(ui: Controller, text: &str) {
    ui.draft.update(|draft| {
        *draft = match draft.trim_end() {
            "" => text.to_owned(),
            before => format!("{before}\n\n{text}"),
        };
    });
    // A dialog gives the focus back to where it was; this is where it goes on.
    leptos::task::spawn_local(async {
        leptos::task::tick().await;
        dom::focus(dom::COMPOSER);
    });
}

/// Asks for the variables.
#[inline(never)]
pub fn prompt_form(ui: Controller, prompt: Prompt) -> El {
    let names: Vec<String> = prompt.variables().into_iter().map(str::to_owned).collect();
    let fields: Vec<(String, El)> = (0..)
        .zip(names)
        .map(|(at, name)| {
            let field = el("textarea")
                .class("field__input ask__value")
                .attr("rows", "1")
                .attr("id", &format!("prompt-value-{at}"))
                .test_id("prompt-value");
            (name, field)
        })
        .collect();
    let first = fields.first().map(|(_, field)| field.clone());
    leptos::task::spawn_local(async move {
        leptos::task::tick().await;
        if let Some(first) = first {
            first.focus();
        }
    });
    let labelled = fields.iter().enumerate().map(|(at, (name, field))| {
        let label = el("label")
            .class("field__label")
            .attr("for", &format!("prompt-value-{at}"))
            .text(name);
        div("field").child(label).child(field.clone())
    });
    let title = el("h2")
        .class("dialog__title")
        .attr("id", "prompt-title")
        .text(&prompt.name);
    let cancel = button("button button--quiet")
        .say(ui, |words| words.cancel)
        .press(move || ui.over.set(None));
    let go = el("button")
        .class("button button--main")
        .attr("type", "submit")
        .test_id("prompt-insert")
        .say(ui, |words| words.prompt_insert());
    el("form")
        .class("ask")
        .test_id("prompt-form")
        .child(title)
        .children(labelled.collect::<Vec<_>>())
        .child(div("ask__buttons").child(cancel).child(go))
        .on("submit", move |event| {
            event.prevent_default();
            let value = |name: &str| {
                let field = fields.iter().find(|(of, _)| of == name);
                field.map_or_else(String::new, |(_, field)| field.value())
            };
            let text = prompt.filled(value);
            ui.over.set(None);
            insert(ui, &text);
        })
}
