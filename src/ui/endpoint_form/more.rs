//! What few need to set: all that is sent beside the conversation.

use crate::kernel::settings::{Delivery, Images, OptionField, RequestOptions};
use crate::protocol::Field;
use crate::ui::controller::Controller;
use crate::ui::element::{El, div, el, follow, span};
use crate::ui::field::{bare_field, bare_input, field, input, text_area};
use crate::ui::say::Word;
use crate::ui::state::header_lines;
use crate::ui::words::Words;

const EFFORT: &str = "option-effort";
const IMAGES: &str = "option-images";

/// Whether images are sent, by the names of the values.
const IMAGE_CHOICES: [(Images, &str, Word); 3] = [
    (Images::Auto, "auto", |words| words.images_auto()),
    (Images::Always, "always", |words| words.images_always()),
    (Images::Never, "never", |words| words.images_never()),
];

/// The texts of a field.
type Texts = fn(&Words) -> [&'static str; 2];

/// The fields that are checked, with an example; those of one line first.
const CHECKED: [(OptionField, &str, Texts); 6] = [
    (OptionField::Temperature, "", |words| {
        [words.temperature, words.temperature_hint]
    }),
    (OptionField::TopP, "", |words| {
        [words.top_p, words.top_p_hint]
    }),
    (OptionField::MaxTokens, "", |words| {
        [words.max_tokens, words.max_tokens_hint]
    }),
    (OptionField::KeyHeader, "Authorization", |words| {
        [words.key_header, words.key_header_hint]
    }),
    (OptionField::Headers, "X-Title: Tabloop", |words| {
        [words.headers, words.headers_hint]
    }),
    (OptionField::ExtraBody, "{\"seed\": 7}", |words| {
        [words.extra_body, words.extra_body_hint]
    }),
];
/// How many of them have one line.
const SINGLE: usize = 4;

/// The fields.
#[derive(Clone)]
pub(super) struct More {
    ui: Controller,
    /// In the order of [`CHECKED`].
    checked: [El; 6],
    effort: El,
    whole: El,
    text_calls: El,
    images: El,
    /// Begins unfolded: something is set.
    is_set: bool,
}

impl More {
    pub(super) fn new(ui: Controller, options: &RequestOptions) -> Self {
        let headers = header_lines::show(&options.headers);
        let values = [
            &options.temperature,
            &options.top_p,
            &options.max_tokens,
            &options.key_header,
            &headers,
            &options.extra_body,
        ];
        let checked = std::array::from_fn(|at| {
            let (which, example, _) = CHECKED[at];
            let input = match at < SINGLE {
                true => input(ui, Field::Option(which), "text", example),
                false => text_area(ui, Field::Option(which), example),
            };
            input.set_value(values[at]);
            input
        });
        let effort = bare_input(EFFORT, "text", "low, medium, high");
        effort.set_value(&options.effort);
        Self {
            ui,
            checked,
            effort,
            whole: tick("option-whole", options.delivery == Delivery::Whole),
            text_calls: tick("option-text-calls", options.text_calls),
            images: image_choice(ui, options.images),
            is_set: *options != RequestOptions::default(),
        }
    }

    pub(super) fn view(&self) -> El {
        let ui = self.ui;
        let of_checked = |(at, input): (usize, &El)| {
            let (which, _, texts) = CHECKED[at];
            let field = field(ui, Field::Option(which), input.clone(), move |words| {
                let [label, hint] = texts(words);
                [label, "", hint].map(Into::into)
            });
            match at < SINGLE {
                true => field,
                false => field.class("field field--wide"),
            }
        };
        let effort = bare_field(ui, EFFORT, self.effort.clone(), |words| {
            [words.effort, "", words.effort_hint].map(Into::into)
        });
        let images = bare_field(ui, IMAGES, self.images.clone(), |words| {
            [words.images_setting(), "", words.images_hint()].map(Into::into)
        });
        let fields = div("form__grid")
            .child(effort)
            .child(images)
            .children(self.checked.iter().enumerate().map(of_checked))
            .child(tick_view(ui, &self.whole, |words| words.whole_answers))
            .child(tick_view(ui, &self.text_calls, |words| words.text_calls));
        let details = el("details")
            .class("form__more")
            .child(
                el("summary")
                    .test_id("setup-more")
                    .say(ui, |words| words.more),
            )
            .child(fields);
        if self.is_set {
            return details.attr("open", "");
        }
        let folded = details.clone();
        follow(Box::new(move || {
            let is_inside = |(field, _): &(Field, _)| matches!(field, Field::Option(_));
            if ui.refused.with(|problems| problems.iter().any(is_inside)) {
                let _ = folded.node().set_attribute("open", "");
            }
        }));
        details
    }

    pub(super) fn options(&self) -> RequestOptions {
        let mut values = self
            .checked
            .iter()
            .map(|input| input.value().trim().to_owned());
        let mut next = || values.next().unwrap_or_default();
        RequestOptions {
            temperature: next(),
            top_p: next(),
            max_tokens: next(),
            key_header: next(),
            headers: header_lines::parse(&next()),
            extra_body: next(),
            effort: self.effort.value().trim().to_owned(),
            delivery: match self.whole.is_ticked() {
                true => Delivery::Whole,
                false => Delivery::Streamed,
            },
            text_calls: self.text_calls.is_ticked(),
            images: {
                let chosen = self.images.value();
                let mut known = IMAGE_CHOICES.iter();
                let known = known.find(|(_, name, _)| *name == chosen);
                known.map_or(Images::Auto, |(images, ..)| *images)
            },
        }
    }
}

/// A list of the choices.
fn image_choice(ui: Controller, chosen: Images) -> El {
    let option =
        |(_, name, word): (Images, &str, Word)| el("option").attr("value", name).say(ui, word);
    let list = el("select")
        .class("field__input")
        .attr("id", IMAGES)
        .test_id(IMAGES)
        .children(IMAGE_CHOICES.map(option));
    let mut known = IMAGE_CHOICES.iter();
    if let Some((_, name, _)) = known.find(|(images, ..)| *images == chosen) {
        list.set_value(name);
    }
    list
}

fn tick(id: &str, ticked: bool) -> El {
    let input = el("input")
        .attr("type", "checkbox")
        .attr("id", id)
        .test_id(id);
    input.tick(ticked);
    input
}

fn tick_view(ui: Controller, input: &El, text: Word) -> El {
    el("label")
        .class("form__tick field--wide")
        .child(input.clone())
        .child(span("").say(ui, text))
}
