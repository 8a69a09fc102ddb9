//! What is stored in this browser, how much room there is, and whether it stays.

use leptos::task::spawn_local;

use crate::protocol::Storage;
use crate::ui::controller::Controller;
use crate::ui::element::{El, button, div, el};
use crate::ui::free_space::free_space_button;
use crate::ui::signal::RwSignal;
use crate::ui::storage::{Room, keep, room};
use crate::ui::words::Stays;

/// The part of the settings.
pub(super) fn view(ui: Controller) -> El {
    let seen: RwSignal<Option<Room>> = RwSignal::new(None);
    let refused = RwSignal::new(false);
    spawn_local(async move { seen.set(room().await) });
    let is_stored = move || matches!(ui.storage.get(), Storage::Browser);
    let used = el("p")
        .test_id("storage-used")
        .live(move || match (is_stored(), seen.get()) {
            (false, _) => ui.words().kept_in_memory.to_owned(),
            (true, Some(room)) => ui.words().room_used(room.used, room.quota),
            (true, None) => ui.words().room_unknown().to_owned(),
        });
    let stays = el("p")
        .class("field__hint")
        .test_id("storage-stays")
        .attr("role", "status")
        .flag("hidden", move || !is_stored() || seen.get().is_none())
        .live(move || {
            ui.words().stays(match (seen.get(), refused.get()) {
                (Some(room), _) if room.is_kept => Stays::ForGood,
                (_, true) => Stays::Refused,
                (_, false) => Stays::AsLongAsThereIsRoom,
            })
        });
    let ask = button("button")
        .test_id("storage-keep")
        .flag("hidden", move || {
            !is_stored() || seen.get().is_none_or(|room| room.is_kept)
        })
        .live(move || ui.words().keep_stored())
        .press(move || {
            spawn_local(async move {
                refused.set(!keep().await);
                seen.set(room().await);
            });
        });
    let make_room = free_space_button(ui, "button").flag("hidden", move || !is_stored());
    let ways = div("field__ways").child(ask).child(make_room);
    div("field").child(used).child(stays).child(ways)
}
