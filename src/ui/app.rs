//! The page as a whole: start page or shell, and the shell's panes.

use std::rc::Rc;

use leptos::ev;
use leptos::prelude::*;

use super::erase::{Show, live, part};

use super::composer::Composer;
use super::controller::{Controller, KernelState, Pane, use_controller};
use super::conversation::Conversation;
use super::icon::{Icon, IconView};
use super::notices::{Banners, Toasts};
use super::preferences::{Preferences, use_words};
use super::settings_dialog::SettingsDialog;
use super::setup::Setup;
use super::sidebar::Sidebar;
use super::workspace::Workspace;
use super::{KernelLink, LinkEvent};

/// Draws the page and joins it to the kernel that `connect` reaches.
pub fn mount(connect: impl FnOnce(Rc<dyn Fn(LinkEvent)>) -> Rc<dyn KernelLink> + 'static) {
    if let Some(skeleton) = document().get_element_by_id("skeleton") {
        skeleton.remove();
    }
    leptos::mount::mount_to_body(move || {
        provide_context(Preferences::load());
        let controller = Controller::new();
        provide_context(controller);
        let link = connect(Rc::new(move |event| controller.hear(event)));
        controller.join(link);
        view! { <App /> }
    });
}

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Screen {
    Starting,
    Setup,
    Shell,
}

#[component]
fn App() -> impl IntoView {
    let ui = use_controller();
    let screen = Memo::new(move |_| {
        ui.settings.with(|settings| match settings {
            None => Screen::Starting,
            Some(settings) if settings.model.is_none() => Screen::Setup,
            Some(_) => Screen::Shell,
        })
    });
    let preferences = expect_context::<Preferences>();
    part(move || {
        // Texts are read once: another language draws everything anew.
        preferences.language_in_use();
        let screen = part(move || match screen.get() {
            Screen::Starting => view! { <Starting /> }.into_any(),
            Screen::Setup => view! { <Setup /> }.into_any(),
            Screen::Shell => view! { <Shell /> }.into_any(),
        });
        view! {
            {screen}
            <Toasts />
        }
        .into_any()
    })
}

/// Until the kernel has told what there is.
#[component]
fn Starting() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let is_up = move || ui.kernel.get() == KernelState::Starting;
    view! {
        <main class="starting">
            <p class="starting__name">"Tabloop"</p>
            <Show when=live(is_up) fallback=|| view! { <Banners /> }>
                <p class="starting__text" role="status">{t().starting}</p>
            </Show>
        </main>
    }
}

#[component]
fn Shell() -> impl IntoView {
    let ui = use_controller();
    let preferences = expect_context::<Preferences>();
    let pane = move || match ui.pane.get() {
        Pane::Sessions => "sessions",
        Pane::Chat => "chat",
        Pane::Files => "files",
    };
    let escape = window_event_listener(ev::keydown, move |event| {
        // An open dialog has the key for itself.
        if event.key() == "Escape" && !event.default_prevented() && dialog_is_closed(ui) {
            ui.pane.set(Pane::Chat);
        }
    });
    on_cleanup(move || escape.remove());
    let width = move || format!("{}px", preferences.workspace_width.get());
    view! {
        <div class="shell" data-pane=pane style=("--workspace-width", width)>
            <Sidebar />
            <div class="shell__scrim" on:click=move |_| ui.pane.set(Pane::Chat)></div>
            <main class="shell__chat">
                <Banners />
                <Conversation />
                <Composer />
            </main>
            <Workspace />
            <Tabs />
            <SettingsDialog />
        </div>
    }
}

fn dialog_is_closed(ui: Controller) -> bool {
    ui.settings_open.get_untracked() == super::controller::Open::Closed
}

/// The tabs of a small window.
#[component]
fn Tabs() -> impl IntoView {
    let t = use_words();
    view! {
        <nav class="tabs">
            <Tab pane=Pane::Sessions icon=Icon::Sessions test_id="tab-sessions" label=t().tab_sessions />
            <Tab pane=Pane::Chat icon=Icon::Chat test_id="tab-chat" label=t().tab_chat />
            <Tab pane=Pane::Files icon=Icon::Files test_id="tab-files" label=t().tab_files />
        </nav>
    }
}

#[component]
fn Tab(pane: Pane, icon: Icon, test_id: &'static str, label: &'static str) -> impl IntoView {
    let ui = use_controller();
    let is_chosen = move || ui.pane.get() == pane;
    view! {
        <button
            type="button"
            class="tabs__tab"
            data-testid=test_id
            aria-current=live(move || is_chosen().then_some("page"))
            on:click=move |_| ui.pane.set(pane)
        >
            <IconView icon />
            <span>{label}</span>
        </button>
    }
}
