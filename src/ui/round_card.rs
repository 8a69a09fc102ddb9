//! A round: what was thought, said and done. Folded, only its calls are left, a
//! line each; many calls fold to one line together.

use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;

use super::controller::changes::Asking;
use super::controller::rows::RoundModel;
use super::element::{El, button, div, el, span};
use super::icon::{Icon, icon, live_icon};
use super::markdown::parse::Ending;
use super::progress::progress;
use super::prose::prose;
use super::rows::Place;
use super::signal::RwSignal;
use super::state::calls::{Act, CallLine, act_of};
use super::state::transcript::{CallState, CallView, RoundView, Stage};
use super::tool_card::{icon_of, tool_card};
use super::undo::{is_asked, undo_button, undo_panel};
use super::words::Words;

/// More calls than this fold to one line.
const MANY_CALLS: usize = 3;

/// A round and how it is shown.
#[derive(Clone)]
struct Card {
    place: Place,
    model: RoundModel,
    /// Whether the user wants it unfolded, once that was said.
    chosen: RwSignal<Option<bool>>,
}

impl Card {
    fn words(&self) -> &'static Words {
        self.place.ui.words()
    }

    fn with<T>(&self, part: impl FnOnce(&RoundView) -> T) -> T {
        self.model.round.with(part)
    }

    fn name(&self) -> String {
        self.words().round(self.with(|round| round.number))
    }

    /// Unfolded as long as it is at work, unless the user wants it otherwise.
    fn is_unfolded(&self) -> bool {
        let is_at_work = || self.with(RoundView::is_open);
        self.chosen.get().unwrap_or_else(is_at_work)
    }

    fn is_answer(&self) -> bool {
        self.with(RoundView::is_answer)
    }

    fn is_many(&self) -> bool {
        self.with(|round| round.calls.len()) > MANY_CALLS
    }

    fn has_text(&self) -> bool {
        self.with(|round| !round.text.trim().is_empty())
    }

    fn has_reasoning(&self) -> bool {
        self.with(|round| !round.reasoning.trim().is_empty())
    }

    /// Whether folding would hide anything.
    fn can_fold(&self) -> bool {
        !self.is_answer() && (self.is_many() || self.has_text() || self.has_reasoning())
    }

    fn shows_text(&self) -> bool {
        let is_there = self.has_text() || self.with(|round| round.stage == Stage::Incomplete);
        is_there && (self.is_answer() || self.is_unfolded())
    }

    fn shows_reasoning(&self) -> bool {
        self.has_reasoning() && (self.is_answer() || self.is_unfolded())
    }

    fn remark(&self) -> Option<String> {
        self.with(|round| Some(self.words().remark(round.remark.as_ref()?)))
    }

    /// Rounds of the shown session that are saved can be undone, while none goes on.
    fn can_undo(&self) -> bool {
        let ui = self.place.ui;
        let is_shown = ui
            .current
            .with(|current| current.as_deref() == Some(&*self.place.model.id));
        is_shown && self.with(|round| round.seq.is_some()) && ui.can_go_back()
    }

    fn turn(&self) {
        self.place.follow.hold();
        let is_unfolded = untrack(|| self.is_unfolded());
        self.chosen.set(Some(!is_unfolded));
    }
}

/// One round of the conversation.
pub fn round_card(place: &Place, model: RoundModel) -> El {
    let card = Card {
        place: place.clone(),
        model,
        chosen: RwSignal::new(None),
    };
    let [number, name, text, thought, many, hides, streams, said] =
        std::array::from_fn(|_| card.clone());
    let [odd, of_remark, of_seq] = std::array::from_fn(|_| card.clone());
    let (of_text, of_thought, of_many, of_progress) =
        (card.clone(), card.clone(), card.clone(), card.clone());
    let body = div("round__body")
        .when(
            move || thought.shows_reasoning(),
            move || reasoning(&of_thought),
        )
        .when(move || text.shows_text(), move || message(&of_text))
        .when(move || odd.remark().is_some(), move || remark(&of_remark))
        .when(move || many.is_many(), move || many_calls(&of_many))
        .child(calls(&card).class_if("round__calls--hidden", move || {
            hides.is_many() && !hides.is_unfolded()
        }))
        .when(
            move || streams.with(|round| round.stage == Stage::Streaming),
            move || progress(of_progress.place.ui, &of_progress.model),
        );
    div("")
        .attr("role", "group")
        .class("round")
        .class_if("round--said", move || said.shows_text())
        .test_id("round-card")
        .bind("data-seq", move || {
            of_seq.with(|round| round.seq.map(|seq| seq.to_string()))
        })
        .bind("data-round", move || {
            number.with(|round| round.number).to_string()
        })
        .bind("aria-label", move || name.name())
        .child(toggle(&card))
        .child(body)
        .child(undo(&card))
}

/// The button that undoes from this round on, and under the round what it asks.
fn undo(card: &Card) -> El {
    let ui = card.place.ui;
    let (there, asking, asked) = (card.clone(), card.clone(), card.clone());
    let seq = |card: &Card| card.with(|round| round.seq);
    let asks = move || {
        Some(Asking {
            session: asking.place.model.session(),
            seq: seq(&asking)?,
            task: None,
        })
    };
    let button = {
        let asks = Rc::new(asks);
        move || {
            let asks = Rc::clone(&asks);
            undo_button(
                ui,
                "button button--icon button--small round__undo",
                move || asks(),
            )
            .named(ui, |words| words.undo_round())
        }
    };
    div("round__back")
        .when(move || there.can_undo(), button)
        .when_loaded(
            ui,
            move || is_asked(ui, &asked.place.model.id, seq(&asked)),
            move || undo_panel(ui),
        )
}

/// The round's number, which folds and unfolds it.
fn toggle(card: &Card) -> El {
    let number = |card: &Card| {
        let card = card.clone();
        span("round__number")
            .attr("aria-hidden", "true")
            .live(move || card.with(|round| round.number).to_string())
    };
    let (can, cannot, of_number, of_toggle) =
        (card.clone(), card.clone(), card.clone(), card.clone());
    let draw = move || {
        let (label, expanded, press) = (of_toggle.clone(), of_toggle.clone(), of_toggle.clone());
        let label = move || {
            let words = label.words();
            let does = if label.is_unfolded() {
                words.round_hide
            } else {
                words.round_show
            };
            format!("{}: {does}", label.name())
        };
        button("round__toggle")
            .test_id("round-toggle")
            .bind("aria-expanded", move || expanded.is_unfolded())
            .bind("aria-label", label.clone())
            .bind("title", label)
            .child(number(&of_toggle))
            .child(icon(Icon::ChevronRight))
            .press(move || press.turn())
    };
    div("round__gutter")
        .when(move || can.can_fold(), draw)
        .when(move || !cannot.can_fold(), move || number(&of_number))
}

fn reasoning(card: &Card) -> El {
    let (ui, round) = (card.place.ui, card.model.round.clone());
    let head = el("summary")
        .class("thought__head")
        .child(icon(Icon::Brain))
        .child(el("span").say(ui, |words| words.thought));
    let text = div("thought__text").live(move || round.with(|round| round.reasoning.clone()));
    el("details").class("thought").child(head).child(text)
}

fn message(card: &Card) -> El {
    let (ui, text, stage) = (card.place.ui, card.clone(), card.clone());
    div("round__text")
        .test_id("message-assistant")
        .child(prose(ui, move || text.with(text_of)))
        .when(
            move || stage.with(|round| round.stage == Stage::Incomplete),
            move || warning(el("span").say(ui, |words| words.incomplete)),
        )
}

/// What the model said, and whether it goes on.
fn text_of(round: &RoundView) -> (String, Ending) {
    let ending = match round.stage {
        Stage::Streaming => Ending::Open,
        _ => Ending::Whole,
    };
    (round.text.clone(), ending)
}

/// What is odd about the message.
fn remark(card: &Card) -> El {
    let card = card.clone();
    warning(el("span").live(move || card.remark().unwrap_or_default()))
}

fn warning(told: El) -> El {
    el("p")
        .class("round__warning")
        .child(icon(Icon::Warning))
        .child(told)
}

/// The one line that many calls fold to.
fn many_calls(card: &Card) -> El {
    let failed = |round: &RoundView| {
        round
            .calls
            .iter()
            .filter(|call| call.state == CallState::Error)
            .count()
    };
    let [shape, expanded, text, took, press] = std::array::from_fn(|_| card.clone());
    let which = move || {
        shape.with(
            |round| match (round.is_open(), failed(round), alike(round)) {
                (true, ..) => Icon::Spinner,
                (_, 0, Some((act, _))) => icon_of(act, CallState::Ok),
                (_, 0, None) => Icon::Wrench,
                _ => Icon::Failed,
            },
        )
    };
    button("call__line")
        .bind("aria-expanded", move || expanded.is_unfolded())
        .child(live_icon(which))
        .child(span("call__verb").live(move || {
            text.with(|round| match alike(round) {
                Some((act, files)) => text.words().files_done(act, files),
                None => text.words().tool_calls(round.calls.len(), failed(round)),
            })
        }))
        .child(span("call__facts").live(move || {
            took.words()
                .took(took.with(|round| round.calls.iter().map(|call| call.took_ms).sum()))
        }))
        .child(span("call__chevron").child(icon(Icon::ChevronRight)))
        .press(move || press.turn())
}

/// What all calls of a round did, each to one file, and to how many; none where they did
/// different things, or not all have done it.
fn alike(round: &RoundView) -> Option<(Act, usize)> {
    let act = act_of(&round.calls.first()?.name);
    let is_done = |call: &Arc<CallView>| call.state == CallState::Ok && act_of(&call.name) == act;
    let of_files = matches!(act, Act::Read | Act::Write | Act::Append | Act::Edit);
    if !of_files || !round.calls.iter().all(is_done) {
        return None;
    }
    let objects = round.calls.iter().map(|call| CallLine::of(call).object);
    let mut files: Vec<String> = objects.collect();
    files.sort_unstable();
    files.dedup();
    Some((act, files.len()))
}

fn calls(card: &Card) -> El {
    let (place, calls) = (card.place.clone(), card.model.calls.clone());
    let items = move || calls.with(|calls| (0..).zip(calls.iter().cloned()).collect());
    div("round__calls").each(items, move |call| tool_card(&place, call))
}
