//! The settings: endpoints, keys, limits, what is asked about, looks. A modal dialog,
//! which the browser gives the focus and takes it back from.

mod approval;
mod endpoints;
mod keys;
mod limits;
mod looks;
mod prompts;
mod storage;

use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlDialogElement};

use self::approval::ApprovalForm;
use self::limits::LimitForm;
use self::prompts::PromptForm;
use super::actions::PROMPTS_PART;
use super::controller::Controller;
use super::dom;
use super::element::{El, button, div, el, follow};
use super::field::focus_refused;
use super::icon::{Icon, icon};
use super::state::key_of;
use super::unlock::KEYS_PART;
use super::words::Words;

/// Drawn only while it is open, so that it always begins with what is in use.
pub fn settings_dialog(ui: Controller) -> El {
    let is_open = move || ui.settings_open.get();
    let dialog = el("dialog")
        .class("dialog")
        .attr("aria-labelledby", "settings-title")
        .when_loaded(ui, is_open, move || page(ui));
    let shown = dialog.clone();
    follow(Box::new(move || {
        let Some(dialog) = shown.node().dyn_ref::<HtmlDialogElement>() else {
            return;
        };
        match (is_open(), dialog.open()) {
            // Refused only if it is open already.
            (true, false) => drop(dialog.show_modal()),
            (false, true) => dialog.close(),
            _ => {}
        }
    }));
    let backdrop = dialog.clone();
    dialog
        .on("close", move |_| {
            ui.endpoints.editing.set(None);
            ui.settings_open.set(false);
            ui.leave_doctor();
        })
        .on("cancel", move |event: Event| {
            // Escape leads out of the form first.
            if ui.endpoints.editing.with_untracked(Option::is_some) {
                event.prevent_default();
                ui.leave_endpoint();
            }
        })
        .on("click", move |event: Event| {
            // Only the backdrop is the dialog itself.
            let is_backdrop = event
                .target()
                .is_some_and(|target| target == ***backdrop.node());
            if is_backdrop {
                ui.settings_open.set(false);
            }
        })
}

/// Something with its name in the words of a language.
type Named = (&'static str, fn(&Words) -> &'static str);

/// The parts, in their order, with their titles.
const PARTS: [Named; 8] = [
    ("settings-endpoint", |words| words.endpoints),
    (KEYS_PART, |words| words.keys),
    ("settings-limits", |words| words.limits),
    ("settings-model", |words| words.window_and_prices),
    ("settings-approval", |words| words.approval),
    (PROMPTS_PART, Words::prompts),
    ("settings-looks", |words| words.appearance),
    ("settings-storage", Words::storage_title),
];
const FORM: &str = "settings-form";

/// The forms that are saved together.
#[derive(Clone)]
struct Forms {
    limits: LimitForm,
    approval: ApprovalForm,
    prompts: PromptForm,
}

impl Forms {
    fn save(&self, ui: Controller) {
        match self.limits.command() {
            Ok(limits) => {
                let commands = [limits, self.approval.command(), self.prompts.command()];
                ui.save(commands.into_iter().flatten().collect());
            }
            Err(problems) => ui.refuse(problems),
        }
    }
}

/// All parts; in their place the form of an endpoint while one is open. What stands in the
/// parts stays there meanwhile. Not inlined: it is loaded only once it is opened (scripts/later.txt).
#[inline(never)]
fn page(ui: Controller) -> El {
    focus_refused(ui);
    let is_editing = move || ui.endpoints.editing.with(Option::is_some);
    div("dialog__pages")
        .child(parts(ui).flag("hidden", is_editing))
        .choose(
            move || {
                let editing = ui.endpoints.editing.get();
                editing.map_or(0, |editing| key_of(&editing.id))
            },
            move |_| {
                let editing = ui.endpoints.editing.get_untracked()?;
                Some(endpoints::form(ui, editing))
            },
        )
}

fn parts(ui: Controller) -> El {
    let forms = Forms {
        limits: LimitForm::new(ui),
        approval: ApprovalForm::new(ui),
        prompts: PromptForm::new(ui),
    };
    let about = move || {
        format!(
            "{} · {}",
            concat!("Tabloop ", env!("CARGO_PKG_VERSION")),
            ui.words().about_text
        )
    };
    let [
        endpoint,
        keys,
        limits,
        model,
        approval,
        prompts,
        looks,
        storage,
    ] = PARTS.map(|(id, title)| part(ui, id, title));
    let of_submit = forms.clone();
    let form = el("form")
        .attr("id", FORM)
        .attr("novalidate", "")
        .on("submit", move |event| {
            event.prevent_default();
            of_submit.save(ui);
        })
        .child(limits.child(forms.limits.limits_view()))
        .child(model.child(forms.limits.model_view()))
        .child(approval.child(forms.approval.view()))
        .child(prompts.child(forms.prompts.view()))
        .child(looks.child(looks::view(ui)));
    div("dialog__page")
        .child(head(ui))
        .child(endpoint.child(endpoints::list(ui)))
        .child(keys.child(keys::view(ui)))
        .child(form)
        .child(storage.child(storage::view(ui)))
        .child(el("p").class("dialog__about").live(about))
        .child(foot(ui))
}

fn head(ui: Controller) -> El {
    let close = button("button button--icon")
        .named(ui, |words| words.close)
        .child(icon(Icon::Close))
        .press(move || ui.settings_open.set(false));
    let title = el("h2")
        .class("dialog__title")
        .attr("id", "settings-title")
        .say(ui, |words| words.settings);
    let to_part = |(id, title): Named| {
        button("button button--quiet button--small")
            .live(move || title(ui.words()))
            .press(move || dom::go_to(id))
    };
    let nav = el("nav")
        .class("dialog__nav")
        .say_as("aria-label", ui, |words| words.settings_parts)
        .children(PARTS.map(to_part));
    el("header")
        .class("dialog__head")
        .child(div("dialog__bar").child(title).child(close))
        .child(nav)
}

fn foot(ui: Controller) -> El {
    let save = button("button button--main form__save")
        .attr("type", "submit")
        .attr("form", FORM)
        .test_id("settings-save")
        .flag("disabled", move || !ui.can_work())
        .say(ui, |words| words.save);
    el("footer").class("dialog__foot").child(save)
}

fn part(ui: Controller, id: &str, title: fn(&Words) -> &'static str) -> El {
    let title = el("h3")
        .class("dialog__subtitle")
        .attr("id", id)
        .attr("tabindex", "-1")
        .live(move || title(ui.words()));
    el("section")
        .class("dialog__part")
        .attr("aria-labelledby", id)
        .child(title)
}

/// A list to choose from; `options` are values with their names.
fn choice(ui: Controller, options: [Named; 3]) -> El {
    let option = |(value, name): Named| {
        el("option")
            .attr("value", value)
            .live(move || name(ui.words()))
    };
    el("select")
        .class("field__input")
        .children(options.map(option))
}
