//! The steps a model means to take: to be changed, approved or sent back.

use leptos::prelude::*;

use super::{Asking, Card, word_field};
use crate::kernel::event::Reply;
use crate::ui::composer::is_send;
use crate::ui::controller::Controller;
use crate::ui::element::{El, button, div, el, span};
use crate::ui::icon::{Icon, icon};
use crate::ui::signal::{ArcRwSignal, RwSignal};

/// A step as it is written now, and what tells it from others.
type Step = (u64, ArcRwSignal<String>);

/// The steps. Clones are the same ones.
#[derive(Clone, Copy)]
struct Steps {
    ui: Controller,
    all: RwSignal<Vec<Step>>,
}

/// Where a step goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Move {
    Up,
    Down,
    Away,
}

impl Steps {
    fn place(self, id: u64) -> Option<usize> {
        self.all
            .with(|all| all.iter().position(|(other, _)| *other == id))
    }

    /// Its number, from 1.
    fn number(self, id: u64) -> usize {
        self.place(id).map_or(0, |at| at + 1)
    }

    fn texts(self) -> Vec<String> {
        let text = |(_, text): &Step| text.with(|text| text.trim().to_owned());
        self.all.with(|all| {
            let texts = all.iter().map(text);
            texts.filter(|text| !text.is_empty()).collect()
        })
    }

    /// Puts an empty step behind the one with this id, or at the end. Gives its id.
    fn add(self, behind: Option<u64>) -> u64 {
        let behind = untrack(|| behind.and_then(|id| self.place(id)));
        let mut id = 0;
        self.all.update(|all| {
            id = 1 + all.iter().map(|(id, _)| *id).max().unwrap_or(0);
            let at = behind.map_or(all.len(), |at| at + 1);
            all.insert(at, (id, ArcRwSignal::new(String::new())));
        });
        id
    }

    /// Moves a step. Gives the one that stands where the user looks then.
    fn turn(self, id: u64, to: Move) -> u64 {
        let Some(at) = untrack(|| self.place(id)) else {
            return id;
        };
        self.all.update(|all| match to {
            Move::Up if at > 0 => all.swap(at, at - 1),
            Move::Down if at + 1 < all.len() => all.swap(at, at + 1),
            Move::Away => drop(all.remove(at)),
            _ => {}
        });
        self.all.with_untracked(|all| match to {
            Move::Away => all.get(at).or(all.last()).map_or(id, |step| step.0),
            Move::Up | Move::Down => id,
        })
    }
}

/// The card of a plan.
pub fn card(asking: &Asking, steps: &[String]) -> Card {
    let ui = asking.ui;
    let all = steps.iter().cloned().map(ArcRwSignal::new);
    let steps = Steps {
        ui,
        all: RwSignal::new((0..).zip(all).collect()),
    };
    let items = move || {
        let all = steps.all.get();
        all.into_iter().map(|step| (step.0, step)).collect()
    };
    let list = el("ol")
        .class("plan__steps")
        .each(items, move |step| step_row(steps, step));
    let add = button("button button--quiet")
        .test_id("plan-add")
        .child(icon(Icon::Plus))
        .child(el("span").say(ui, |words| words.plan_add))
        .press(move || focus_step(steps.add(None)));
    let body = div("question__body")
        .child(
            el("p")
                .class("question__note")
                .say(ui, |words| words.plan_hint),
        )
        .child(list)
        .child(add);
    Card {
        test_id: "plan-card",
        body,
        foot: foot(asking, steps),
        keys: &[],
        focus: None,
    }
}

fn step_row(steps: Steps, (id, text): Step) -> El {
    let ui = steps.ui;
    let field = el("textarea")
        .class("field__input plan__step")
        .attr("rows", "1")
        .attr("id", &field_id(id))
        .test_id("plan-step")
        .bind("aria-label", move || ui.words().plan_step(steps.number(id)));
    field.set_value(&text.get_untracked());
    let typed = field.clone();
    let field = field
        .on("input", move |_| text.set(typed.value()))
        .key(move |event| {
            if is_send(event) {
                event.prevent_default();
                focus_step(steps.add(Some(id)));
            }
        });
    let number = move || format!("{}.", steps.number(id));
    el("li")
        .class("plan__row")
        .child(
            span("plan__number")
                .attr("aria-hidden", "true")
                .live(number),
        )
        .child(field)
        .child(turn(steps, id, Move::Up))
        .child(turn(steps, id, Move::Down))
        .child(turn(steps, id, Move::Away))
}

fn turn(steps: Steps, id: u64, to: Move) -> El {
    let (test_id, which) = match to {
        Move::Up => ("plan-up", Icon::Send),
        Move::Down => ("plan-down", Icon::ArrowDown),
        Move::Away => ("plan-remove", Icon::Close),
    };
    let label = move || {
        let [up, down, away] = steps.ui.words().step_buttons(steps.number(id));
        match to {
            Move::Up => up,
            Move::Down => down,
            Move::Away => away,
        }
    };
    let is_idle = move || {
        let count = steps.all.with(Vec::len);
        match to {
            Move::Up => steps.number(id) == 1,
            Move::Down => steps.number(id) == count,
            Move::Away => count == 1,
        }
    };
    let turned = button("button button--icon button--small")
        .test_id(test_id)
        .bind("aria-label", label)
        .bind("title", label)
        .flag("disabled", is_idle)
        .child(icon(which));
    turned.press(move || {
        // A step that was moved has lost the focus on the way.
        focus_step(steps.turn(id, to));
    })
}

fn field_id(id: u64) -> String {
    format!("plan-step-{id}")
}

/// Puts the focus on a step's field, once it is where it belongs.
fn focus_step(id: u64) {
    leptos::task::spawn_local(async move {
        leptos::task::tick().await;
        crate::ui::dom::focus_to_write(&format!("#{}", field_id(id)));
    });
}

fn foot(asking: &Asking, steps: Steps) -> El {
    let (ui, can) = (asking.ui, asking.clone());
    let has_steps = move || !steps.texts().is_empty();
    let asks = asking.clone();
    let approve = button("button button--main")
        .test_id("plan-approve")
        .flag("disabled", move || !(can.can_answer() && has_steps()))
        .say(ui, |words| words.plan_approve)
        .press(move || asks.answer(Reply::Plan(untrack(|| steps.texts()))));
    let word = word_field("plan-word", move || ui.words().plan_word);
    let typed = word.clone();
    let back = asking
        .button("button", "plan-deny", move || Reply::No {
            word: typed.value().trim().to_owned(),
        })
        .say(ui, |words| words.plan_back);
    div("question__foot")
        .child(div("question__answers").child(approve))
        .child(div("question__refuse").child(word).child(back))
}
