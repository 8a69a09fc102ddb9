//! What a sub-agent does: in one line while it works, and its rounds inside the
//! card of the call it works for.

use super::controller::Controller;
use super::controller::rows::{Row, RowContent};
use super::controller::session::SessionModel;
use super::element::{El, div, el, span};
use super::progress::doing;
use super::rows::{Place, row_view};
use super::state::calls::CallLine;
use super::state::transcript::{CallState, RoundView, Stage};
use super::tool_card::Call;
use crate::kernel::session::Parent;

/// The session that works for `call`, once there is one.
fn agent(place: &Place, call: &Call) -> impl Fn() -> Option<String> + Clone + 'static {
    let ui = place.ui;
    let parent = call.with_untracked(|call| Parent {
        session: place.model.session(),
        call_id: call.id.clone(),
        seq: call.seq,
    });
    move || ui.agent_of(&parent)
}

/// What it is doing, as long as it works.
pub fn sub_agent_line(place: &Place, call: &Call) -> El {
    let (ui, call, agent) = (place.ui, call.clone(), agent(place, call));
    let is_working = move || call.with(|call| call.state) == CallState::Running;
    div("agent__place").when(is_working, move || {
        let agent = agent.clone();
        el("p").class("agent__doing").test_id("agent-doing").child(
            span("")
                .live(move || agent().map_or_else(String::new, |id| now_doing(ui, &ui.model(&id)))),
        )
    })
}

fn now_doing(ui: Controller, model: &SessionModel) -> String {
    let words = ui.words();
    if !model.questions.with(Vec::is_empty) {
        return words.asking.to_owned();
    }
    if let Some(busy) = model.busy.get() {
        return words.busy(busy).to_owned();
    }
    let last = model.rows.with(|rows| {
        let mut rows = rows.iter().rev();
        rows.find_map(|row| match &row.content {
            RowContent::Round(round) => Some(round.round.clone()),
            _ => None,
        })
    });
    match last {
        Some(round) => round.with(|round| {
            let doing = at_work(ui, round);
            format!("{}: {doing}", words.round(round.number))
        }),
        None => words.thinking.to_owned(),
    }
}

fn at_work(ui: Controller, round: &RoundView) -> String {
    let words = ui.words();
    let open = round.calls.iter().find(|call| call.is_open());
    match open.or(round.calls.last()) {
        Some(call) if round.stage == Stage::Complete => {
            let line = CallLine::of(call);
            let verb = words.verb(line.act, line.state);
            format!("{verb} {}", words.object(&line))
        }
        _ => doing(words, round),
    }
}

/// Its rounds, as far as they are known; drawn when the card is unfolded.
pub fn sub_agent_rounds(place: &Place, call: &Call) -> El {
    let (place, agent) = (place.clone(), agent(place, call));
    let (which, ui) = (agent.clone(), place.ui);
    let draw = move |key| {
        let id = agent().filter(|_| key != 0)?;
        let place = Place {
            model: ui.loaded_model(&id),
            ..place.clone()
        };
        Some(rounds(&place))
    };
    div("agent__place").choose(
        move || which().map_or(0, |id| super::state::key_of(&id)),
        draw,
    )
}

fn rounds(place: &Place) -> El {
    let (ui, rows, of_row) = (place.ui, place.model.rows.clone(), place.clone());
    let items = move || {
        rows.with(|rows| {
            // What it was asked to do stands above.
            let is_shown = |row: &&Row| !matches!(row.content, RowContent::User(_));
            let shown = rows.iter().filter(is_shown);
            shown.map(|row| (row.key, row.clone())).collect()
        })
    };
    div("agent")
        .test_id("sub-agent")
        .child(div("call__title").child(el("span").say(ui, |words| words.sub_agent)))
        .child(div("agent__rows").each(items, move |row| row_view(&of_row, row)))
}
