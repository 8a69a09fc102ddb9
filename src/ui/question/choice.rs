//! A question of the model: answers to choose from, and a field for any other.

use super::{Asking, Card};
use crate::kernel::event::Reply;
use crate::ui::composer::is_send;
use crate::ui::element::{El, div, el};

/// The card of a question.
pub fn card(asking: &Asking, question: &str, options: &[String]) -> Card {
    let text = el("p")
        .class("question__text")
        .test_id("question-asked")
        .text(question);
    let answers = options.iter().map(|option| {
        let reply = option.clone();
        let choose = asking
            .button(
                "suggestion question__option",
                "question-option",
                move || Reply::Text(reply.clone()),
            )
            .text(option);
        el("li").child(choose)
    });
    let list = (!options.is_empty()).then(|| el("ul").class("question__options").children(answers));
    let body = div("question__body")
        .attr("tabindex", "0")
        .child(text)
        .children(list);
    let field = field(asking, !options.is_empty());
    Card {
        test_id: "question-card",
        body,
        foot: foot(asking, &field),
        keys: &[],
        // With options, the way to all of them begins at the card.
        focus: options.is_empty().then_some(field),
    }
}

fn field(asking: &Asking, has_options: bool) -> El {
    let ui = asking.ui;
    let label = move || match has_options {
        true => ui.words().own_answer,
        false => ui.words().your_answer,
    };
    let field = el("textarea")
        .class("field__input question__field")
        .attr("rows", "1")
        .test_id("question-text")
        .bind("aria-label", label)
        .bind("placeholder", label);
    let (typed, asks) = (field.clone(), asking.clone());
    field.key(move |event| {
        if is_send(event) {
            event.prevent_default();
            send(&asks, &typed);
        }
    })
}

fn foot(asking: &Asking, field: &El) -> El {
    let (ui, asks, typed) = (asking.ui, asking.clone(), field.clone());
    let can = asking.clone();
    let answer = crate::ui::element::button("button button--main")
        .test_id("question-send")
        .flag("disabled", move || !can.can_answer())
        .say(ui, |words| words.answer)
        .press(move || send(&asks, &typed));
    let row = div("question__refuse").child(field.clone()).child(answer);
    div("question__foot").child(row)
}

/// An empty answer is none.
fn send(asking: &Asking, field: &El) {
    let text = field.value().trim().to_owned();
    match text.is_empty() {
        true => field.focus(),
        false => asking.answer(Reply::Text(text)),
    }
}
