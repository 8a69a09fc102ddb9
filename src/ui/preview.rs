//! The page of the workspace that runs beside the conversation.

use super::controller::Controller;
use super::controller::stage::ShownPage;
use super::element::{El, button, div, el};
use super::icon::{Icon, icon};
use super::middle_cut::middle_cut;
use super::words::Words;
use crate::protocol::{Gone, Order};

/// The page, with its file's name, a way to run it anew and one to close it.
pub fn preview(ui: Controller) -> El {
    let path = move || page(ui).map(|page| page.path).unwrap_or_default();
    let tool = |shape: Icon, test_id: &str, label: fn(&Words) -> &'static str| {
        button("button button--icon")
            .test_id(test_id)
            .bind("aria-label", move || label(ui.words()))
            .bind("title", move || label(ui.words()))
            .child(icon(shape))
    };
    let head = el("header")
        .class("viewer__head")
        .child(el("h2").class("viewer__name").child(middle_cut(path)))
        .child(
            tool(Icon::Again, "preview-reload", Words::preview_reload)
                .press(move || ui.reload_page()),
        )
        .child(
            tool(Icon::Close, "preview-close", Words::preview_close).press(move || ui.close_page()),
        );
    // A frame for each scene, and a line where it is no more.
    let which = move || match page(ui) {
        None => 0,
        Some(page) => u64::from(page.scene) * 2 + u64::from(page.gone.is_some()),
    };
    let draw = move |_| {
        let page = ui.stage.shown.get_untracked()?;
        Some(match page.gone {
            Some(gone) => gone_note(ui, gone),
            None => frame(ui, page)?,
        })
    };
    el("section")
        .class("preview")
        .test_id("preview")
        .bind("aria-label", move || ui.words().preview())
        .child(head)
        .child(div("preview__stage").choose(which, draw))
}

fn page(ui: Controller) -> Option<ShownPage> {
    ui.stage.shown.get()
}

fn frame(ui: Controller, page: ShownPage) -> Option<El> {
    let ShownPage { scene, path, .. } = page;
    let element = ui.open_frame(scene, &Order::Show { path: path.clone() })?;
    Some(element.class("preview__frame").attr("title", &path))
}

fn gone_note(ui: Controller, gone: Gone) -> El {
    el("p")
        .class("viewer__note")
        .attr("role", "status")
        .test_id("preview-gone")
        .live(move || ui.words().preview_gone(gone))
}
