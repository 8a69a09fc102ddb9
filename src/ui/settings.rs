//! The settings: who answers, keys, limits, what is asked about, looks. A modal dialog,
//! which the browser gives the focus and takes it back from.

mod approval;
mod keys;
mod limits;
mod looks;

use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlDialogElement};

use self::approval::ApprovalForm;
use self::limits::LimitForm;
use super::controller::Controller;
use super::dom;
use super::element::{El, button, div, el, follow};
use super::endpoint_form::EndpointForm;
use super::field::focus_refused;
use super::icon::{Icon, icon};
use super::unlock::KEYS_PART;
use super::words::Words;
use crate::protocol::Command;

/// Drawn only while it is open, so that it always begins with what is in use.
pub fn settings_dialog(ui: Controller) -> El {
    let is_open = move || ui.settings_open.get();
    let dialog = el("dialog")
        .class("dialog")
        .attr("aria-labelledby", "settings-title")
        .when(is_open, move || page(ui));
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
            ui.settings_open.set(false);
            ui.leave_doctor();
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
const PARTS: [Named; 6] = [
    ("settings-endpoint", |words| words.endpoint),
    (KEYS_PART, |words| words.keys),
    ("settings-limits", |words| words.limits),
    ("settings-model", |words| words.window_and_prices),
    ("settings-approval", |words| words.approval),
    ("settings-looks", |words| words.appearance),
];
const FORM: &str = "settings-form";

/// The three forms that are saved together.
#[derive(Clone)]
struct Forms {
    endpoint: EndpointForm,
    limits: LimitForm,
    approval: ApprovalForm,
}

/// Which of the forms' changes are saved.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Endpoint {
    /// The endpoint in any case, so that an empty one is told.
    Always,
    /// What was changed.
    IfChanged,
}

impl Forms {
    fn save(&self, ui: Controller, endpoint: Endpoint) {
        let limits = match self.limits.command() {
            Ok(limits) => limits,
            Err(problems) => return ui.refuse(problems),
        };
        let with_endpoint = endpoint == Endpoint::Always || self.endpoint.is_changed();
        let endpoint = with_endpoint.then(|| self.endpoint.command());
        let commands = [endpoint, limits, self.approval.command()];
        ui.save(commands.into_iter().flatten().collect());
    }
}

fn page(ui: Controller) -> El {
    let forms = Forms {
        endpoint: EndpointForm::new(ui),
        limits: LimitForm::new(ui),
        approval: ApprovalForm::new(ui),
    };
    focus_refused(ui);
    let about = move || {
        format!(
            "{} · {}",
            concat!("Tabloop ", env!("CARGO_PKG_VERSION")),
            ui.words().about_text
        )
    };
    let [endpoint, keys, limits, model, approval, looks] =
        PARTS.map(|(id, title)| part(ui, id, title));
    let of_submit = forms.clone();
    let form = el("form")
        .attr("id", FORM)
        .attr("novalidate", "")
        .on("submit", move |event| {
            event.prevent_default();
            of_submit.save(ui, Endpoint::IfChanged);
        })
        .child(limits.child(forms.limits.limits_view()))
        .child(model.child(forms.limits.model_view()))
        .child(approval.child(forms.approval.view()))
        .child(looks.child(looks::view(ui)));
    div("dialog__page")
        .child(head(ui))
        .child(endpoint_part(ui, endpoint, &forms))
        .child(keys.child(keys::view(ui)))
        .child(form)
        .child(el("p").class("dialog__about").live(about))
        .child(foot(ui))
}

fn head(ui: Controller) -> El {
    let close = button("button button--icon")
        .bind("aria-label", move || ui.words().close)
        .bind("title", move || ui.words().close)
        .child(icon(Icon::Close))
        .press(move || ui.settings_open.set(false));
    let title = el("h2")
        .class("dialog__title")
        .attr("id", "settings-title")
        .live(move || ui.words().settings);
    let to_part = |(id, title): Named| {
        button("button button--quiet button--small")
            .live(move || title(ui.words()))
            .press(move || dom::go_to(id))
    };
    let nav = el("nav")
        .class("dialog__nav")
        .bind("aria-label", move || ui.words().settings_parts)
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
        .live(move || ui.words().save);
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

fn endpoint_part(ui: Controller, part: El, forms: &Forms) -> El {
    let of_submit = forms.clone();
    part.when(
        move || ui.is_demo(),
        move || el("p").class("muted").live(move || ui.words().demo_in_use),
    )
    .child(
        forms
            .endpoint
            .view(move || of_submit.save(ui, Endpoint::Always)),
    )
    .when(
        move || !ui.is_demo(),
        move || {
            button("button button--link")
                .flag("disabled", move || !ui.can_work())
                .live(move || ui.words().use_demo)
                .press(move || ui.save(vec![Command::UseDemo]))
        },
    )
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
