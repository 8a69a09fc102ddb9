//! The model's name, with the list of those that the endpoint has.

use super::EndpointForm;
use crate::kernel::event::{Failure, FailureKind};
use crate::protocol::{Field, ListedModel, VaultState};
use crate::ui::combobox::{Enter, Line, MOST, Parts, combobox};
use crate::ui::controller::Controller;
use crate::ui::controller::endpoints::Models;
use crate::ui::element::{El, button, div};
use crate::ui::field::field;
use crate::ui::signal::RwSignal;
use crate::ui::state::search::search;
use crate::ui::words::units;

impl EndpointForm {
    pub(super) fn model_view(&self) -> El {
        let (ui, open) = (self.ui, RwSignal::new(false));
        let [of_lines, of_status, of_open, of_pick, of_list] =
            std::array::from_fn(|_| self.clone());
        let hits = RwSignal::new(0);
        let parts = Parts {
            id: "setup-models",
            open,
            enter: Enter::Typed,
            lines: Box::new(move |query| match ui.endpoints.models(&of_lines.start.id) {
                Some(Models::Listed(models)) => {
                    let (lines, all) = lines(&models, query);
                    hits.set(all);
                    lines
                }
                _ => Vec::new(),
            }),
            status: Box::new(move || {
                let models = ui.endpoints.models(&of_status.start.id);
                models.map_or_else(String::new, |models| told(ui, &models, hits.get(), MOST))
            }),
            opened: Box::new(move || {
                ui.list_models_once(of_open.start.id.clone(), || Some(of_open.draft().1));
            }),
            pick: Box::new(move |line| of_pick.model.set_value(&line.text)),
        };
        let list = button("button")
            .test_id("setup-models-list")
            .say_as("title", ui, |words| words.models_list_title)
            .say(ui, |words| words.models_list)
            .press(move || {
                of_list.model.focus();
                let (id, draft) = of_list.draft();
                ui.list_models(id, Some(draft));
                open.set(true);
            });
        let place = div("field__row")
            .child(combobox(self.model.clone(), parts))
            .child(list);
        field(ui, Field::Model, place, |words| {
            [words.model, "", words.model_hint].map(Into::into)
        })
    }
}

/// The models that fit, and how many there are.
fn lines(models: &[ListedModel], query: &str) -> (Vec<Line>, usize) {
    let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
    let (found, all) = search(&names, query, MOST);
    let line = |at: usize| Line {
        value: Some(String::new()),
        text: models[at].name.clone(),
        note: window(&models[at]),
        group: String::new(),
    };
    (found.into_iter().map(line).collect(), all)
}

/// What a model takes in, in short; nothing where that is not known.
pub fn window(model: &ListedModel) -> String {
    match model.window {
        0 => String::new(),
        window => units::short_number(window.into()),
    }
}

/// What there is to say about a list of which `hits` fit what was typed, and at most `most` are
/// shown.
pub fn told(ui: Controller, models: &Models, hits: usize, most: usize) -> String {
    let words = ui.words();
    match models {
        Models::Loading => words.models_loading.to_owned(),
        // It was not even asked.
        Models::Failed(Failure {
            kind: FailureKind::Unauthorized,
            status: None,
            ..
        }) if ui.vault_state() == VaultState::Locked => words.keys_are_locked.to_owned(),
        Models::Failed(failure) => words.models_failed(failure),
        Models::Listed(models) if models.is_empty() => words.models_none.to_owned(),
        Models::Listed(_) if hits == 0 => words.models_no_match.to_owned(),
        Models::Listed(_) => words.models_shown(hits, most),
    }
}
