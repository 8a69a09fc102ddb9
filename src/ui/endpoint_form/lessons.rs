//! What the endpoint was found to refuse, and a way to have that forgotten.

use super::EndpointForm;
use crate::kernel::settings::{Lesson, Profile};
use crate::protocol::Command;
use crate::ui::element::{El, button, div, el};

impl EndpointForm {
    /// Only there while there is something to tell.
    pub(super) fn lessons(&self) -> El {
        let (ui, form, of_press) = (self.ui, self.clone(), self.clone());
        // One a line.
        let told = move || {
            let lines = |profile: &Profile| {
                let line =
                    |of: &Lesson| format!("{}: {}", of.model, ui.words().lesson(&of.refused));
                let lines: Vec<String> = profile.lessons.iter().map(line).collect();
                lines.join("\n")
            };
            ui.settings.with(|settings| {
                let profile = settings.as_ref()?.kept.profile(form.start.id.as_ref()?)?;
                Some(lines(profile))
            })
        };
        let told = move || told().unwrap_or_default();
        let is_there = told.clone();
        div("form__lessons").when(
            move || !is_there().is_empty(),
            move || {
                let id = of_press.start.id.clone().unwrap_or_default();
                let forget = button("button button--small")
                    .test_id("endpoint-forget-lessons")
                    .flag("disabled", move || !ui.can_work())
                    .say(ui, |words| words.lessons_forget)
                    .press(move || ui.command(Command::ForgetLessons(id.clone())));
                div("form__note")
                    .test_id("endpoint-lessons")
                    .child(
                        div("")
                            .child(el("p").say(ui, |words| words.lessons_title))
                            .child(el("p").class("form__lines").live(told.clone())),
                    )
                    .child(forget)
            },
        )
    }
}
