//! The page as a whole: start page or shell, and the shell's panes.

use std::rc::Rc;

use leptos::ev;
use leptos::prelude::*;

use super::composer::composer;
use super::controller::{Controller, KernelState, Pane};
use super::conversation::conversation;
use super::element::{El, button, div, el};
use super::free_space::free_space_dialog;
use super::icon::{Icon, icon};
use super::linked::link_dialog;
use super::notices::{banners, toasts};
use super::palette::over;
use super::session_menu::session_dialogs;
use super::settings::settings_dialog;
use super::setup::setup;
use super::sidebar::sidebar;
use super::spaces::space_dialogs;
use super::state::setup_link::SetupLink;
use super::words::Words;
use super::workspace::workspace;
use super::{KernelLink, LinkEvent, dom};

/// Draws the page and joins it to the kernel that `connect` reaches.
pub fn mount(connect: impl FnOnce(Rc<dyn Fn(LinkEvent)>) -> Rc<dyn KernelLink> + 'static) {
    // Leptos gives the owner of all signals; what it is to mount is nothing, since the
    // elements are in the page already.
    leptos::mount::mount_to_body(move || {
        let ui = Controller::new();
        ui.join(connect(Rc::new(move |event| ui.hear(event))));
        take_link(ui);
        let changed = window_event_listener(ev::hashchange, move |_| {
            take_link(ui);
            ui.open_link();
        });
        on_cleanup(move || changed.remove());
        dom::show(&[screens(ui), toasts(ui)]);
    });
}

/// Takes what a link says out of the page's address, where it would stay in the history.
fn take_link(ui: Controller) {
    if let Some(link) = SetupLink::parse(&dom::fragment()) {
        dom::drop_fragment();
        ui.endpoints.linked.set(Some(link));
    }
}

/// What is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Screen {
    Starting,
    Setup,
    Shell,
}

fn screens(ui: Controller) -> El {
    let screen = move || {
        ui.settings.with(|settings| match settings {
            None => Screen::Starting,
            Some(settings) if settings.kept.choice.is_none() => Screen::Setup,
            Some(_) => Screen::Shell,
        })
    };
    let draw = move |which| {
        Some(match which {
            which if which == Screen::Starting as u64 => starting(ui),
            which if which == Screen::Setup as u64 => setup(ui),
            _ => shell(ui),
        })
    };
    div("screens").choose(move || screen() as u64, draw)
}

/// Until the kernel has told what there is.
fn starting(ui: Controller) -> El {
    let is_starting = move || ui.kernel.get() == KernelState::Starting;
    el("main")
        .class("starting")
        .child(el("p").class("starting__name").text("Tabloop"))
        .when(is_starting, move || {
            el("p")
                .class("starting__text")
                .attr("role", "status")
                .say(ui, |words| words.starting)
        })
        .when(move || !is_starting(), move || banners(ui))
}

fn shell(ui: Controller) -> El {
    let pane = move || match ui.pane.get() {
        Pane::Sessions => "sessions",
        Pane::Chat => "chat",
        Pane::Files => "files",
    };
    let escape = window_event_listener(ev::keydown, move |event| {
        // An open dialog has the key for itself.
        let is_free = !ui.settings_open.get_untracked();
        if event.key() == "Escape" && !event.default_prevented() && is_free {
            ui.pane.set(Pane::Chat);
        }
    });
    on_cleanup(move || escape.remove());
    let chat = el("main")
        .class("shell__chat")
        .child(banners(ui))
        .child(conversation(ui))
        .child(composer(ui));
    let of_over = chat.clone();
    div("shell")
        .bind("data-pane", pane)
        .style("--workspace-width", move || {
            format!("{}px", ui.preferences.workspace_width.get())
        })
        .child(sidebar(ui))
        .child(div("shell__scrim").press(move || ui.pane.set(Pane::Chat)))
        .child(chat)
        .child(workspace(ui))
        .child(tabs(ui))
        .child(settings_dialog(ui))
        .children(space_dialogs(ui))
        .when(move || ui.loaded.get(), move || session_dialogs(ui))
        .child(free_space_dialog(ui))
        .child(link_dialog(ui))
        .when(move || ui.loaded.get(), move || over(ui, &of_over))
}

/// The tabs of a small window.
fn tabs(ui: Controller) -> El {
    let tab = |pane: Pane, shape: Icon, test_id: &str, label: fn(&Words) -> &'static str| {
        button("tabs__tab")
            .test_id(test_id)
            .bind("aria-current", move || {
                (ui.pane.get() == pane).then_some("page")
            })
            .child(icon(shape))
            .child(el("span").live(move || label(ui.words())))
            .press(move || ui.pane.set(pane))
    };
    el("nav")
        .class("tabs")
        .child(tab(
            Pane::Sessions,
            Icon::Sessions,
            "tab-sessions",
            |words| words.tab_sessions,
        ))
        .child(tab(Pane::Chat, Icon::Chat, "tab-chat", |words| {
            words.tab_chat
        }))
        .child(tab(Pane::Files, Icon::Files, "tab-files", |words| {
            words.tab_files
        }))
}
