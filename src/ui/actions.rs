//! What can be done, as a list: the palette finds it by its name, and the composer by a
//! command behind `/`.

use super::controller::session::SessionModel;
use super::controller::spaces::AskSpace;
use super::controller::trace::View;
use super::controller::writing::Over;
use super::controller::{Controller, Pane};
use super::dom;
use super::icon::Icon;
use super::preferences::Theme;
use super::say::Word;
use super::state::way::WayOfWork;
use super::words::Language;
use crate::kernel::session::Mode;
use crate::protocol::Command;

/// Part of the settings that the prompts stand in.
pub const PROMPTS_PART: &str = "settings-prompts";

/// The buttons that ask whether to undo a round.
const UNDO: &str = ".conversation [data-testid=checkpoint-undo]:enabled";

/// Something that can be done.
pub struct Action {
    /// The command that it is in the composer, without its `/`; empty: it is none.
    pub command: &'static str,
    /// What stands in front of it.
    pub icon: Icon,
    /// What it does.
    pub name: Word,
    /// Keys that do it anywhere.
    pub keys: &'static str,
    /// Whether it can be done now.
    pub is_possible: fn(Controller) -> bool,
    /// Does it.
    pub run: fn(Controller),
}

const fn action(
    command: &'static str,
    icon: Icon,
    name: Word,
    is_possible: fn(Controller) -> bool,
    run: fn(Controller),
) -> Action {
    Action {
        command,
        icon,
        name,
        keys: "",
        is_possible,
        run,
    }
}

const ALWAYS: fn(Controller) -> bool = |_| true;
/// What decides about the next task can't be changed while one goes on.
const NO_RUN: fn(Controller) -> bool = |ui| !ui.is_running();
const CAN_WORK: fn(Controller) -> bool = |ui| ui.can_work();
const HAS_SESSION: fn(Controller) -> bool = |ui| ui.current.with(Option::is_some);

/// All of them, in the order in which they are offered.
pub const ACTIONS: &[Action] = &[
    action(
        "new",
        Icon::Plus,
        |words| words.session_new,
        ALWAYS,
        |ui| {
            ui.new_session();
        },
    ),
    action(
        "stop",
        Icon::Stop,
        |words| words.act_stop(),
        can_stop,
        |ui| {
            ui.stop();
        },
    ),
    action(
        "resume",
        Icon::Again,
        |words| words.act_resume(),
        can_resume,
        |ui| {
            ui.go_on();
        },
    ),
    action(
        "attach",
        Icon::Attach,
        |words| words.attach(),
        CAN_WORK,
        |_| {
            dom::press("[data-testid=composer-attach]");
        },
    ),
    action(
        "act",
        Icon::ArrowRight,
        |words| words.act_act(),
        NO_RUN,
        |ui| {
            choose_mode(ui, Mode::Act);
        },
    ),
    action(
        "plan",
        Icon::Steps,
        |words| words.act_plan(),
        NO_RUN,
        |ui| {
            choose_mode(ui, Mode::Plan);
        },
    ),
    action(
        "reflect",
        Icon::Judged,
        |words| words.act_reflect(),
        NO_RUN,
        |ui| {
            choose_mode(ui, Mode::Reflect);
        },
    ),
    action(
        "model",
        Icon::Endpoint,
        |words| words.act_model(),
        CAN_WORK,
        |ui| {
            ui.pane.set(Pane::Chat);
            dom::press("[data-testid=model-picker]");
        },
    ),
    action(
        "rounds",
        Icon::Again,
        |words| words.act_rounds(),
        NO_RUN,
        |ui| {
            ui.pane.set(Pane::Chat);
            dom::press("[data-testid=composer-rounds-open]");
        },
    ),
    action(
        "undo",
        Icon::Undo,
        |words| words.act_undo(),
        can_undo,
        |ui| {
            // The button asks where it stands.
            ui.pane.set(Pane::Chat);
            dom::press_last(UNDO);
        },
    ),
    action(
        "redo",
        Icon::Redo,
        |words| words.redo(),
        can_redo,
        |ui| {
            if let Some(id) = ui.current.get_untracked() {
                ui.command(Command::Redo(id));
            }
        },
    ),
    action(
        "take-back",
        Icon::Undo,
        |words| words.act_take_back(),
        has_queued,
        |ui| {
            ui.take_back();
        },
    ),
    action(
        "prompts",
        Icon::FilePen,
        |words| words.prompts_edit(),
        ALWAYS,
        edit_prompts,
    ),
    action(
        "files",
        Icon::Files,
        |words| words.act_files(),
        ALWAYS,
        |ui| {
            show_files(ui);
            dom::focus_later("[data-testid=file-tree] [tabindex='0']".into());
        },
    ),
    action(
        "find",
        Icon::Search,
        |words| words.act_find(),
        ALWAYS,
        |ui| {
            show_files(ui);
            dom::focus_later("[data-testid=file-filter]".into());
        },
    ),
    action(
        "changes",
        Icon::FilePen,
        |words| words.act_changes(),
        ALWAYS,
        |ui| {
            ui.open_changes();
        },
    ),
    action(
        "trace",
        Icon::Timeline,
        |words| words.act_trace(),
        HAS_SESSION,
        |ui| {
            ui.open_trace();
        },
    ),
    action(
        "export",
        Icon::Download,
        |words| words.act_export(),
        has_files,
        |ui| {
            ui.export(None);
        },
    ),
    action(
        "print",
        Icon::FileText,
        |words| words.act_print(),
        HAS_SESSION,
        |_| {
            dom::print();
        },
    ),
    action(
        "settings",
        Icon::Settings,
        |words| words.settings,
        ALWAYS,
        |ui| {
            ui.open_settings();
        },
    ),
    action(
        "doctor",
        Icon::Wrench,
        |words| words.act_doctor(),
        has_endpoint,
        |ui| {
            ui.check_up_in_use();
        },
    ),
    Action {
        keys: "?",
        ..action(
            "help",
            Icon::Info,
            |words| words.shortcuts(),
            ALWAYS,
            |ui| {
                ui.over.set(Some(Over::Shortcuts));
            },
        )
    },
    action(
        "",
        Icon::FolderPlus,
        |words| words.space_new(),
        CAN_WORK,
        |ui| {
            ui.ask_space(AskSpace::Create);
        },
    ),
    action(
        "",
        Icon::FilePen,
        |words| words.space_rename(),
        CAN_WORK,
        |ui| {
            let open = ui.spaces.all.with_untracked(|all| all.open.clone());
            ui.ask_space(AskSpace::Rename(open));
        },
    ),
    action(
        "",
        Icon::Link,
        |words| words.act_link(),
        can_link,
        |ui| {
            ui.link_folder(String::new());
        },
    ),
    action(
        "",
        Icon::Trash,
        |words| words.room_title(),
        CAN_WORK,
        |ui| {
            ui.make_room();
        },
    ),
    action(
        "",
        Icon::StepOpen,
        |words| words.act_light(),
        ALWAYS,
        |ui| {
            ui.preferences.theme.set(Theme::Light);
        },
    ),
    action(
        "",
        Icon::StepDoing,
        |words| words.act_dark(),
        ALWAYS,
        |ui| {
            ui.preferences.theme.set(Theme::Dark);
        },
    ),
    action(
        "",
        Icon::Device,
        |words| words.act_system(),
        ALWAYS,
        |ui| {
            ui.preferences.theme.set(Theme::System);
        },
    ),
    action(
        "",
        Icon::Chat,
        |words| words.act_language(),
        ALWAYS,
        |ui| {
            let other = match ui.preferences.language_in_use() {
                Language::English => Language::Chinese,
                Language::Chinese => Language::English,
            };
            ui.preferences.choose_language(Some(other));
        },
    ),
];

/// Those that can be done now, with their places in [`ACTIONS`].
pub fn possible(ui: Controller) -> impl Iterator<Item = (usize, &'static Action)> {
    let all = ACTIONS.iter().enumerate();
    all.filter(move |(_, action)| (action.is_possible)(ui))
}

fn can_stop(ui: Controller) -> bool {
    ui.is_running() && ui.can_work() && ui.current.with(Option::is_some)
}

fn can_resume(ui: Controller) -> bool {
    let current = ui.current.get();
    ui.can_send() && current.is_some_and(|id| ui.is_interrupted(&id))
}

fn has_queued(ui: Controller) -> bool {
    ui.can_work() && of_shown(ui, |model| model.queued.with(|queued| !queued.is_empty()))
}

fn can_redo(ui: Controller) -> bool {
    ui.can_go_back() && of_shown(ui, |model| model.undone.with(Option::is_some))
}

/// Whether there is a button that asks about it: it stands at each round that can be undone.
fn can_undo(ui: Controller) -> bool {
    ui.can_go_back() && ui.current.with(Option::is_some) && dom::is_there(UNDO)
}

fn of_shown(ui: Controller, is: impl Fn(&SessionModel) -> bool) -> bool {
    ui.shown.with(|model| model.as_ref().is_some_and(is))
}

fn has_files(ui: Controller) -> bool {
    ui.files.all.with(|all| !all.is_empty())
}

fn has_endpoint(ui: Controller) -> bool {
    ui.with_profile(|_, _| ()).is_some()
}

fn can_link(ui: Controller) -> bool {
    ui.can_work() && ui.can_link() && !ui.linked.is_there()
}

fn choose_mode(ui: Controller, mode: Mode) {
    let way = ui.way.get_untracked();
    ui.choose_way(WayOfWork { mode, ..way });
}

fn show_files(ui: Controller) {
    ui.pane.set(Pane::Files);
    ui.trace.view.set(View::Files);
}

fn edit_prompts(ui: Controller) {
    ui.open_settings();
    leptos::task::spawn_local(async {
        leptos::task::tick().await;
        dom::go_to(PROMPTS_PART);
    });
}
