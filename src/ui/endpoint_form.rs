//! The form of an endpoint, on first start and in the settings. The key goes from its
//! input straight into the command: it stands in no signal and no attribute.

mod lessons;
mod models;
mod more;
mod provider;

use std::ops::Deref;
use std::rc::Rc;

pub use self::models::{told, window};

use self::more::More;
use leptos::prelude::untrack;

use super::controller::Controller;
use super::doctor::{doctor, doctor_button};
use super::element::{El, button, div, el, link_out, span};
use super::field::{bare_field, bare_input, field, input};
use super::icon::{Icon, icon};
use super::signal::RwSignal;
use super::state::setup_link::SetupLink;
use super::words::Words;
use crate::kernel::presets::preset_of;
use crate::kernel::settings::{BaseUrl, Profile, ProfileDraft, ProfileId, RequestOptions};
use crate::protocol::{Command, Field, SettingsView, VaultState};

const NAME: &str = "setup-name";

/// What becomes of the key when its field is left empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyField {
    /// The one there is stays in use.
    Kept,
    /// There was one, which was forgotten.
    Forgotten,
    /// There is one, but for another host.
    OtherHost,
    /// There is none.
    None,
}

/// What the form begins with.
#[derive(Default)]
struct Start {
    id: Option<ProfileId>,
    name: String,
    address: String,
    model: String,
    options: RequestOptions,
    /// The host that a key is for, and whether the key is here.
    key: Option<(String, bool)>,
    link: Option<SetupLink>,
}

impl Start {
    fn of(profile: &Profile, has_key: bool) -> Self {
        Self {
            id: Some(profile.id.clone()),
            name: profile.name.clone(),
            address: profile.base_url.as_str().to_owned(),
            model: profile.model.clone(),
            options: profile.options.clone(),
            key: (has_key || profile.uses_key)
                .then(|| (profile.base_url.host().to_owned(), has_key)),
            link: None,
        }
    }

    fn of_link(link: SetupLink) -> Self {
        Self {
            name: link.name.clone(),
            address: link.base.clone(),
            model: link.model.clone(),
            link: Some(link),
            ..Self::default()
        }
    }

    /// What an empty key field means for the address that stands in the form.
    fn key_field(&self, typed: &str) -> KeyField {
        match (&self.key, BaseUrl::parse(typed)) {
            // A key is for one host: it is not sent to another because a field was left empty.
            (Some((host, _)), Ok(url)) if *host != url.host() => KeyField::OtherHost,
            (Some((_, true)), _) => KeyField::Kept,
            (Some((_, false)), _) => KeyField::Forgotten,
            (None, _) => KeyField::None,
        }
    }
}

/// The form. Clones are the same one.
#[derive(Clone)]
pub struct EndpointForm(Rc<Fields>);

/// What stands in it.
pub struct Fields {
    ui: Controller,
    start: Start,
    name: El,
    address: El,
    key: El,
    model: El,
    more: More,
    /// What stands in the field of the address.
    typed: RwSignal<String>,
}

impl Deref for EndpointForm {
    type Target = Fields;

    fn deref(&self) -> &Fields {
        &self.0
    }
}

impl EndpointForm {
    /// Filled with the endpoint `id`, or with what a link says.
    pub fn new(ui: Controller, id: Option<ProfileId>) -> Self {
        let link = ui.endpoints.linked.get_untracked().filter(|_| id.is_none());
        // A locked key is there, though nobody can use it now.
        let is_locked = untrack(|| ui.vault_state()) == VaultState::Locked;
        let kept = ui.settings.with_untracked(|settings| {
            let settings = settings.as_ref()?;
            let profile = settings.kept.profile(&id?)?;
            let has_key = settings.with_key.contains(&profile.id);
            Some(Start::of(
                profile,
                has_key || (is_locked && profile.uses_key),
            ))
        });
        let start = kept.or(link.map(Start::of_link)).unwrap_or_default();
        if start.id.is_none() {
            ui.endpoints.forget(&None);
        }
        let form = Self(Rc::new(Fields {
            ui,
            name: bare_input(NAME, "text", "").attr("aria-describedby", "setup-name-hint"),
            address: input(ui, Field::BaseUrl, "url", "https://api.example.com/v1"),
            key: input(ui, Field::Key, "password", "sk-…"),
            model: input(ui, Field::Model, "text", "gpt-5-mini"),
            more: More::new(ui, &start.options),
            typed: RwSignal::new(start.address.clone()),
            start,
        }));
        form.name.set_value(&form.start.name);
        form.address.set_value(&form.start.address);
        form.model.set_value(&form.start.model);
        form
    }

    /// The fields and their buttons; `other` stands beside the one that saves.
    pub fn view(&self, other: Option<El>) -> El {
        let (ui, typed) = (self.ui, self.typed);
        let (of_address, of_submit) = (self.clone(), self.clone());
        let address = self.address.clone().on("input", move |_| {
            typed.set(of_address.address.value());
            // The list is that of another address.
            ui.endpoints.forget(&of_address.start.id);
        });
        let name = bare_field(ui, NAME, self.name.clone(), |words| {
            [
                words.endpoint_name,
                words.optional,
                words.endpoint_name_hint,
            ]
            .map(Into::into)
        });
        let save = button("button button--main form__save")
            .attr("type", "submit")
            .test_id("setup-save")
            .flag("disabled", move || !ui.can_work())
            .say(ui, |words| words.setup_save);
        el("form")
            .class("form")
            .attr("novalidate", "")
            .on("submit", move |event| {
                event.prevent_default();
                ui.save(vec![of_submit.command()]);
            })
            .children(self.start.link.clone().map(|link| link_note(ui, link)))
            .child(div("form__pair").child(self.provider()).child(name))
            .child(field(ui, Field::BaseUrl, address, |words| {
                [words.base_url, "", words.base_url_hint].map(Into::into)
            }))
            .child(
                div("form__pair")
                    .child(self.key_view())
                    .child(self.model_view()),
            )
            .child(self.more.view())
            .child(self.lessons())
            .child(
                div("form__steps")
                    .child(save)
                    .child(doctor_button(ui, self))
                    .children(other),
            )
            .child(doctor(ui, self))
    }

    /// Whether the endpoint's key is kept on this device, and locked.
    fn lies_locked(&self) -> bool {
        let is_here = |all: &SettingsView| {
            let id = self.start.id.as_ref();
            id.is_some_and(|id| all.with_key.contains(id))
        };
        let settings = self.ui.settings;
        let is_here = settings.with(|settings| settings.as_ref().is_some_and(is_here));
        !is_here && self.ui.vault_state() == VaultState::Locked
    }

    fn key_view(&self) -> El {
        let (ui, typed, form) = (self.ui, self.typed, self.clone());
        let texts = move |words: &Words| {
            let hint = match form.start.key_field(&typed.get()) {
                KeyField::Kept if form.lies_locked() => words.api_key_locked,
                KeyField::Kept => words.api_key_kept,
                KeyField::Forgotten => words.key_needed,
                KeyField::OtherHost => words.api_key_other_host,
                KeyField::None if ui.vault_state() == VaultState::Open => words.api_key_kept_here,
                KeyField::None => words.api_key_hint,
            };
            [words.api_key, words.optional, hint].map(Into::into)
        };
        let page = move || preset_of(&typed.get()).map_or("", |preset| preset.key_page);
        let link = move || {
            link_out("form__link")
                .test_id("setup-key-page")
                .bind("href", page)
                .live(move || ui.words().key_page(page()))
        };
        field(ui, Field::Key, self.key.clone(), texts).when(move || !page().is_empty(), link)
    }

    /// The endpoint that is changed, if any, and what stands in the fields.
    pub fn draft(&self) -> (Option<ProfileId>, ProfileDraft) {
        let [name, base_url, key, model] =
            [&self.name, &self.address, &self.key, &self.model].map(El::value);
        let field = self.start.key_field(&base_url);
        let is_kept = key.is_empty() && matches!(field, KeyField::Kept | KeyField::Forgotten);
        let draft = ProfileDraft {
            name,
            base_url,
            key: (!is_kept).then_some(key),
            model,
            options: Some(self.more.options()),
        };
        (self.start.id.clone(), draft)
    }

    fn command(&self) -> Command {
        let (id, draft) = self.draft();
        Command::SaveProfile { id, draft }
    }

    /// Puts text into the field of the address or that of the model.
    pub fn put(&self, field: Field, text: &str) {
        match field {
            Field::BaseUrl => {
                self.address.set_value(text);
                self.typed.set(text.to_owned());
                self.ui.endpoints.forget(&self.start.id);
            }
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

/// Says that somebody else filled the form.
fn link_note(ui: Controller, link: SetupLink) -> El {
    div("form__note")
        .attr("role", "note")
        .test_id("setup-link-note")
        .child(icon(Icon::Info))
        .child(span("").live(move || ui.words().link_note(&link)))
}
