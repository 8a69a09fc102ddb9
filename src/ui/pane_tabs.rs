//! The tabs over the pane beside the conversation, one for each thing it shows.

use leptos::prelude::*;

use super::controller::Controller;
use super::controller::trace::View;
use super::dom;
use super::element::{El, button, div, follow, span};
use super::words::Words;
use super::words::units::short_number;

/// A tab.
struct Tab {
    view: View,
    /// Its element.
    id: &'static str,
    name: fn(&Words) -> &'static str,
}

/// All tabs, in their order.
const TABS: [Tab; 4] = [
    Tab {
        view: View::Files,
        id: "view-files",
        name: |words| words.files,
    },
    Tab {
        view: View::Changes,
        id: "view-changes",
        name: |words| words.changes,
    },
    Tab {
        view: View::Trace,
        id: "view-trace",
        name: |words| words.trace,
    },
    // Is there as long as a page runs.
    Tab {
        view: View::Preview,
        id: "view-preview",
        name: Words::preview,
    },
];

/// The tabs; arrow keys go from one to the next.
pub fn pane_tabs(ui: Controller) -> El {
    let has_page = move || ui.stage.shown.with(Option::is_some);
    let tabs = move || match untrack(has_page) {
        true => &TABS[..],
        false => &TABS[..TABS.len() - 1],
    };
    let go = move |to: usize| {
        let tab = &tabs()[to % tabs().len()];
        ui.trace.view.set(tab.view);
        dom::focus(&format!("#{}", tab.id));
    };
    follow(Box::new(move || {
        if ui.trace.view.get() == View::Preview {
            ui.stage.is_new.set(false);
        }
    }));
    div("workspace__tabs")
        .attr("role", "tablist")
        .children(TABS[..3].iter().map(|tab| tab_button(ui, tab)))
        .when(has_page, move || tab_button(ui, &TABS[3]))
        .key(move |event| {
            let shown = ui.trace.view.get_untracked();
            let at = tabs().iter().position(|tab| tab.view == shown).unwrap_or(0);
            let to = match event.key().as_str() {
                "ArrowLeft" => at + tabs().len() - 1,
                "ArrowRight" => at + 1,
                "Home" => 0,
                "End" => tabs().len() - 1,
                _ => return,
            };
            event.prevent_default();
            go(to);
        })
}

fn tab_button(ui: Controller, tab: &'static Tab) -> El {
    let is_shown = move || ui.trace.view.get() == tab.view;
    button("workspace__tab")
        .attr("role", "tab")
        .attr("id", tab.id)
        .test_id(tab.id)
        .bind("aria-selected", is_shown)
        .bind("tabindex", move || if is_shown() { "0" } else { "-1" })
        .live(move || (tab.name)(ui.words()))
        .when(
            move || tab.view == View::Changes && ui.changes.count.get() > 0,
            move || {
                let count = move || ui.changes.count.get();
                span("workspace__badge")
                    .test_id("changes-count")
                    .bind("title", move || ui.words().files_changed(count()))
                    .live(move || short_number(count() as u64))
            },
        )
        .when(
            move || tab.view == View::Preview && ui.stage.is_new.get() && !is_shown(),
            move || {
                span("workspace__dot")
                    .attr("role", "img")
                    .test_id("preview-new")
                    .say_as("aria-label", ui, |words| words.preview_new())
                    .say_as("title", ui, |words| words.preview_new())
            },
        )
        .press(move || ui.trace.view.set(tab.view))
}
