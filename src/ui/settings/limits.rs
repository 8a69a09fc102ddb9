//! When runs end, what the model takes in, and what it costs.

use std::ops::Range;

use leptos::prelude::untrack;

use crate::kernel::fixed;
use crate::kernel::settings::{Limit, LimitSettings, ModelChoice, Problem};
use crate::protocol::{Command, Field};
use crate::ui::controller::Controller;
use crate::ui::element::{El, div, el, follow, span};
use crate::ui::field::{bare_field, bare_input, field, input};
use crate::ui::words::limits::{least_places, places};

/// The first of [`Limit::ALL`] that is about the model and not about runs.
const FIRST_OF_MODEL: usize = 7;
const SECOND_MODEL: &str = "setting-second-model";

/// The fields, in the order of [`Limit::ALL`], and the second model's.
#[derive(Clone)]
pub(super) struct LimitForm {
    ui: Controller,
    numbers: [El; 11],
    second_model: El,
}

fn in_use(ui: Controller) -> LimitSettings {
    let choice = untrack(|| ui.choice());
    ui.settings.with_untracked(|settings| {
        settings
            .as_ref()
            .map(|settings| settings.kept.limits_for(choice.as_ref()))
            .unwrap_or_default()
    })
}

fn fill(input: &El, limit: Limit, limits: &LimitSettings) {
    let value = limits.get(limit).into();
    input.set_value(&fixed::show(value, places(limit), least_places(limit)));
}

impl LimitForm {
    pub(super) fn new(ui: Controller) -> Self {
        let limits = in_use(ui);
        let number = |limit: Limit| {
            let mode = match places(limit) {
                0 => "numeric",
                _ => "decimal",
            };
            let input = input(ui, Field::Limit(limit), "text", "").attr("inputmode", mode);
            fill(&input, limit, &limits);
            input
        };
        let second_model = bare_input(SECOND_MODEL, "text", "")
            .attr("aria-describedby", &format!("{SECOND_MODEL}-hint"));
        second_model.set_value(&limits.second_model);
        let form = Self {
            ui,
            numbers: Limit::ALL.map(number),
            second_model,
        };
        form.clone().follow_choice();
        form
    }

    /// When another model answers, its figures take the place of those before.
    fn follow_choice(self) {
        let mut before = untrack(|| self.ui.choice());
        follow(Box::new(move || {
            let now = self.ui.choice();
            if now == before {
                return;
            }
            before = now;
            let limits = in_use(self.ui);
            let of_model = Limit::ALL.into_iter().zip(&self.numbers);
            of_model
                .skip(FIRST_OF_MODEL)
                .for_each(|(limit, input)| fill(input, limit, &limits));
            self.second_model.set_value(&limits.second_model);
        }));
    }

    /// What a run may take.
    pub(super) fn limits_view(&self) -> El {
        div("form__grid").children(self.numbers(0..FIRST_OF_MODEL))
    }

    /// What there is to know of the model.
    pub(super) fn model_view(&self) -> El {
        let second = bare_field(self.ui, SECOND_MODEL, self.second_model.clone(), |words| {
            [words.second_model, words.optional, words.second_model_hint].map(Into::into)
        });
        let ui = self.ui;
        let source = move || {
            let Some(ModelChoice::Profile { model, .. }) = ui.choice() else {
                return String::new();
            };
            let source = ui.with_profile(|profile, _| profile.source(&model));
            source.map_or_else(String::new, |source| ui.words().facts(&model, source))
        };
        div("form__grid")
            .child(
                el("p")
                    .class("muted field--wide")
                    .test_id("facts-source")
                    .live(source),
            )
            .children(self.numbers(FIRST_OF_MODEL..Limit::ALL.len()))
            .child(second.class("field field--wide"))
    }

    /// The fields of some of [`Limit::ALL`].
    fn numbers(&self, which: Range<usize>) -> impl Iterator<Item = El> {
        which.map(|at| {
            let (ui, limit, input) = (self.ui, Limit::ALL[at], self.numbers[at].clone());
            let unit = span("field__unit").live(move || ui.words().limit_unit(limit));
            let row = div("field__row").child(input).child(unit);
            field(ui, Field::Limit(limit), row, move |words| {
                [
                    words.limit_name(limit).into(),
                    "".into(),
                    words.limit_hint(limit).into(),
                ]
            })
        })
    }

    /// What saves them; nothing if they are as they were.
    pub(super) fn command(&self) -> Result<Option<Command>, Vec<(Field, Problem)>> {
        let before = in_use(self.ui);
        let mut limits = before.clone();
        let mut problems = Vec::new();
        for (limit, input) in Limit::ALL.into_iter().zip(&self.numbers) {
            let (min, max) = limit.range();
            match fixed::parse(&input.value(), places(limit)) {
                Some(value) if (min..=max).contains(&value) => limits.set(limit, value),
                _ => problems.push((Field::Limit(limit), Problem::OutOfRange { min, max })),
            }
        }
        limits.second_model = self.second_model.value().trim().to_owned();
        if problems.is_empty() {
            let choice = untrack(|| self.ui.choice());
            Ok((limits != before).then_some(Command::SaveLimits { limits, choice }))
        } else {
            Err(problems)
        }
    }
}
