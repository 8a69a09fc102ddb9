//! What is told while nobody looks: the tab's title and icon show how the runs stand, and
//! who wishes it is notified when one ends or waits. Nobody is asked at the start: the
//! question comes when somebody is back who left a run behind.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Function, Object, Promise, Reflect};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::controller::Controller;
use super::dom;
use super::element::{El, button, div, el, follow};
use super::icon::{Icon, icon};
use super::say::Word;
use super::signal::RwSignal;

/// What the user said about notifications.
const NOTIFY: &str = "tabloop.notify";
const YES: &str = "yes";
const NO: &str = "no";
/// The page's name, and what stands in the tab of others.
const NAME: &str = "Tabloop";
/// Characters of a session's title in the tab's.
const TITLE: usize = 60;
const ICON: &str = include_str!("../../style/icon.svg");

#[wasm_bindgen]
extern "C" {
    /// <https://notifications.spec.whatwg.org>
    #[wasm_bindgen(extends = js_sys::Object)]
    #[derive(Clone)]
    type Notification;
    #[wasm_bindgen(constructor, catch)]
    fn new(title: &str, options: &Object) -> Result<Notification, JsValue>;
    #[wasm_bindgen(method, setter)]
    fn set_onclick(this: &Notification, handler: &Function);
    #[wasm_bindgen(method)]
    fn close(this: &Notification);
}

/// How the runs stand, as far as a glance tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Nothing goes on.
    Idle,
    /// A run goes on.
    Working,
    /// A run waits for an answer.
    Waiting,
    /// A run ended, and nobody has looked since.
    Ended,
}

/// Follows the runs; gives the question whether to be notified, where that is to be asked.
#[inline(never)]
pub fn presence(ui: Controller) -> El {
    let hidden = RwSignal::new(dom::is_hidden());
    let asks = RwSignal::new(false);
    let unseen = RwSignal::new(None::<String>);
    let left_run = Rc::new(Cell::new(false));
    let handle = window_event_listener_untyped("visibilitychange", move |_| {
        let is_hidden = dom::is_hidden();
        hidden.set(is_hidden);
        if is_hidden {
            left_run.set(untrack(|| at_work(ui).is_some()));
            return;
        }
        unseen.set(None);
        if left_run.replace(false) && is_unasked() {
            asks.set(true);
        }
    });
    on_cleanup(move || handle.remove());
    watch(ui, hidden, unseen);
    div("presence").when(move || asks.get(), move || question(ui, asks))
}

/// The session at work, and whether it waits for an answer; one that waits comes first.
fn at_work(ui: Controller) -> Option<(String, Standing)> {
    let open: Vec<String> = ui.sessions.with(|sessions| {
        let open = sessions.iter().filter(|session| session.running);
        open.map(|session| session.id.clone()).collect()
    });
    let waits = open.iter().find(|id| ui.asks(id)).cloned();
    match waits {
        Some(id) => Some((id, Standing::Waiting)),
        None => open.into_iter().next().map(|id| (id, Standing::Working)),
    }
}

/// Keeps title and icon at how things stand, and notifies.
fn watch(ui: Controller, hidden: RwSignal<bool>, unseen: RwSignal<Option<String>>) {
    let before = RefCell::new(None::<(String, Standing)>);
    follow(Box::new(move || {
        let now = at_work(ui);
        let before = before.replace(now.clone());
        if !hidden.get() {
            return;
        }
        let has_ended = |id: &String| {
            ui.sessions.with(|sessions| {
                let mut sessions = sessions.iter();
                sessions.any(|session| session.id == *id && !session.running)
            })
        };
        match (before, now) {
            (before, Some((id, Standing::Waiting)))
                if before.as_ref() != Some(&(id.clone(), Standing::Waiting)) =>
            {
                notify(ui, &id, |words| words.tab_waits());
            }
            (Some((id, _)), now)
                if now.as_ref().is_none_or(|now| now.0 != id) && has_ended(&id) =>
            {
                notify(ui, &id, |words| words.tab_ended());
                unseen.set(Some(id));
            }
            _ => {}
        }
    }));
    follow(Box::new(move || {
        let (id, standing) = match (at_work(ui), unseen.get()) {
            (Some((id, standing)), _) => (id, standing),
            (None, Some(id)) => (id, Standing::Ended),
            (None, None) => (String::new(), Standing::Idle),
        };
        let words = ui.words();
        let told = match standing {
            Standing::Idle => return show(NAME, standing),
            Standing::Working => words.tab_working(),
            Standing::Waiting => words.tab_waits(),
            Standing::Ended => words.tab_ended(),
        };
        show(&format!("{told}: {} – {NAME}", title_of(ui, &id)), standing);
    }));
}

fn title_of(ui: Controller, id: &str) -> String {
    let title = ui.sessions.with(|sessions| {
        let session = sessions.iter().find(|session| session.id == id)?;
        Some(session.title.chars().take(TITLE).collect::<String>())
    });
    title
        .filter(|title| !title.is_empty())
        .unwrap_or_else(|| ui.words().session_untitled.to_owned())
}

/// Sets the tab's title and icon.
fn show(title: &str, standing: Standing) {
    document().set_title(title);
    let Ok(Some(link)) = document().query_selector("link[rel=icon]") else {
        return;
    };
    let own = "data-own";
    if !link.has_attribute(own) {
        let href = link.get_attribute("href").unwrap_or_default();
        let _ = link.set_attribute(own, &href);
    }
    let address = match standing {
        Standing::Idle => link.get_attribute(own).unwrap_or_default(),
        Standing::Working => marked("#8fa2ff"),
        Standing::Waiting => marked("#ffb020"),
        Standing::Ended => marked("#2fc46f"),
    };
    if link.get_attribute("href").as_ref() != Some(&address) {
        let _ = link.set_attribute("href", &address);
    }
    dom::set_root(
        "data-standing",
        match standing {
            Standing::Idle => None,
            Standing::Working => Some("working"),
            Standing::Waiting => Some("waiting"),
            Standing::Ended => Some("ended"),
        },
    );
}

/// The page's icon with a mark in its corner.
fn marked(colour: &str) -> String {
    let mark = format!(
        "<circle cx='25' cy='25' r='7' fill='{colour}' stroke='#fff' stroke-width='2'/></svg>"
    );
    let icon = ICON.trim().replace("</svg>", &mark);
    format!("data:image/svg+xml,{}", js_sys::encode_uri_component(&icon))
}

// --- Notifications -------------------------------------------------------------------

/// Whether the browser has notifications, and the user has said nothing of them.
fn is_unasked() -> bool {
    dom::kept(NOTIFY).is_none() && permission().as_deref() == Some("default")
}

/// What the browser says of them; `None`: it has none.
fn permission() -> Option<String> {
    let class = Reflect::get(&window(), &"Notification".into()).ok()?;
    Reflect::get(&class, &"permission".into()).ok()?.as_string()
}

/// Whether the user wants them, and the browser lets them through.
pub fn are_wanted() -> bool {
    dom::kept(NOTIFY).as_deref() == Some(YES) && permission().as_deref() == Some("granted")
}

/// Has the browser ask for leave, in a press; tells whether it was given.
pub async fn want() -> bool {
    let is_granted = ask().await.is_ok_and(|answer| answer == "granted");
    dom::keep(NOTIFY, Some(if is_granted { YES } else { NO }));
    is_granted
}

/// No more of them.
pub fn refuse() {
    dom::keep(NOTIFY, Some(NO));
}

async fn ask() -> Result<String, JsValue> {
    let class = Reflect::get(&window(), &"Notification".into())?;
    let ask: Function = Reflect::get(&class, &"requestPermission".into())?.dyn_into()?;
    let asked: Promise = ask.call0(&class)?.dyn_into()?;
    let answer = JsFuture::from(asked).await?;
    Ok(answer.as_string().unwrap_or_default())
}

/// Tells what became of a session; a press on it leads there.
fn notify(ui: Controller, id: &str, what: Word) {
    if !are_wanted() {
        return;
    }
    let options = Object::new();
    let body = title_of(ui, id);
    for (name, value) in [("body", body.as_str()), ("tag", id)] {
        // A plain object takes anything.
        let _ = Reflect::set(&options, &name.into(), &value.into());
    }
    let Ok(shown) = Notification::new(what(ui.words()), &options) else {
        return;
    };
    let (id, of_press) = (id.to_owned(), shown.clone());
    let press = Closure::<dyn Fn()>::wrap(Box::new(move || {
        let _ = window().focus();
        ui.open_session(id.clone());
        of_press.close();
    }));
    shown.set_onclick(press.into_js_value().unchecked_ref());
}

/// Whether to be notified.
fn question(ui: Controller, asks: RwSignal<bool>) -> El {
    let yes = button("button button--small")
        .test_id("notify-yes")
        .say(ui, |words| words.notify_yes())
        .press(move || {
            asks.set(false);
            leptos::task::spawn_local(async {
                want().await;
            });
        });
    let no = button("button button--quiet button--small")
        .test_id("notify-no")
        .say(ui, |words| words.notify_no())
        .press(move || {
            asks.set(false);
            refuse();
        });
    div("toast presence__ask")
        .attr("role", "status")
        .test_id("notify-ask")
        .child(icon(Icon::Info))
        .child(
            div("toast__text")
                .child(el("p").say(ui, |words| words.notify_ask()))
                .child(div("end__steps").child(yes).child(no)),
        )
}
