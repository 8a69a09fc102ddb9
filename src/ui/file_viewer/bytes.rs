//! What is neither text nor image: its kind and its first bytes.

use crate::ui::controller::Controller;
use crate::ui::element::{El, div, el};
use crate::ui::state::bytes::{Kind, kind, lines};

pub(super) fn bytes_view(ui: Controller, head: &[u8]) -> El {
    let kind = kind(head);
    let more = move || match kind {
        Kind::Pdf => ui.words().pdf_download(),
        _ => "",
    };
    let told = el("p")
        .class("viewer__note")
        .test_id("file-kind")
        .live(move || {
            let (kind, more) = (ui.words().kind_of_bytes(kind), more());
            format!("{kind} {more}").trim_end().to_owned()
        });
    let text = lines(head).join("\n");
    div("viewer__page")
        .child(told)
        .child(el("pre").class("viewer__bytes").text(&text))
}
