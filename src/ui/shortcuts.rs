//! The list of shortcuts, and the keys that are others on a Mac.

use web_sys::KeyboardEvent;

use super::controller::Controller;
use super::dom;
use super::element::{El, button, div, el};
use super::icon::{Icon, icon};
use super::say::Word;

/// Keys, each group parted by blanks, and what they do.
const KEYS: [(&str, Word); 10] = [
    ("Mod+K", |words| words.key_palette()),
    ("?", |words| words.shortcuts()),
    ("Enter", |words| words.key_send()),
    ("Shift+Enter", |words| words.key_line()),
    ("↑", |words| words.key_history()),
    ("@", |words| words.key_mention()),
    ("/", |words| words.key_command()),
    ("A S L D", |words| words.key_approve()),
    ("Mod+S Mod+F", |words| words.key_editor()),
    ("Esc", |words| words.key_escape()),
];

/// Whether the key is pressed with the one that opens the palette: Control is for the text
/// itself on a Mac.
pub fn palette_keys(event: &KeyboardEvent) -> bool {
    let modifier = match is_mac() {
        true => event.meta_key() && !event.ctrl_key(),
        false => event.ctrl_key() && !event.meta_key(),
    };
    modifier && !event.alt_key() && !event.shift_key()
}

fn is_mac() -> bool {
    dom::browser().contains("Mac OS X")
}

/// The dialog's page.
#[inline(never)]
pub fn shortcuts(ui: Controller) -> El {
    let close = button("button button--icon")
        .test_id("shortcuts-close")
        .named(ui, |words| words.close)
        .child(icon(Icon::Close))
        .press(move || ui.over.set(None));
    let title = el("h2")
        .class("dialog__title")
        .attr("id", "shortcuts-title")
        .say(ui, |words| words.shortcuts());
    let modifier = if is_mac() { "⌘" } else { "Ctrl" };
    let rows = KEYS.map(|(keys, does)| {
        let keys = keys.split(' ').flat_map(|group| {
            let keys = group.split('+');
            keys.map(|key| {
                let shown = if key == "Mod" { modifier } else { key };
                el("kbd").text(shown)
            })
        });
        div("shortcuts__row")
            .child(el("dt").say(ui, does))
            .child(el("dd").children(keys.collect::<Vec<_>>()))
    });
    div("ask shortcuts")
        .test_id("shortcuts")
        .child(div("dialog__bar").child(title).child(close))
        .child(el("dl").class("shortcuts__list").children(rows))
}
