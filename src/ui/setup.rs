//! The start page: what Tabloop is, what leaves the browser, and two ways in.

use super::controller::Controller;
use super::element::{El, button, div, el, span};
use super::endpoint_form::EndpointForm;
use super::field::focus_refused;
use super::icon::{Icon, icon};
use super::notices::banners;
use super::state::key_of;
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
                .say(ui, |words| words.setup_lead),
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
                .say(ui, |words| words.setup_demo_title),
        )
        .child(
            el("p")
                .class("muted")
                .say(ui, |words| words.setup_demo_text),
        );
    let start = button("button button--main")
        .test_id("setup-demo")
        .flag("disabled", move || !ui.can_work())
        .say(ui, |words| words.setup_demo)
        .press(move || ui.command(Command::UseDemo));
    el("section")
        .class("setup__way setup__way--demo")
        .attr("aria-labelledby", "way-demo")
        .child(text)
        .child(start)
}

fn endpoint_way(ui: Controller) -> El {
    focus_refused(ui);
    el("section")
        .class("setup__way")
        .attr("aria-labelledby", "way-endpoint")
        .child(
            el("h2")
                .class("setup__title")
                .attr("id", "way-endpoint")
                .say(ui, |words| words.setup_endpoint_title),
        )
        .child(
            el("p")
                .class("muted")
                .say(ui, |words| words.setup_endpoint_text),
        )
        // A link may come while the page is open.
        .choose(
            move || ui.endpoints.linked.with(key_of),
            move |_| Some(EndpointForm::new(ui, None).view(None)),
        )
}

fn promises(ui: Controller) -> El {
    let stays = div("setup__promise")
        .child(icon(Icon::Device))
        .child(el("dt").say(ui, |words| words.setup_stays))
        .child(el("dd").say(ui, |words| words.setup_stays_text));
    let leaves = div("setup__promise")
        .child(icon(Icon::Outgoing))
        .child(el("dt").say(ui, |words| words.setup_leaves))
        .child(el("dd").say(ui, |words| words.setup_leaves_text));
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
        .say(ui, |words| words.setup_other_language)
        .press(move || ui.preferences.choose_language(Some(other())));
    el("footer")
        .class("setup__foot")
        .child(switch)
        .child(span("muted").text(concat!("Tabloop ", env!("CARGO_PKG_VERSION"))))
}
