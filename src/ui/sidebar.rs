//! The list of sessions, and under it who answers and the way to the settings.

use leptos::prelude::*;

use super::erase::{Each, Show, live, row};

use super::controller::{Controller, KernelState, Pane, use_controller};
use super::dom;
use super::icon::{Icon, IconView};
use super::preferences::use_words;
use super::state::days::{Day, day_of};
use crate::kernel::session::Session;
use crate::kernel::settings::ModelChoice;

/// The column on the left; a rail where there is less room.
#[component]
pub fn Sidebar() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let is_open = move || ui.pane.get() == Pane::Sessions;
    let toggle = move |_| {
        ui.pane.update(|pane| {
            *pane = if *pane == Pane::Sessions {
                Pane::Chat
            } else {
                Pane::Sessions
            }
        })
    };
    view! {
        <aside class="sidebar" aria-label=t().sessions>
            <div class="sidebar__head">
                <span class="sidebar__name">"Tabloop"</span>
                <button
                    type="button"
                    class="button button--icon sidebar__unfold"
                    aria-expanded=live(move || if is_open() { "true" } else { "false" })
                    title=live(move || if is_open() { t().sidebar_close } else { t().sidebar_open })
                    on:click=toggle
                >
                    <IconView icon=Icon::Sessions />
                    <span class="visually-hidden">
                        {live(move || if is_open() { t().sidebar_close } else { t().sidebar_open })}
                    </span>
                </button>
            </div>
            <button
                type="button"
                class="sidebar__new"
                data-testid="session-new"
                title=t().session_new
                on:click=move |_| ui.new_session()
            >
                <IconView icon=Icon::Plus />
                <span class="sidebar__label">{t().session_new}</span>
            </button>
            <SessionList />
            <div class="sidebar__foot">
                <Connection />
                <button
                    type="button"
                    class="sidebar__settings"
                    data-testid="settings-open"
                    title=t().settings
                    on:click=move |_| ui.open_settings()
                >
                    <IconView icon=Icon::Settings />
                    <span class="sidebar__label">{t().settings}</span>
                </button>
            </div>
        </aside>
    }
}

#[component]
fn SessionList() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let groups = Memo::new(move |_| {
        let (now, offset) = (dom::now_ms(), dom::clock_offset_min());
        let mut groups: Vec<(Day, Vec<String>)> = Vec::new();
        for session in ui.sessions.get() {
            let day = day_of(session.updated_ms, now, offset);
            match groups.last_mut() {
                Some((last, ids)) if *last == day => ids.push(session.id),
                _ => groups.push((day, vec![session.id])),
            }
        }
        groups
    });
    let is_empty = move || groups.with(Vec::is_empty);
    let days = live(move || {
        groups.with(|groups| {
            groups
                .iter()
                .map(|(day, _)| t().day(*day).to_owned())
                .collect()
        })
    });
    let draw_day = move |name: String| {
        let of_day = name.clone();
        let ids = live(move || {
            groups.with(|groups| {
                let group = groups.iter().find(|(day, _)| t().day(*day) == of_day);
                group.map(|(_, ids)| ids.clone()).unwrap_or_default()
            })
        });
        view! {
            <section class="sidebar__group">
                <h2 class="sidebar__day">{name}</h2>
                <ul>
                    <Each keys=ids row=row(|id| view! { <SessionRow id /> }.into_any()) />
                </ul>
            </section>
        }
        .into_any()
    };
    view! {
        <nav class="sidebar__list" data-testid="session-list" aria-label=t().sessions>
            <Show when=live(is_empty)>
                <p class="sidebar__none">{t().sessions_none}</p>
            </Show>
            <Each keys=days row=row(draw_day) />
        </nav>
    }
}

#[component]
fn SessionRow(id: String) -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let session = session_memo(ui, id.clone());
    let title = Memo::new(move |_| {
        session
            .get()
            .map(|session| session.title)
            .filter(|title| !title.is_empty())
    });
    let shown = move || {
        title
            .get()
            .unwrap_or_else(|| t().session_untitled.to_owned())
    };
    let is_running = Memo::new(move |_| session.get().is_some_and(|session| session.running));
    let (of_row, to_open) = (id.clone(), id.clone());
    let is_current = move || ui.current.with(|current| current.as_ref() == Some(&of_row));
    view! {
        <li>
            <button
                type="button"
                class="session"
                data-testid="session-row"
                data-session=id
                aria-current=live(move || is_current().then_some("true"))
                title=shown
                on:click=move |_| ui.open_session(to_open.clone())
            >
                <span class="session__title" data-testid="session-title">{shown}</span>
                <Show when=live(move || is_running.get())>
                    <span class="session__running">
                        <IconView icon=Icon::Spinner />
                        <span>{t().running}</span>
                    </span>
                </Show>
            </button>
        </li>
    }
}

fn session_memo(ui: Controller, id: String) -> Memo<Option<Session>> {
    Memo::new(move |_| {
        ui.sessions
            .with(|all| all.iter().find(|session| session.id == id).cloned())
    })
}

/// Who answers, and whether that is all right.
#[component]
fn Connection() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let icon = Signal::derive(
        move || match (ui.kernel.get(), ui.lacks_key(), ui.is_demo()) {
            (KernelState::Died(_) | KernelState::Silent, _, _) => Icon::Unplugged,
            (_, true, _) => Icon::Key,
            (_, _, true) => Icon::Demo,
            _ => Icon::Endpoint,
        },
    );
    let model = move || {
        ui.settings.with(|settings| {
            match settings
                .as_ref()
                .and_then(|settings| settings.model.as_ref())
            {
                Some(ModelChoice::Demo) => (t().demo.to_owned(), String::new()),
                Some(ModelChoice::Endpoint(endpoint)) => {
                    (endpoint.model.clone(), endpoint.base_url.host().to_owned())
                }
                None => (t().not_connected.to_owned(), String::new()),
            }
        })
    };
    let below = move || match ui.lacks_key() {
        true => t().key_missing.to_owned(),
        false => model().1,
    };
    view! {
        <button
            type="button"
            class="connection"
            class:connection--wanting=live(move || ui.lacks_key())
            data-testid="connection-status"
            title=live(move || { let (name, host) = model(); format!("{name} {host}") })
            on:click=move |_| ui.open_settings()
        >
            <IconView icon />
            <span class="connection__text">
                <span class="connection__model">{live(move || model().0)}</span>
                <span class="connection__host">{below}</span>
            </span>
        </button>
    }
}
