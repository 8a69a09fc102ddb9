//! The start page: what Tabloop is, what leaves the browser, and two ways in.

use super::controller::Controller;
use super::element::{El, button, div, el, span};
use super::endpoint_form::EndpointForm;
use super::field::focus_refused;
use super::icon::{Icon, icon};
use super::notices::banners;
use super::words::Language;
use crate::protocol::Command;

/// Shown until somebody is there to answer.
pub fn setup(ui: Controller) -> El {
    let head = el("header")
        .class("setup__head")
        .child(el("h1").class("setup__name").text("Tabloop"))
        .child(
            el("p")
                .class("setup__lead")
                .live(move || ui.words().setup_lead),
        );
    let page = el("main")
        .class("setup__page")
        .child(head)
        .child(demo_way(ui))
        .child(endpoint_way(ui))
        .child(promises(ui))
        .child(foot(ui));
    div("setup").child(banners(ui)).child(page)
}

fn demo_way(ui: Controller) -> El {
    let text = el("div")
        .child(
            el("h2")
                .class("setup__title")
                .attr("id", "way-demo")
                .live(move || ui.words().setup_demo_title),
        )
        .child(
            el("p")
                .class("muted")
                .live(move || ui.words().setup_demo_text),
        );
    let start = button("button button--main")
        .test_id("setup-demo")
        .flag("disabled", move || !ui.can_work())
        .live(move || ui.words().setup_demo)
        .press(move || ui.command(Command::UseDemo));
    el("section")
        .class("setup__way setup__way--demo")
        .attr("aria-labelledby", "way-demo")
        .child(text)
        .child(start)
}

fn endpoint_way(ui: Controller) -> El {
    let form = EndpointForm::new(ui);
    let of_submit = form.clone();
    focus_refused(ui);
    el("section")
        .class("setup__way")
        .attr("aria-labelledby", "way-endpoint")
        .child(
            el("h2")
                .class("setup__title")
                .attr("id", "way-endpoint")
                .live(move || ui.words().setup_endpoint_title),
        )
        .child(
            el("p")
                .class("muted")
                .live(move || ui.words().setup_endpoint_text),
        )
        .child(form.view(move || ui.save(vec![of_submit.command()])))
}

fn promises(ui: Controller) -> El {
    let stays = div("setup__promise")
        .child(icon(Icon::Device))
        .child(el("dt").live(move || ui.words().setup_stays))
        .child(el("dd").live(move || ui.words().setup_stays_text));
    let leaves = div("setup__promise")
        .child(icon(Icon::Outgoing))
        .child(el("dt").live(move || ui.words().setup_leaves))
        .child(el("dd").live(move || ui.words().setup_leaves_text));
    el("dl").class("setup__promises").child(stays).child(leaves)
}

/// A way to the other language for whoever can't read this one, and the version.
fn foot(ui: Controller) -> El {
    let other = move || match ui.preferences.language_in_use() {
        Language::English => Language::Chinese,
        Language::Chinese => Language::English,
    };
    let switch = button("button button--link")
        .bind("lang", move || other().tag())
        .live(move || ui.words().setup_other_language)
        .press(move || ui.preferences.choose_language(Some(other())));
    el("footer")
        .class("setup__foot")
        .child(switch)
        .child(span("muted").text(concat!("Tabloop ", env!("CARGO_PKG_VERSION"))))
}
