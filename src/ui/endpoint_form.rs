//! The three fields of an endpoint. The key goes from its input straight into
//! the command: it stands in no signal and no attribute.

use leptos::html::Input;
use leptos::prelude::*;

use super::erase::live;

use super::controller::use_controller;
use super::dom;
use super::icon::{Icon, IconView};
use super::preferences::use_words;
use crate::kernel::settings::{BaseUrl, Endpoint, ModelChoice, Problem};
use crate::protocol::{Command, Field};

/// The form; filled with the endpoint in use, if any.
#[component]
pub fn EndpointForm() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let (address, key, model) = (NodeRef::<Input>::new(), NodeRef::new(), NodeRef::new());
    let in_use = untrack(|| {
        ui.settings
            .with(|settings| endpoint_of(settings.as_ref()?.model.as_ref()))
    });
    let has_key = untrack(|| {
        ui.settings
            .with(|settings| settings.as_ref().is_some_and(|settings| settings.has_key))
    });
    let host = in_use
        .as_ref()
        .map(|endpoint| endpoint.base_url.host().to_owned());
    let (old_address, old_model) = match in_use {
        Some(endpoint) => (endpoint.base_url.as_str().to_owned(), endpoint.model),
        None => Default::default(),
    };
    // A key is for one host: it is not sent to another because a field was left empty.
    let kept_host = host.filter(|_| has_key);
    let typed = RwSignal::new(old_address.clone());
    let keeps_key = Memo::new(move |_| match (&kept_host, BaseUrl::parse(&typed.get())) {
        (Some(kept), Ok(url)) if *kept == url.host() => KeyField::Kept,
        (Some(_), Ok(_)) => KeyField::OtherHost,
        (Some(_), Err(_)) => KeyField::Kept,
        (None, _) => KeyField::None,
    });
    let key_hint = move || match keeps_key.get() {
        KeyField::Kept => t().api_key_kept,
        KeyField::OtherHost => t().api_key_other_host,
        KeyField::None => t().api_key_hint,
    };
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let value = |input: NodeRef<Input>| {
            input
                .get_untracked()
                .map(|input| input.value())
                .unwrap_or_default()
        };
        let given: String = value(key);
        let key = match (given.is_empty(), keeps_key.get_untracked()) {
            (true, KeyField::Kept) => None,
            _ => Some(given),
        };
        ui.save(Command::SaveEndpoint {
            base_url: value(address),
            key,
            model: value(model),
        });
    };
    Effect::new(move || {
        let first = ui
            .refused
            .with(|problems| problems.first().map(|(field, _)| *field));
        if let Some(id) = first.and_then(input_id) {
            dom::focus(&format!("#{id}"));
        }
    });
    // What was saved is of no use in the page any more.
    Effect::new(move || {
        ui.settings.track();
        if let Some(input) = key.get_untracked() {
            input.set_value("");
        }
    });
    view! {
        <form class="form" novalidate on:submit=submit>
            <TextField
                field=Field::BaseUrl kind="url" value=old_address node=address
                on_input=Callback::new(move |text| typed.set(text))
                label=t().base_url hint=t().base_url_hint
                example="https://api.example.com/v1"
            />
            <TextField
                field=Field::Key kind="password" value=String::new() node=key
                on_input=Callback::new(|_| ())
                label=t().api_key hint=live(key_hint) example="sk-…"
            />
            <TextField
                field=Field::Model kind="text" value=old_model node=model
                on_input=Callback::new(|_| ())
                label=t().model hint=t().model_hint example="gpt-4.1-mini"
            />
            <button
                type="submit"
                class="button button--main form__save"
                data-testid="setup-save"
                disabled=live(move || !ui.can_work())
            >
                {t().setup_save}
            </button>
        </form>
    }
}

/// What becomes of the key when its field is left empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyField {
    /// The one there is stays in use.
    Kept,
    /// There is one, but for another host.
    OtherHost,
    /// There is none.
    None,
}

fn endpoint_of(model: Option<&ModelChoice>) -> Option<Endpoint> {
    match model {
        Some(ModelChoice::Endpoint(endpoint)) => Some(endpoint.clone()),
        _ => None,
    }
}

fn input_id(field: Field) -> Option<&'static str> {
    match field {
        Field::BaseUrl => Some("setup-base-url"),
        Field::Key => Some("setup-api-key"),
        Field::Model => Some("setup-model"),
        Field::RoundLimit => None,
    }
}

#[component]
fn TextField(
    field: Field,
    kind: &'static str,
    value: String,
    example: &'static str,
    node: NodeRef<Input>,
    on_input: Callback<String>,
    label: &'static str,
    #[prop(into)] hint: Signal<&'static str>,
) -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let id = input_id(field).unwrap_or_default();
    let (hint_id, error_id) = (format!("{id}-hint"), format!("{id}-error"));
    let problem = Memo::new(move |_| {
        let is_here = |(of, _): &&(Field, Problem)| *of == field;
        ui.refused
            .with(|all| all.iter().find(is_here).map(|(_, problem)| problem.clone()))
    });
    let described = {
        let (hint_id, error_id) = (hint_id.clone(), error_id.clone());
        move || match problem.get() {
            Some(_) => format!("{error_id} {hint_id}"),
            None => hint_id.clone(),
        }
    };
    view! {
        <div class="field">
            <label class="field__label" for=id>
                {label}
                {(field == Field::Key).then(|| view! { <span class="field__optional">{t().optional}</span> })}
            </label>
            <input
                class="field__input"
                id=id
                data-testid=id
                type=kind
                value=value
                placeholder=example
                autocomplete="off"
                autocapitalize="none"
                spellcheck="false"
                node_ref=node
                aria-invalid=live(move || problem.get().map(|_| "true"))
                aria-describedby=described
                on:input:target=move |event| {
                    // The key is nobody's but the form's.
                    if field != Field::Key {
                        on_input.run(event.target().value());
                    }
                }
            />
            <p class="field__hint" id=hint_id>{hint}</p>
            <FieldError field problem id=error_id node on_input />
        </div>
    }
}

/// What is wrong with a field, and the offer to mend it.
#[component]
fn FieldError(
    field: Field,
    problem: Memo<Option<Problem>>,
    id: String,
    node: NodeRef<Input>,
    on_input: Callback<String>,
) -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let suggestion = move || match problem.get() {
        Some(Problem::SchemeMissing { suggestion }) => Some(suggestion),
        _ => None,
    };
    let take = move |text: String| {
        if let Some(input) = node.get_untracked() {
            input.set_value(&text);
            drop(input.focus());
        }
        on_input.run(text);
        ui.refused.set(Vec::new());
    };
    move || {
        let problem = problem.get()?;
        let offer = suggestion().map(|text| {
            let shown = text.clone();
            view! {
                <span class="field__offer">
                    <code>{shown}</code>
                    <button type="button" class="button button--small" on:click=move |_| take(text.clone())>
                        {t().use_this}
                    </button>
                </span>
            }
        });
        let id = id.clone();
        Some(view! {
            <div class="field__error" id=id.clone() data-testid=id>
                <IconView icon=Icon::Warning />
                <span>{live(move || t().problem(field, &problem))}</span>
                {offer}
            </div>
        })
    }
}
