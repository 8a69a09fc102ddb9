//! The three fields of an endpoint. The key goes from its input straight into
//! the command: it stands in no signal and no attribute.

use leptos::prelude::*;

use super::controller::Controller;
use super::doctor::{doctor, doctor_button};
use super::element::{El, button, div, el, follow_later};
use super::field::{field, input};
use super::signal::RwSignal;
use super::words::Words;
use crate::kernel::settings::{BaseUrl, ProfileDraft, ProfileId};
use crate::protocol::{Command, Field, VaultState};

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
#[derive(Default)]
struct InUse {
    id: Option<ProfileId>,
    name: String,
    address: String,
    model: String,
    /// The host that there is a key for.
    key_host: Option<String>,
}

impl InUse {
    fn now(ui: Controller) -> Self {
        let in_use = ui.with_profile(|profile, has_key| Self {
            id: Some(profile.id.clone()),
            name: profile.name.clone(),
            address: profile.base_url.as_str().to_owned(),
            model: profile.model.clone(),
            key_host: (has_key || (profile.uses_key && ui.vault_state() == VaultState::Locked))
                .then(|| profile.base_url.host().to_owned()),
        });
        in_use.unwrap_or_default()
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

/// The form, and what stands in it.
#[derive(Clone)]
pub struct EndpointForm {
    ui: Controller,
    address: El,
    key: El,
    model: El,
}

impl EndpointForm {
    /// Filled with the endpoint in use, if any.
    pub fn new(ui: Controller) -> Self {
        let in_use = untrack(|| InUse::now(ui));
        let form = Self {
            ui,
            address: input(ui, Field::BaseUrl, "url", "https://api.example.com/v1"),
            key: input(ui, Field::Key, "password", "sk-…"),
            model: input(ui, Field::Model, "text", "gpt-4.1-mini"),
        };
        form.address.set_value(&in_use.address);
        form.model.set_value(&in_use.model);
        // A key that was saved is of no use in the page any more.
        let saved = form.key.clone();
        follow_later(Box::new(move || {
            ui.settings.track();
            if ui.refused.with_untracked(Vec::is_empty) {
                saved.set_value("");
            }
        }));
        form
    }

    /// The fields and their button; `submit` is called when it is pressed.
    pub fn view(&self, submit: impl Fn() + 'static) -> El {
        let ui = self.ui;
        let typed = RwSignal::new(self.address.value());
        let seen = self.address.clone();
        let address = self
            .address
            .clone()
            .on("input", move |_| typed.set(seen.value()));
        let key_texts = move |words: &Words| {
            let hint = match key_field(&InUse::now(ui).key_host, &typed.get()) {
                KeyField::Kept if ui.is_locked() => words.api_key_locked,
                KeyField::Kept => words.api_key_kept,
                KeyField::OtherHost => words.api_key_other_host,
                KeyField::None if ui.vault_state() == VaultState::Open => words.api_key_kept_here,
                KeyField::None => words.api_key_hint,
            };
            [words.api_key, words.optional, hint].map(Into::into)
        };
        let pair = div("form__pair")
            .child(field(ui, Field::Key, self.key.clone(), key_texts))
            .child(field(ui, Field::Model, self.model.clone(), |words| {
                [words.model, "", words.model_hint].map(Into::into)
            }));
        el("form")
            .class("form")
            .attr("novalidate", "")
            .on("submit", move |event| {
                event.prevent_default();
                submit();
            })
            .child(field(ui, Field::BaseUrl, address, |words| {
                [words.base_url, "", words.base_url_hint].map(Into::into)
            }))
            .child(pair)
            .child(
                div("form__steps")
                    .child(save_button(ui))
                    .child(doctor_button(ui, self)),
            )
            .child(doctor(ui, self))
    }

    /// Whether it says something else than what is in use.
    pub fn is_changed(&self) -> bool {
        let in_use = untrack(|| InUse::now(self.ui));
        self.address.value() != in_use.address
            || self.model.value() != in_use.model
            || !self.key.value().is_empty()
    }

    /// What saves it.
    pub fn command(&self) -> Command {
        let (id, draft) = self.draft();
        Command::SaveProfile { id, draft }
    }

    /// The endpoint that is changed, if any, and what stands in the form.
    pub fn draft(&self) -> (Option<ProfileId>, ProfileDraft) {
        let [base_url, key, model] = [&self.address, &self.key, &self.model].map(El::value);
        let in_use = untrack(|| InUse::now(self.ui));
        let is_kept = key.is_empty() && key_field(&in_use.key_host, &base_url) == KeyField::Kept;
        let draft = ProfileDraft {
            name: in_use.name,
            base_url,
            key: (!is_kept).then_some(key),
            model,
            options: None,
        };
        (in_use.id, draft)
    }

    /// Puts text into the field of the address or that of the model.
    pub fn put(&self, field: Field, text: &str) {
        match field {
            Field::BaseUrl => self.address.set_value(text),
            _ => self.model.set_value(text),
        }
    }

    /// Gives the key's field the focus.
    pub fn focus_key(&self) {
        self.key.focus();
    }

    /// The page it stands in.
    pub fn ui(&self) -> Controller {
        self.ui
    }
}

fn save_button(ui: Controller) -> El {
    button("button button--main form__save")
        .attr("type", "submit")
        .test_id("setup-save")
        .flag("disabled", move || !ui.can_work())
        .live(move || ui.words().setup_save)
}
