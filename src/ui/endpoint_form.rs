//! The three fields of an endpoint. The key goes from its input straight into
//! the command: it stands in no signal and no attribute.

use std::rc::Rc;

use leptos::prelude::*;

use super::controller::Controller;
use super::element::{El, button, div, el, span};
use super::icon::{Icon, icon};
use super::words::Words;
use crate::kernel::settings::{BaseUrl, Endpoint, ModelChoice, Problem};
use crate::protocol::{Command, Field, SettingsView};

/// What becomes of the key when its field is left empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyField {
    /// The one there is stays in use.
    Kept,
    /// There is one, but for another host.
    OtherHost,
    /// There is none.
    None,
}

/// What the form begins with.
struct InUse {
    address: String,
    model: String,
    /// The host that there is a key for.
    key_host: Option<String>,
}

impl InUse {
    fn of(settings: Option<&SettingsView>) -> Self {
        let model = settings.and_then(|settings| settings.model.as_ref());
        let Some(ModelChoice::Endpoint(Endpoint {
            base_url, model, ..
        })) = model
        else {
            return Self {
                address: String::new(),
                model: String::new(),
                key_host: None,
            };
        };
        let has_key = settings.is_some_and(|settings| settings.has_key);
        Self {
            address: base_url.as_str().to_owned(),
            model: model.clone(),
            key_host: has_key.then(|| base_url.host().to_owned()),
        }
    }
}

/// What an empty key field means for the address that stands in the form.
fn key_field(key_host: &Option<String>, typed: &str) -> KeyField {
    match (key_host, BaseUrl::parse(typed)) {
        // A key is for one host: it is not sent to another because a field was left empty.
        (Some(host), Ok(url)) if *host != url.host() => KeyField::OtherHost,
        (Some(_), _) => KeyField::Kept,
        (None, _) => KeyField::None,
    }
}

/// The form; filled with the endpoint in use, if any.
pub fn endpoint_form(ui: Controller) -> El {
    let in_use = ui
        .settings
        .with_untracked(|settings| InUse::of(settings.as_ref()));
    let typed = RwSignal::new(in_use.address.clone());
    let address = input(ui, Field::BaseUrl, "url", "https://api.example.com/v1");
    let key = input(ui, Field::Key, "password", "sk-…");
    let model = input(ui, Field::Model, "text", "gpt-4.1-mini");
    address.set_value(&in_use.address);
    model.set_value(&in_use.model);
    let seen = address.clone();
    let address = address.on("input", move |_| typed.set(seen.value()));
    let fields = [address.clone(), key.clone(), model.clone()];
    watch(ui, fields.clone());
    let key_host = in_use.key_host.clone();
    let key_texts = move |words: &Words| {
        let hint = match key_field(&key_host, &typed.get()) {
            KeyField::Kept => words.api_key_kept,
            KeyField::OtherHost => words.api_key_other_host,
            KeyField::None => words.api_key_hint,
        };
        [words.api_key, words.optional, hint]
    };
    let pair = div("form__pair")
        .child(field(ui, Field::Key, key, key_texts))
        .child(field(ui, Field::Model, model, |words| {
            [words.model, "", words.model_hint]
        }));
    el("form")
        .class("form")
        .attr("novalidate", "")
        .on("submit", move |event| {
            event.prevent_default();
            submit(ui, &fields, &in_use.key_host);
        })
        .child(field(ui, Field::BaseUrl, address, |words| {
            [words.base_url, "", words.base_url_hint]
        }))
        .child(pair)
        .child(save_button(ui))
}

fn submit(ui: Controller, fields: &[El; 3], key_host: &Option<String>) {
    let [base_url, key, model] = fields.each_ref().map(El::value);
    let is_kept = key.is_empty() && key_field(key_host, &base_url) == KeyField::Kept;
    ui.save(Command::SaveEndpoint {
        base_url,
        key: (!is_kept).then_some(key),
        model,
    });
}

fn save_button(ui: Controller) -> El {
    button("button button--main form__save")
        .attr("type", "submit")
        .test_id("setup-save")
        .flag("disabled", move || !ui.can_work())
        .live(move || ui.words().setup_save)
}

/// The focus goes to the first field that was refused; a key that was saved is of no
/// use in the page any more.
fn watch(ui: Controller, [address, key, model]: [El; 3]) {
    let saved = key.clone();
    Effect::new(move || {
        let first = ui
            .refused
            .with(|problems| problems.first().map(|(field, _)| *field));
        match first {
            Some(Field::BaseUrl) => address.focus(),
            Some(Field::Key) => key.focus(),
            Some(Field::Model) => model.focus(),
            Some(Field::Limit(_) | Field::Rules) | None => {}
        }
    });
    Effect::new(move || {
        ui.settings.track();
        saved.set_value("");
    });
}

fn id_of(field: Field) -> &'static str {
    match field {
        Field::BaseUrl => "setup-base-url",
        Field::Key => "setup-api-key",
        Field::Model => "setup-model",
        Field::Limit(_) | Field::Rules => "setting-round-limit",
    }
}

/// What is wrong with `field`, if anything.
fn problem_of(ui: Controller, field: Field) -> Option<Problem> {
    let is_here = |(of, _): &&(Field, Problem)| *of == field;
    ui.refused
        .with(|all| all.iter().find(is_here).map(|(_, problem)| problem.clone()))
}

/// An input that is marked while its content is refused.
pub fn input(ui: Controller, field: Field, kind: &str, example: &str) -> El {
    let id = id_of(field);
    let described = move || match problem_of(ui, field) {
        Some(_) => format!("{id}-error {id}-hint"),
        None => format!("{id}-hint"),
    };
    el("input")
        .class("field__input")
        .attr("id", id)
        .test_id(id)
        .attr("type", kind)
        .attr("placeholder", example)
        .attr("autocomplete", "off")
        .attr("autocapitalize", "none")
        .attr("spellcheck", "false")
        .bind("aria-invalid", move || {
            problem_of(ui, field).map(|_| "true")
        })
        .bind("aria-describedby", described)
}

/// Label, input, hint and error of a field; `texts` gives the label, a note to it, and the hint.
pub fn field(
    ui: Controller,
    field: Field,
    input: El,
    texts: impl Fn(&Words) -> [&'static str; 3] + 'static,
) -> El {
    let id = id_of(field);
    let texts = Rc::new(texts);
    let text = |at: usize| {
        let texts = Rc::clone(&texts);
        move || texts(ui.words())[at]
    };
    let label = el("label")
        .class("field__label")
        .attr("for", id)
        .child(el("span").live(text(0)))
        .child(span("field__note").live(text(1)));
    let is_wrong = move || problem_of(ui, field).is_some();
    let hint = el("p")
        .class("field__hint")
        .attr("id", &format!("{id}-hint"))
        .live(text(2));
    div("field")
        .class_if("field--wrong", is_wrong)
        .child(label)
        .child(input.clone())
        .child(hint)
        .when(is_wrong, move || field_error(ui, field, input.clone()))
}

/// What is wrong with a field, and the offer to mend it.
fn field_error(ui: Controller, field: Field, input: El) -> El {
    let id = format!("{}-error", id_of(field));
    let text = move || {
        problem_of(ui, field)
            .map_or_else(String::new, |problem| ui.words().problem(field, &problem))
    };
    let suggestion = move || match problem_of(ui, field) {
        Some(Problem::SchemeMissing { suggestion }) => Some(suggestion),
        _ => None,
    };
    let take = move || {
        if let Some(text) = untrack(suggestion) {
            input.set_value(&text);
            input.focus();
            ui.refused.set(Vec::new());
        }
    };
    let take = Rc::new(take);
    div("field__error")
        .attr("id", &id)
        .test_id(&id)
        .child(icon(Icon::Warning))
        .child(span("field__problem").live(text))
        .when(
            move || suggestion().is_some(),
            move || {
                let take = Rc::clone(&take);
                let use_this = button("button button--small")
                    .live(move || ui.words().use_this)
                    .press(move || take());
                span("field__offer")
                    .child(el("code").live(move || suggestion().unwrap_or_default()))
                    .child(use_this)
            },
        )
}
