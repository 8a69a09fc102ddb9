//! What the doctor found: the cause on top, what to do with the buttons for it, what else
//! it saw.

use std::rc::Rc;

use super::examine;
use crate::kernel::doctor::servers::{self, LocalServer};
use crate::kernel::doctor::{Cause, Checkup, Weight};
use crate::kernel::presets::key_page_at;
use crate::kernel::settings::{BaseUrl, Problem};
use crate::protocol::Field;
use crate::ui::controller::Controller;
use crate::ui::copy_button::{copy_button, named_copy_button};
use crate::ui::dom;
use crate::ui::element::{El, button, div, el, link_out, span};
use crate::ui::endpoint_form::EndpointForm;
use crate::ui::icon::{Icon, icon};
use crate::ui::words::doctor::report;

/// An examination that is over, and where it was.
#[derive(Clone)]
struct Found {
    checkup: Rc<Checkup>,
    host: String,
    is_local: bool,
}

impl Found {
    fn new(checkup: Rc<Checkup>) -> Self {
        let base_url = BaseUrl::parse(&checkup.address);
        let host = base_url.map_or_else(|_| String::new(), |url| url.host().to_owned());
        Self {
            is_local: servers::is_near(&host),
            checkup,
            host,
        }
    }
}

/// Cause, steps and remarks.
pub fn result(ui: Controller, form: &EndpointForm, checkup: Rc<Checkup>) -> El {
    let found = Found::new(checkup);
    let causes = found.checkup.causes.iter();
    let remarks = causes.skip(1).map(|cause| {
        let sentences = told(ui, &found, cause);
        el("li").live(move || sentences().join(" "))
    });
    let remarks: Vec<El> = remarks.collect();
    let remarks =
        (!remarks.is_empty()).then(|| el("ul").class("doctor__remarks").children(remarks));
    div("doctor__result")
        .child(head(ui, &found))
        .children(offers(form, &found))
        .children(lines(ui, &found))
        .children(remarks)
        .child(steps(ui, form, &found))
}

/// What a cause means, and what to do.
fn told(
    ui: Controller,
    found: &Found,
    cause: &Cause,
) -> impl Fn() -> [String; 2] + Clone + 'static {
    let (found, cause) = (found.clone(), cause.clone());
    move || ui.words().cause(&cause, &found.host, found.is_local)
}

fn head(ui: Controller, found: &Found) -> El {
    let text = div("doctor__told").attr("role", "status");
    let first = el("p").class("doctor__cause").attr("id", "doctor-told");
    let Some(cause) = found.checkup.causes.first() else {
        return div("doctor__head")
            .child(icon(Icon::Stopped))
            .child(text.child(first.say(ui, |words| words.doctor_stopped)));
    };
    let (shape, class) = match cause.weight() {
        Weight::Fine => (Icon::Done, "doctor__head doctor__head--fine"),
        Weight::Less => (Icon::Info, "doctor__head"),
        Weight::Stuck => (Icon::Warning, "doctor__head doctor__head--problem"),
    };
    let sentences = told(ui, found, cause);
    let todo = sentences.clone();
    let text = text
        .child(first.live(move || std::mem::take(&mut sentences()[0])))
        .child(el("p").live(move || std::mem::take(&mut todo()[1])));
    div(class).child(icon(shape)).child(text)
}

/// What may be taken over into the form, with a press.
fn offers(form: &EndpointForm, found: &Found) -> Option<El> {
    let mut texts: Vec<(Field, &str)> = Vec::new();
    for cause in &found.checkup.causes {
        match cause {
            Cause::WrongPath(address)
            | Cause::BadAddress(Problem::SchemeMissing {
                suggestion: address,
            }) => texts.push((Field::BaseUrl, address)),
            Cause::UnknownModel(near) => {
                texts.extend(near.iter().map(|name| (Field::Model, name.as_str())));
            }
            _ => {}
        }
    }
    let offer = |(field, text): (Field, &str)| {
        let (form, value) = (form.clone(), text.to_owned());
        button("button button--small")
            .test_id("doctor-take")
            .text(text)
            .press(move || {
                form.put(field, &value);
                examine(&form);
            })
    };
    let offers: Vec<El> = texts.into_iter().map(offer).collect();
    (!offers.is_empty()).then(|| div("doctor__steps").children(offers))
}

/// What to run on this machine, where a server there keeps the page out.
fn lines(ui: Controller, found: &Found) -> Option<El> {
    let keeps_out = |cause: &Cause| {
        matches!(
            cause,
            Cause::NoCors | Cause::Preflight(_) | Cause::Unreachable
        )
    };
    let origin = dom::origin();
    let is_named = origin.contains("://");
    let base_url = BaseUrl::parse(&found.checkup.address).ok()?;
    if !(found.is_local && is_named && found.checkup.causes.first().is_some_and(keeps_out)) {
        return None;
    }
    let of_server = |server: LocalServer| {
        let name = span("doctor__server").text(server.name());
        let note = span("doctor__seen").live(move || ui.words().server_note(server));
        let line = |(place, line): (_, String)| {
            let copied = line.clone();
            div("doctor__run")
                .child(span("doctor__seen").live(move || ui.words().place(place)))
                .child(el("code").text(&line))
                .child(copy_button(ui, move || copied.clone()))
        };
        div("doctor__lines")
            .child(el("p").child(name).child(note))
            .children(server.lines(&base_url, &origin).into_iter().map(line))
    };
    let all = LocalServer::at(&base_url).into_iter().map(of_server);
    Some(div("doctor__servers").test_id("doctor-lines").children(all))
}

fn steps(ui: Controller, form: &EndpointForm, found: &Found) -> El {
    let is_fine = found.checkup.causes == [Cause::Fine];
    let wants_key = found.checkup.causes.iter().any(|cause| {
        matches!(
            cause,
            Cause::NoKey | Cause::BadKey | Cause::BadKeyText | Cause::KeyMayNot
        )
    });
    let of_key = form.clone();
    let key = wants_key.then(|| {
        button("button button--small")
            .say(ui, |words| words.doctor_key)
            .press(move || of_key.focus_key())
    });
    let page = wants_key.then(|| key_page_at(&found.host)).flatten();
    let page = page.map(|page| {
        link_out("button button--small")
            .attr("href", page)
            .test_id("doctor-key-page")
            .live(move || ui.words().key_page(page))
    });
    let of_again = form.clone();
    let again = (!is_fine).then(|| {
        button("button button--small")
            .test_id("doctor-again")
            .say(ui, |words| words.try_again)
            .press(move || examine(&of_again))
    });
    let of_report = found.clone();
    let copy = named_copy_button(
        ui,
        |words| words.doctor_copy,
        move || {
            report(
                &of_report.checkup,
                &of_report.host,
                &dom::origin(),
                &dom::browser(),
            )
        },
    );
    div("doctor__steps")
        .children(key)
        .children(page)
        .children(again)
        .child(copy.test_id("doctor-copy"))
}
