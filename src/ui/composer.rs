//! Where tasks are written, and words to the run that is open. While it asks
//! something, its question takes this place.

use web_sys::KeyboardEvent;

use super::composer_options::composer_options;
use super::controller::{Controller, KernelState};
use super::dom;
use super::element::{El, button, div, el, follow, span};
use super::icon::{Icon, icon};
use super::question::question_place;
use super::queue::queue;
use super::unlock::unlock_card;
use super::writing::{attach_button, token_count, tools};
use crate::kernel::session::Mode;
use crate::protocol::Access;

/// Key code of a key that an input method has for itself.
const COMPOSING: u32 = 229;

/// The bottom of the conversation.
pub fn composer(ui: Controller) -> El {
    let asks = move || !ui.questions().is_empty();
    div("composer")
        .when(
            move || ui.lacks_key() && !ui.is_locked(),
            move || key_wanted(ui),
        )
        .when(
            move || ui.is_locked() && !ui.is_running(),
            move || unlock_card(ui),
        )
        .child(question_place(ui))
        .child(form(ui).class_if("composer__form--away", asks))
}

fn form(ui: Controller) -> El {
    let input = input(ui);
    let (of_submit, of_tools) = (input.clone(), input.clone());
    let submit = move |event: web_sys::Event| {
        event.prevent_default();
        ui.send_draft();
        of_submit.focus();
    };
    // Gives the field its height; it has none of its own.
    let mirror = div("composer__mirror")
        .attr("aria-hidden", "true")
        .live(move || format!("{}\u{200b}", ui.draft.get()));
    // A question has a Stop of its own.
    let stops_here = move || stops(ui) && ui.questions().is_empty();
    let box_ = div("composer__box")
        .child(div("composer__grow").child(input).child(mirror))
        .when(move || stops(ui), move || queue_button(ui))
        .when(stops_here, move || stop_button(ui))
        .when(move || !stops(ui), move || send_button(ui));
    // What comes behind the first load has its place from the start.
    let is_loaded = move || ui.loaded.get();
    let attach = div("composer__attach").when(is_loaded, move || attach_button(ui));
    let foot = div("composer__foot")
        .child(attach)
        .child(composer_options(ui))
        .child(
            el("p")
                .class("composer__hint")
                .class_if("composer__hint--mode", move || tells_mode(ui))
                .live(move || hint(ui)),
        )
        .when(is_loaded, move || token_count(ui));
    let form = el("form").class("composer__form");
    let whole = form.clone();
    form.on("submit", submit)
        .child(queue(ui))
        .when(is_loaded, move || tools(ui, &whole, &of_tools))
        .child(box_)
        .child(foot)
}

fn input(ui: Controller) -> El {
    let input = el("textarea")
        .class("composer__input")
        .test_id("composer-input")
        .attr("rows", "1");
    let placeholder = move || {
        if ui.can_steer() {
            ui.words().composer_steer_placeholder
        } else if ui.is_demo() {
            ui.words().composer_demo_placeholder
        } else {
            ui.words().composer_placeholder
        }
    };
    let (shown, read) = (input.clone(), input.clone());
    follow(Box::new(move || {
        ui.draft.with(|draft| {
            if shown.value() != *draft {
                shown.set_value(draft);
            }
        });
    }));
    // It is in the page a moment later.
    leptos::task::spawn_local(async { dom::focus_composer() });
    input
        .say_as("aria-label", ui, |words| words.composer)
        .bind("placeholder", placeholder)
        .on("input", move |_| ui.draft.set(read.value()))
        .key(move |event| {
            if is_send(event) {
                event.prevent_default();
                ui.send_draft();
            }
        })
}

/// Whether a key sends what was written.
pub fn is_send(event: &KeyboardEvent) -> bool {
    let is_composing = event.is_composing() || event.key_code() == COMPOSING;
    event.key() == "Enter" && !event.shift_key() && !is_composing
}

/// Whether there is something to stop.
fn stops(ui: Controller) -> bool {
    ui.is_running() && ui.access.get() == Access::Writer
}

/// Stops the shown session's run.
pub fn stop_button(ui: Controller) -> El {
    button("button composer__button composer__button--stop")
        .test_id("composer-stop")
        .say_as("title", ui, |words| words.stop)
        .child(icon(Icon::Stop))
        .child(span("composer__label").say(ui, |words| words.stop))
        .press(move || ui.stop())
}

fn has_draft(ui: Controller) -> bool {
    ui.draft.with(|draft| !draft.trim().is_empty())
}

fn send_button(ui: Controller) -> El {
    let can_send = move || ui.can_send() && has_draft(ui);
    button("button button--main composer__button")
        .attr("type", "submit")
        .test_id("composer-send")
        .say_as("title", ui, |words| words.send)
        .flag("disabled", move || !can_send())
        .child(icon(Icon::Send))
        .child(span("composer__label").say(ui, |words| words.send))
}

fn queue_button(ui: Controller) -> El {
    let can_queue = move || ui.can_steer() && has_draft(ui);
    button("button composer__button")
        .attr("type", "submit")
        .test_id("composer-queue")
        .say_as("title", ui, |words| words.queue)
        .flag("disabled", move || !can_queue())
        .child(icon(Icon::Send))
        .child(span("composer__label").say(ui, |words| words.queue))
}

/// Whether the hint tells what the mode does.
fn tells_mode(ui: Controller) -> bool {
    ui.way.get().mode != Mode::Act && !ui.is_running()
}

/// How to send, what the mode does, or why nothing can be sent now.
fn hint(ui: Controller) -> &'static str {
    match (ui.kernel.get(), ui.access.get()) {
        (KernelState::Died(_), _) => ui.words().composer_no_kernel,
        (_, Access::Reader | Access::Former) => ui.words().composer_read_only,
        _ if tells_mode(ui) => ui.words().mode_does(ui.way.get().mode),
        _ => ui.words().composer_hint,
    }
}

/// Says that the endpoint's key is missing, before a task is sent in vain.
fn key_wanted(ui: Controller) -> El {
    let open = button("button button--small")
        .say(ui, |words| words.open_settings)
        .press(move || ui.mend_endpoint());
    div("composer__wanted")
        .attr("role", "status")
        .test_id("notice-key")
        .child(icon(Icon::Key))
        .child(span("composer__wanted-text").say(ui, |words| words.key_needed))
        .child(open)
}
