//! The endpoints: a list of them, and the form of one.

use leptos::prelude::*;

use crate::kernel::settings::{ModelChoice, Profile, ProfileId};
use crate::protocol::{Command, VaultState};
use crate::ui::controller::Controller;
use crate::ui::controller::endpoints::{Editing, From};
use crate::ui::dom;
use crate::ui::element::{El, button, div, el, span};
use crate::ui::endpoint_form::EndpointForm;
use crate::ui::icon::{Icon, icon};
use crate::ui::signal::RwSignal;
use crate::ui::state::key_of;

/// Where the focus goes when what had it is gone.
const ADD: &str = "[data-testid=endpoint-add]";

/// All endpoints, and the demo.
pub(super) fn list(ui: Controller) -> El {
    let ids = move || {
        ui.settings.with(|settings| {
            let profiles = settings.iter().flat_map(|settings| &settings.kept.profiles);
            profiles.map(|profile| key_of(&profile.id)).collect()
        })
    };
    let row_of = move |key| {
        let id = ui.settings.with_untracked(|settings| {
            let mut profiles = settings.as_ref()?.kept.profiles.iter();
            let profile = profiles.find(|profile| key_of(&profile.id) == key);
            profile.map(|profile| profile.id.clone())
        });
        id.map(|id| row(ui, id))
    };
    let demo = el("li").class("endpoint").child(
        div("endpoint__line")
            .child(texts(
                move || ui.words().demo.to_owned(),
                move || ui.words().demo_note.to_owned(),
            ))
            .child(default_button(ui, None)),
    );
    let add = button("button")
        .test_id("endpoint-add")
        .flag("disabled", move || !ui.can_work())
        .child(icon(Icon::Plus))
        .child(el("span").say(ui, |words| words.endpoint_add))
        .press(move || ui.edit_endpoint(None, From::Settings));
    let rows = el("ul")
        .class("endpoints__list")
        .each_key(ids, row_of)
        .child(demo);
    div("endpoints")
        .child(el("p").class("muted").say(ui, |words| words.endpoints_hint))
        .child(rows)
        .child(add)
}

fn texts(name: impl Fn() -> String + 'static, note: impl Fn() -> String + 'static) -> El {
    div("endpoint__text")
        .child(span("endpoint__name").live(name))
        .child(span("endpoint__note").live(note))
}

fn row(ui: Controller, id: ProfileId) -> El {
    let asks = RwSignal::new(false);
    let [of_name, of_note, of_edit, of_default, of_question] = std::array::from_fn(|_| id.clone());
    let note = move |profile: &Profile, has_key: bool| {
        let words = ui.words();
        let key = match (profile.uses_key, has_key) {
            (_, true) => words.key_here,
            (true, false) if ui.vault_state() == VaultState::Locked => words.keys_locked,
            (true, false) => words.key_missing,
            (false, false) => words.key_none,
        };
        let host = Some(profile.base_url.host()).filter(|_| !profile.name.is_empty());
        let parts = [Some(profile.model.as_str()), host, Some(key)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    };
    let texts = texts(
        move || of_endpoint(ui, &of_name, |profile, _| profile.label().to_owned()),
        move || of_endpoint(ui, &of_note, note),
    );
    let edit = button("button button--quiet button--small")
        .test_id("endpoint-edit")
        .say(ui, |words| words.endpoint_edit)
        .press(move || ui.edit_endpoint(Some(of_edit.clone()), From::Settings));
    let remove = button("button button--icon button--small")
        .test_id("endpoint-remove")
        .flag("disabled", move || !ui.can_work())
        .named(ui, |words| words.endpoint_remove_yes)
        .child(icon(Icon::Trash))
        .press(move || {
            asks.set(true);
            dom::focus_later("[data-testid=endpoint-remove-cancel]".into());
        });
    let line =
        div("endpoint__line").children([texts, default_button(ui, Some(of_default)), edit, remove]);
    el("li")
        .class("endpoint")
        .test_id("endpoint-row")
        .child(line)
        .when(
            move || asks.get(),
            move || question(ui, of_question.clone(), asks),
        )
}

/// A text made of the endpoint `id`, and of whether its key is here.
fn of_endpoint(ui: Controller, id: &str, text: impl Fn(&Profile, bool) -> String) -> String {
    let text = ui.settings.with(|settings| {
        let settings = settings.as_ref()?;
        let profile = settings.kept.profile(id)?;
        Some(text(profile, settings.with_key.iter().any(|of| of == id)))
    });
    text.unwrap_or_default()
}

/// Tells that an endpoint answers in new sessions, or makes it do so; `None`: the demo.
fn default_button(ui: Controller, id: Option<ProfileId>) -> El {
    let of_press = id.clone();
    let is_default = move || {
        ui.settings.with(|settings| {
            let choice = settings
                .as_ref()
                .and_then(|settings| settings.kept.choice.as_ref());
            match choice {
                Some(ModelChoice::Profile { id: chosen, .. }) => id.as_ref() == Some(chosen),
                Some(ModelChoice::Demo) => id.is_none(),
                None => false,
            }
        })
    };
    let [of_icon, of_label, of_click] = std::array::from_fn(|_| is_default.clone());
    button("button button--quiet button--small endpoint__default")
        .test_id("endpoint-default")
        .flag("disabled", move || !ui.can_work())
        .bind("aria-pressed", is_default)
        .when(of_icon, || icon(Icon::Check))
        .child(el("span").live(move || match of_label() {
            true => ui.words().endpoint_is_default,
            false => ui.words().endpoint_make_default,
        }))
        .press(move || {
            if untrack(&of_click) {
                return;
            }
            let choice = ui.settings.with_untracked(|settings| {
                let profile = settings.as_ref()?.kept.profile(of_press.as_ref()?)?;
                Some(profile.choice())
            });
            ui.command(match choice {
                Some(choice) => Command::Choose {
                    session: None,
                    choice,
                },
                None => Command::UseDemo,
            });
        })
}

fn question(ui: Controller, id: ProfileId, asks: RwSignal<bool>) -> El {
    let of_press = id.clone();
    let text = move || {
        of_endpoint(ui, &id, |profile, _| {
            ui.words().endpoint_remove(profile.label())
        })
    };
    let yes = button("button button--small")
        .test_id("endpoint-remove-confirm")
        .say(ui, |words| words.endpoint_remove_yes)
        .press(move || {
            let is_last = ui.settings.with_untracked(|settings| {
                settings
                    .as_ref()
                    .is_some_and(|settings| settings.kept.profiles.len() == 1)
            });
            // Then nobody is left to answer, and the page begins anew.
            if is_last {
                ui.settings_open.set(false);
            }
            dom::focus_later(ADD.into());
            ui.command(Command::RemoveProfile(of_press.clone()));
        });
    let no = button("button button--small")
        .test_id("endpoint-remove-cancel")
        .say(ui, |words| words.cancel)
        .press(move || {
            asks.set(false);
            dom::focus_later(ADD.into());
        });
    div("endpoint__ask")
        .attr("role", "group")
        .child(span("").attr("role", "status").live(text))
        .child(div("endpoint__answers").children([yes, no]))
}

/// The form of an endpoint, in the place of all parts.
pub(super) fn form(ui: Controller, editing: Editing) -> El {
    let is_new = editing.id.is_none();
    let title = el("h2")
        .class("dialog__title")
        .attr("id", "endpoint-title")
        .attr("tabindex", "-1")
        .live(move || match is_new {
            true => ui.words().endpoint_add,
            false => ui.words().endpoint,
        });
    let close = button("button button--icon")
        .named(ui, |words| words.close)
        .child(icon(Icon::Close))
        .press(move || ui.leave_endpoint());
    let cancel = button("button button--quiet")
        .say(ui, |words| words.cancel)
        .press(move || ui.leave_endpoint());
    let head = el("header")
        .class("dialog__head")
        .child(div("dialog__bar").child(title).child(close));
    let part = el("section")
        .class("dialog__part")
        .attr("aria-labelledby", "endpoint-title")
        .child(EndpointForm::new(ui, editing.id).view(Some(cancel)));
    // Not a field: that would bring up a keyboard on the screen.
    dom::focus_later("#endpoint-title".into());
    div("dialog__page").child(head).child(part)
}
