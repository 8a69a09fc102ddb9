//! A run that was cut off: where, and the two ways on.

use super::element::{El, button, div, el};
use super::icon::{Icon, icon};
use super::rows::Place;

/// Stands where the run's end would.
pub fn resume_card(place: &Place) -> El {
    let (ui, model) = (place.ui, place.model.clone());
    let told = move || {
        let (round, open) = model.place();
        ui.words().interrupted(round, &open)
    };
    let resume = button("button button--main")
        .test_id("continue-run")
        .flag("disabled", move || !ui.can_work())
        .child(icon(Icon::Again))
        .child(el("span").say(ui, |words| words.resume))
        .press(move || ui.go_on());
    let end = button("button button--quiet")
        .test_id("interrupted-end")
        .flag("disabled", move || !ui.can_work())
        .say(ui, |words| words.end_here)
        .press(move || ui.stop());
    let line = div("end__line")
        .child(icon(Icon::Unplugged))
        .child(el("p").class("end__text end__told").live(told));
    el("footer")
        .class("end end--cut")
        .test_id("resume-card")
        .child(line)
        .child(div("end__steps").child(resume).child(end))
}
