//! The doctor in the endpoint's form: its button, and what it found.

mod result;

use std::rc::Rc;

use super::controller::{Controller, KernelState};
use super::dom;
use super::element::{El, button, div, el, span};
use super::endpoint_form::EndpointForm;
use super::icon::{Icon, icon, spinner};
use crate::kernel::doctor::{Checkup, Look, Verdict, Weight};
use crate::protocol::Command;

/// The report's name in the document.
const REPORT: &str = "doctor-report";

/// The button that has what stands in the form examined.
pub fn doctor_button(ui: Controller, form: &EndpointForm) -> El {
    let form = form.clone();
    button("button")
        .test_id("doctor-run")
        .attr("aria-describedby", "doctor-hint")
        .flag("disabled", move || ui.kernel.get() != KernelState::Up)
        .say(ui, |words| words.doctor_run)
        .press(move || examine(&form))
}

/// What the doctor does, and in its place what it found.
pub fn doctor(ui: Controller, form: &EndpointForm) -> El {
    let form = form.clone();
    let is_there = move || ui.checkup.with(Option::is_some);
    div("doctor")
        .child(
            el("p")
                .class("field__hint")
                .attr("id", "doctor-hint")
                .say(ui, |words| words.doctor_hint),
        )
        .when_loaded(ui, is_there, move || report(ui, form.clone()))
}

/// Has the form's content examined, and moves on to what comes of it.
fn examine(form: &EndpointForm) {
    let (id, draft) = form.draft();
    form.ui().check_up(id, draft);
    dom::focus(&["#", REPORT].concat());
}

fn report(ui: Controller, form: EndpointForm) -> El {
    let now = move || {
        ui.checkup
            .with(|checkup| checkup.clone().unwrap_or_default())
    };
    let is_over = move || now().now.is_none();
    leptos::task::spawn_local(async {
        leptos::task::tick().await;
        dom::go_to(REPORT);
    });
    el("section")
        .class("doctor__report")
        .attr("id", REPORT)
        .attr("tabindex", "-1")
        .attr("aria-labelledby", "doctor-told")
        .test_id(REPORT)
        .bind("data-state", move || state(&now()))
        .bind("data-cause", move || {
            now().causes.first().map(|cause| cause.name())
        })
        .choose(
            move || which(&now()),
            move |over| {
                Some(match over {
                    0 => going_on(ui),
                    _ => result::result(ui, &form, now()),
                })
            },
        )
        .child(probes(ui, now))
        .when(move || !is_over(), move || cancel(ui))
}

/// What is drawn: 0 while it goes on. Two may be over one behind the other, with nothing in
/// between; what is drawn of one holds it, so that the next lies elsewhere.
fn which(checkup: &Rc<Checkup>) -> u64 {
    match checkup.now {
        Some(_) => 0,
        None => Rc::as_ptr(checkup).addr() as u64,
    }
}

/// How the whole of it stands, in a word for styles and tests.
fn state(checkup: &Checkup) -> &'static str {
    match checkup.causes.first().map(|cause| cause.weight()) {
        _ if checkup.now.is_some() => "running",
        None => "stopped",
        Some(Weight::Fine) => "fine",
        Some(Weight::Less) => "less",
        Some(Weight::Stuck) => "problem",
    }
}

fn going_on(ui: Controller) -> El {
    let may_ask = move || {
        let checkup = ui.checkup.with(Clone::clone);
        checkup.is_some_and(|checkup| checkup.may_ask)
    };
    div("doctor__head").child(spinner()).child(
        div("doctor__told")
            .attr("role", "status")
            .child(
                el("p")
                    .attr("id", "doctor-told")
                    .say(ui, |words| words.doctor_going_on),
            )
            .when(may_ask, move || {
                el("p").say(ui, |words| words.doctor_may_ask)
            }),
    )
}

fn cancel(ui: Controller) -> El {
    let stop = button("button button--small")
        .test_id("doctor-cancel")
        .say(ui, |words| words.cancel)
        .press(move || {
            ui.command(Command::StopCheckUp);
            dom::focus(&["#", REPORT].concat());
        });
    div("doctor__steps").child(stop)
}

/// A line for each probe that is through, and one for the one that is not.
fn probes(ui: Controller, now: impl Fn() -> Rc<Checkup> + Clone + 'static) -> El {
    let lines = move || {
        let checkup = now();
        let done = checkup
            .seen
            .iter()
            .map(|look| (look.probe, Some(look.clone())));
        let going_on = checkup.now.map(|probe| (probe, None));
        let lines = done.chain(going_on);
        // What a look saw may still be mended by a later one.
        let key = |(probe, look): &(_, Option<Look>)| {
            let verdict = look.as_ref().map(|look| look.seen.verdict(look.probe));
            *probe as u64 * 4 + verdict.map_or(3, |verdict| verdict as u64)
        };
        lines.map(|line| (key(&line), line)).collect()
    };
    el("ol")
        .class("doctor__probes")
        .each(lines, move |(probe, look)| {
            let name = span("doctor__probe").live(move || ui.words().probe(probe));
            let line = el("li").class("doctor__line");
            let Some(look) = look else {
                return line.child(spinner()).child(name);
            };
            let verdict = look.seen.verdict(probe);
            let (shape, class) = match verdict {
                Verdict::Fine => (Icon::Done, "doctor__verdict doctor__verdict--fine"),
                Verdict::Problem => (Icon::Warning, "doctor__verdict doctor__verdict--problem"),
                Verdict::Skipped => (Icon::StepOpen, "doctor__verdict"),
            };
            line.child(icon(shape))
                .child(name)
                .child(span(class).live(move || ui.words().verdict(verdict)))
                .child(span("doctor__seen").live(move || ui.words().seen(&look.seen)))
        })
}
