//! Fields of forms: label, input, hint, and what is wrong with what was typed.

use std::rc::Rc;

use leptos::prelude::*;

use super::controller::Controller;
use super::dom;
use super::element::{El, Text, button, div, el, follow_later, span};
use super::icon::{Icon, icon};
use super::words::Words;
use crate::kernel::settings::{Limit, OptionField, Problem};
use crate::protocol::Field;

/// The name by which labels, readers and tests find a field.
pub fn id_of(field: Field) -> &'static str {
    match field {
        Field::BaseUrl => "setup-base-url",
        Field::Key => "setup-api-key",
        Field::Model => "setup-model",
        Field::Limit(limit) => match limit {
            Limit::Rounds => "setting-round-limit",
            Limit::Minutes => "setting-minutes",
            Limit::IdleSeconds => "setting-idle-seconds",
            Limit::ToolSeconds => "setting-tool-seconds",
            Limit::KiloTokens => "setting-kilo-tokens",
            Limit::Cents => "setting-cents",
            Limit::Window => "setting-window",
            Limit::PriceIn => "setting-price-in",
            Limit::PriceCached => "setting-price-cached",
            Limit::PriceOut => "setting-price-out",
            Limit::Attempts => "setting-attempts",
        },
        Field::Option(option) => match option {
            OptionField::Headers => "option-headers",
            OptionField::KeyHeader => "option-key-header",
            OptionField::ExtraBody => "option-extra-body",
            OptionField::Temperature => "option-temperature",
            OptionField::TopP => "option-top-p",
            OptionField::MaxTokens => "option-max-tokens",
        },
        Field::Rules => "setting-rules",
    }
}

/// What is wrong with `field`, if anything.
pub fn problem_of(ui: Controller, field: Field) -> Option<Problem> {
    let is_here = |(of, _): &&(Field, Problem)| *of == field;
    ui.refused
        .with(|all| all.iter().find(is_here).map(|(_, problem)| problem.clone()))
}

/// Gives the focus to the first field that is refused, as long as the caller's owner lives.
pub fn focus_refused(ui: Controller) {
    follow_later(Box::new(move || {
        let first = ui
            .refused
            .with(|problems| problems.first().map(|(field, _)| *field));
        if let Some(field) = first {
            dom::focus(&format!("#{}", id_of(field)));
        }
    }));
}

/// An input that is marked while its content is refused.
pub fn input(ui: Controller, field: Field, kind: &str, example: &str) -> El {
    marked(ui, field, bare_input(id_of(field), kind, example))
}

/// The same for text of several lines.
pub fn text_area(ui: Controller, field: Field, example: &str) -> El {
    marked(ui, field, bare("textarea", id_of(field), example)).attr("rows", "2")
}

fn marked(ui: Controller, field: Field, input: El) -> El {
    let id = id_of(field);
    let described = move || match problem_of(ui, field) {
        Some(_) => format!("{id}-error {id}-hint"),
        None => format!("{id}-hint"),
    };
    input
        .bind("aria-invalid", move || {
            problem_of(ui, field).map(|_| "true")
        })
        .bind("aria-describedby", described)
}

/// An input whose content nobody refuses.
pub fn bare_input(id: &str, kind: &str, example: &str) -> El {
    bare("input", id, example).attr("type", kind)
}

fn bare(tag: &str, id: &str, example: &str) -> El {
    el(tag)
        .class("field__input")
        .attr("id", id)
        .test_id(id)
        .attr("placeholder", example)
        .attr("autocomplete", "off")
        .attr("autocapitalize", "none")
        .attr("spellcheck", "false")
}

/// Label, input, hint and error of a field; `texts` gives the label, a note to it, and
/// the hint. `place` is the input, or what it stands in.
pub fn field(
    ui: Controller,
    field: Field,
    place: El,
    texts: impl Fn(&Words) -> [Text; 3] + 'static,
) -> El {
    field_with(ui, field, place, Rc::new(texts))
}

fn field_with(ui: Controller, field: Field, place: El, texts: Rc<Texts>) -> El {
    let is_wrong = move || problem_of(ui, field).is_some();
    bare_field_with(ui, id_of(field), place.clone(), texts)
        .class_if("field--wrong", is_wrong)
        .when(is_wrong, move || field_error(ui, field, place.clone()))
}

/// The same without an error.
pub fn bare_field(
    ui: Controller,
    id: &str,
    place: El,
    texts: impl Fn(&Words) -> [Text; 3] + 'static,
) -> El {
    bare_field_with(ui, id, place, Rc::new(texts))
}

/// A field's label, the note to it, and its hint.
type Texts = dyn Fn(&Words) -> [Text; 3];

fn bare_field_with(ui: Controller, id: &str, place: El, texts: Rc<Texts>) -> El {
    let text = |at: usize| {
        let texts = Rc::clone(&texts);
        move || std::mem::take(&mut texts(ui.words())[at])
    };
    let label = el("label")
        .class("field__label")
        .attr("for", id)
        .child(el("span").live(text(0)))
        .child(span("field__note").live(text(1)));
    let hint = el("p")
        .class("field__hint")
        .attr("id", &format!("{id}-hint"))
        .live(text(2));
    div("field").child(label).child(place).child(hint)
}

/// What is wrong with a field, and the offer to mend it.
pub fn field_error(ui: Controller, field: Field, place: El) -> El {
    let id = format!("{}-error", id_of(field));
    let text = move || {
        problem_of(ui, field)
            .map_or_else(String::new, |problem| ui.words().problem(field, &problem))
    };
    let suggestion = move || match problem_of(ui, field) {
        Some(Problem::SchemeMissing { suggestion }) => Some(suggestion),
        _ => None,
    };
    div("field__error")
        .attr("id", &id)
        .test_id(&id)
        .child(icon(Icon::Warning))
        .child(span("field__problem").live(text))
        .when(
            move || suggestion().is_some(),
            move || {
                let place = place.clone();
                let use_this = button("button button--small")
                    .say(ui, |words| words.use_this)
                    .press(move || {
                        if let Some(text) = untrack(suggestion) {
                            place.set_value(&text);
                            place.focus();
                            ui.refused.set(Vec::new());
                        }
                    });
                span("field__offer")
                    .child(el("code").live(move || suggestion().unwrap_or_default()))
                    .child(use_this)
            },
        )
}
