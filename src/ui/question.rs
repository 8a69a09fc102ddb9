//! What a run asks its user. One question at a time takes the composer's place,
//! so that it can't be missed.

mod answers;
mod approval;
mod choice;
mod cut_off;
mod plan;

use std::cell::Cell;
use std::sync::Arc;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

use super::composer::stop_button;
use super::controller::Controller;
use super::controller::session::SessionModel;
use super::dom;
use super::element::{El, button, div, el, span};
use super::icon::{Icon, icon};
use super::signal::RwSignal;
use super::state::key_of;
use crate::kernel::event::{About, Question, Reply};

/// The card of the question that is open.
pub const QUESTION: &str = ".question";

/// How long the keys must rest before one counts as an answer, if the user was
/// writing when the question came; milliseconds.
const REST_MS: u64 = 700;

/// A question, and the way to answer it.
#[derive(Clone)]
struct Asking {
    ui: Controller,
    /// The session that asks.
    model: SessionModel,
    question: Arc<Question>,
    /// Whether it was answered already.
    sent: RwSignal<bool>,
}

impl Asking {
    fn can_answer(&self) -> bool {
        self.ui.can_work() && !self.sent.get()
    }

    fn answer(&self, reply: Reply) {
        if untrack(|| self.can_answer()) {
            self.sent.set(true);
            let call_id = self.question.call_id.clone();
            self.ui.answer(self.model.session(), call_id, reply);
        }
    }

    /// A button that answers.
    fn button(&self, class: &str, test_id: &str, reply: impl Fn() -> Reply + 'static) -> El {
        let (can, asking) = (self.clone(), self.clone());
        button(class)
            .test_id(test_id)
            .flag("disabled", move || !can.can_answer())
            .press(move || asking.answer(reply()))
    }
}

/// A key and the answer it gives.
type Key = (&'static str, fn() -> Reply);

/// A question's card: its parts, the keys that answer it, and what takes the focus.
struct Card {
    test_id: &'static str,
    body: El,
    foot: El,
    keys: &'static [Key],
    focus: Option<El>,
}

/// Where the first open question stands, if there is one.
pub fn question_place(ui: Controller) -> El {
    let key = move || {
        let questions = ui.questions();
        // Its card is loaded once the page takes input.
        let first = questions.first().filter(|_| ui.loaded.get());
        first.map_or(0, |(model, asked)| {
            // One call may ask twice, of different things.
            let about = std::mem::discriminant(&asked.about);
            key_of(&(&model.id, &asked.call_id, about))
        })
    };
    let draw = move |_| {
        let (model, question) = ui.questions().into_iter().next()?;
        Some(draw(&Asking {
            ui,
            model,
            question,
            sent: RwSignal::new(false),
        }))
    };
    div("question-place").choose(key, draw)
}

/// Not inlined: it is loaded only once there is a question (scripts/later.txt).
#[inline(never)]
fn draw(asking: &Asking) -> El {
    let card = match &asking.question.about {
        About::Approval {
            changes,
            more,
            targets,
            rule,
            always,
        } => approval::card(asking, (changes, *more), targets, rule.as_ref(), always),
        About::CutOff { targets } => cut_off::card(asking, targets),
        About::Choice { question, options } => choice::card(asking, question, options),
        About::Plan { steps } => plan::card(asking, steps),
    };
    let (ui, asked) = (asking.ui, Arc::clone(&asking.question));
    let section = el("section")
        .class("question")
        .test_id(card.test_id)
        .attr("data-tool", &asked.tool)
        .attr("role", "group")
        .attr("tabindex", "-1")
        .bind("aria-label", move || ui.words().asked_in_short(&asked))
        .child(head(asking))
        .child(card.body)
        .child(card.foot);
    let field = card.focus.filter(|_| dom::has_fine_pointer());
    take_focus(ui, field.unwrap_or_else(|| section.clone()));
    let (asking, keys) = (asking.clone(), card.keys);
    let was_writing = dom::focus_is_free_or_on(dom::COMPOSER)
        && ui.draft.with_untracked(|draft| !draft.is_empty());
    let last_key = Cell::new(if was_writing { dom::now_ms() } else { 0 });
    section.key(move |event| {
        let now = dom::now_ms();
        let rested = now.saturating_sub(last_key.get()) >= REST_MS;
        if !rested {
            last_key.set(now);
        }
        let pressed = event.key().to_ascii_lowercase();
        let reply = keys.iter().find(|(key, _)| *key == pressed);
        if let Some((_, reply)) = reply.filter(|_| rested && is_free(event)) {
            event.prevent_default();
            asking.answer(reply());
        }
    })
}

/// Whether a key is not meant for a text field or for the browser.
fn is_free(event: &KeyboardEvent) -> bool {
    let target = event.target().and_then(|at| at.dyn_into::<Element>().ok());
    let is_field = |at: Element| matches!(at.tag_name().as_str(), "INPUT" | "TEXTAREA");
    let is_held = event.ctrl_key() || event.alt_key() || event.meta_key() || event.repeat();
    !is_held && !target.is_some_and(is_field)
}

/// Takes the focus if it is the composer's or nobody's, and gives it back at the end.
fn take_focus(ui: Controller, to: El) {
    if dom::focus_is_free_or_on(dom::COMPOSER) {
        // It is in the page a moment later.
        leptos::task::spawn_local(async move { to.focus() });
    }
    on_cleanup(move || {
        if !dom::focus_is_free_or_on(dom::COMPOSER) {
            return;
        }
        leptos::task::spawn_local(async move {
            leptos::task::tick().await;
            if ui.shown.try_get_untracked().is_some() {
                dom::focus_composer();
            }
        });
    });
}

fn head(asking: &Asking) -> El {
    let (ui, asked) = (asking.ui, Arc::clone(&asking.question));
    let title = move || match &asked.about {
        About::Choice { .. } => ui.words().question.to_owned(),
        _ => ui.words().asked_in_short(&asked),
    };
    let count = move || match ui.questions().len() {
        0 | 1 => String::new(),
        of => ui.words().one_of(1, of),
    };
    let id = asking.model.id.clone();
    let is_of_agent = move || ui.current.with(|current| current.as_deref() != Some(&*id));
    let meta = el("p")
        .class("question__meta")
        .when(is_of_agent, move || {
            span("question__of").say(ui, |words| words.of_sub_agent)
        })
        .child(span("").test_id("question-count").live(count));
    let titles = div("question__titles")
        .child(el("h2").class("question__title").live(title))
        .child(meta);
    div("question__head")
        .child(icon(Icon::Question))
        .child(titles)
        .child(stop_button(ui))
}

/// A field for a word to the model, which goes with a refusal.
fn word_field(test_id: &str, label: impl Fn() -> &'static str + Copy + 'static) -> El {
    el("input")
        .class("field__input question__word")
        .attr("type", "text")
        .test_id(test_id)
        .bind("aria-label", label)
        .bind("placeholder", label)
}

/// A button's key, for those who see it.
fn key_cap(key: &str) -> El {
    el("kbd").class("key").attr("aria-hidden", "true").text(key)
}
