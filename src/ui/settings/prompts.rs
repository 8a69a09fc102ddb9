//! Prompts to be used again: their names and texts, saved with the other forms.

use crate::kernel::settings::Prompt;
use crate::protocol::Command;
use crate::ui::controller::Controller;
use crate::ui::dom;
use crate::ui::element::{El, button, div, el};
use crate::ui::icon::{Icon, icon};
use crate::ui::signal::RwSignal;

const ADD: &str = "prompt-add";
/// Characters of a text that name a prompt without a name.
const NAME: usize = 40;

/// The prompts with the numbers that tell them apart.
#[derive(Clone)]
pub(super) struct PromptForm {
    ui: Controller,
    prompts: RwSignal<Vec<(u64, Prompt)>>,
}

fn in_use(ui: Controller) -> Vec<Prompt> {
    ui.settings.with_untracked(|settings| {
        let settings = settings.as_ref();
        settings.map_or_else(Vec::new, |settings| settings.kept.prompts.clone())
    })
}

impl PromptForm {
    pub(super) fn new(ui: Controller) -> Self {
        let prompts = RwSignal::new((0..).zip(in_use(ui)).collect());
        Self { ui, prompts }
    }

    pub(super) fn view(&self) -> El {
        let (ui, prompts) = (self.ui, self.prompts);
        let add = button("button button--small rules__add")
            .attr("id", ADD)
            .test_id(ADD)
            .child(icon(Icon::Plus))
            .child(el("span").say(ui, |words| words.prompt_add()))
            .press(move || {
                let id = prompts.try_update(|all| {
                    let id = all.iter().map(|(id, _)| id + 1).max().unwrap_or(0);
                    all.push((id, Prompt::default()));
                    id
                });
                dom::focus_later(format!("#prompt-{} input", id.unwrap_or(0)));
            });
        let items =
            move || prompts.with(|all| all.iter().map(|each| (each.0, each.clone())).collect());
        div("rules")
            .child(el("p").class("muted").say(ui, |words| words.prompts_hint()))
            .when(
                move || prompts.with(Vec::is_empty),
                move || el("p").class("muted").say(ui, |words| words.prompts_none()),
            )
            .child(
                div("")
                    .class("rules__list")
                    .each(items, move |each| row(ui, prompts, each)),
            )
            .child(add)
    }

    /// What saves them; nothing if they are as they were.
    pub(super) fn command(&self) -> Option<Command> {
        let prompts = self.prompts.get_untracked();
        let prompts: Vec<Prompt> = prompts
            .into_iter()
            .filter_map(|(_, prompt)| kept(prompt))
            .collect();
        (prompts != in_use(self.ui)).then_some(Command::SavePrompts(prompts))
    }
}

/// As it is kept: one without a text is none, one without a name is named by its text.
fn kept(prompt: Prompt) -> Option<Prompt> {
    let text = prompt.text.trim();
    let name = match prompt.name.trim() {
        "" => text.lines().next().unwrap_or_default(),
        name => name,
    };
    (!text.is_empty()).then(|| Prompt {
        name: name
            .chars()
            .take(NAME.max(prompt.name.chars().count()))
            .collect(),
        text: text.to_owned(),
    })
}

fn row(ui: Controller, prompts: RwSignal<Vec<(u64, Prompt)>>, (id, prompt): (u64, Prompt)) -> El {
    let place = move || prompts.with(|all| all.iter().position(|(of, _)| *of == id));
    let change = move |change: &dyn Fn(&mut Prompt)| {
        prompts.update(|all| {
            if let Some((_, prompt)) = all.iter_mut().find(|(of, _)| *of == id) {
                change(prompt);
            }
        });
    };
    let name = el("input")
        .class("field__input")
        .test_id("prompt-name")
        .attr("type", "text")
        .attr("autocomplete", "off")
        .attr("maxlength", "80")
        .say_as("aria-label", ui, |words| words.prompt_name())
        .say_as("placeholder", ui, |words| words.prompt_name());
    name.set_value(&prompt.name);
    let text = el("textarea")
        .class("field__input")
        .test_id("prompt-text")
        .attr("rows", "3")
        .say_as("aria-label", ui, |words| words.prompt_text())
        .say_as("placeholder", ui, |words| words.prompt_text());
    text.set_value(&prompt.text);
    let (of_name, of_text) = (name.clone(), text.clone());
    let remove = button("button button--icon button--small")
        .test_id("prompt-remove")
        .named(ui, |words| words.prompt_remove())
        .child(icon(Icon::Trash))
        .press(move || {
            prompts.update(|all| all.retain(|(of, _)| *of != id));
            dom::focus(&format!("#{ADD}"));
        });
    let head = div("prompt__head")
        .child(name.on("input", move |_| {
            change(&|prompt| prompt.name = of_name.value())
        }))
        .child(remove);
    div("")
        .class("prompt")
        .test_id("prompt-row")
        .attr("id", &format!("prompt-{id}"))
        .attr("role", "group")
        .bind("aria-label", move || {
            ui.words().numbered_prompt(place().unwrap_or(0) + 1)
        })
        .child(head)
        .child(text.on("input", move |_| {
            change(&|prompt| prompt.text = of_text.value())
        }))
}
