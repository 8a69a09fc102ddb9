//! Frames for foreign code, as the kernel wants them: opened, spoken to, taken away.

use std::time::Duration;

use leptos::prelude::*;

use super::trace::View;
use super::{Controller, Pane};
use crate::protocol::{Command, Gone, Order, Said};
use crate::ui::dom;
use crate::ui::element::El;
use crate::ui::frame::{Frame, Heard};
use crate::ui::signal::RwSignal;

/// How often frames are asked whether they are there.
const BEAT: Duration = Duration::from_secs(1);
/// Questions without an answer after which one counts as gone.
const PATIENCE: u32 = 7;

/// The page of the workspace that the user sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownPage {
    /// Its frame.
    pub scene: u32,
    /// Its file.
    pub path: String,
    /// Why its frame is no more.
    pub gone: Option<Gone>,
}

/// The frames.
#[derive(Debug, Clone, Copy)]
pub struct StageModel {
    /// What the user sees.
    pub shown: RwSignal<Option<ShownPage>>,
    /// Whether it came while the user was at work elsewhere, and was not looked at since.
    pub is_new: RwSignal<bool>,
    frames: StoredValue<Vec<(u32, Frame)>, LocalStorage>,
    is_watched: StoredValue<bool>,
}

impl StageModel {
    /// Nothing runs.
    pub fn new() -> Self {
        Self {
            shown: RwSignal::new(None),
            is_new: RwSignal::new(false),
            frames: StoredValue::new_local(Vec::new()),
            is_watched: StoredValue::new(false),
        }
    }

    /// Takes all frames away: the kernel that wanted them is no more. Tells whether the
    /// user saw one.
    pub fn clear(self) -> bool {
        self.frames.try_update_value(Vec::clear);
        let was_shown = self.shown.with_untracked(Option::is_some);
        if was_shown {
            self.shown.set(None);
        }
        was_shown
    }
}

impl Controller {
    /// Does what the kernel wants of a frame.
    #[inline(never)]
    pub(super) fn stage(self, scene: u32, order: Order) {
        match order {
            Order::Run { .. } => {
                if let Some(frame) = self.open_frame(scene, &order) {
                    let frame = frame.class("offstage").attr("aria-hidden", "true");
                    dom::show(&[frame.attr("tabindex", "-1")]);
                }
            }
            Order::Show { path } => {
                // Whoever writes is not taken away from it.
                let is_writing = self.trace.view.get_untracked() == View::Files
                    && self.files.opened.with_untracked(|open| {
                        let open = open.as_ref();
                        open.is_some_and(|open| self.edit_of(&open.path).is_some())
                    });
                self.close_page();
                let gone = None;
                self.stage.shown.set(Some(ShownPage { scene, path, gone }));
                self.stage.is_new.set(is_writing);
                if !is_writing {
                    self.trace.view.set(View::Preview);
                }
            }
            Order::Say(parcel) => self.stage.frames.with_value(|frames| {
                if let Some((_, frame)) = frames.iter().find(|(id, _)| *id == scene) {
                    frame.say(&parcel);
                }
            }),
            Order::Close => self.remove_frame(scene, Gone::Closed),
        }
    }

    /// The element of a new frame.
    pub fn open_frame(self, scene: u32, order: &Order) -> Option<El> {
        let frame = Frame::new(order, move |heard| match heard {
            Heard::Parcel(parcel) => self.staged(scene, Said::Parcel(parcel)),
            Heard::TooMuch => self.lose_frame(scene, Gone::TooMuch),
        });
        let Some(frame) = frame else {
            self.lose_frame(scene, Gone::NotLoaded);
            return None;
        };
        let element = frame.element();
        self.stage
            .frames
            .update_value(|frames| frames.push((scene, frame)));
        if !self.stage.is_watched.get_value() {
            self.stage.is_watched.set_value(true);
            set_timeout(move || self.watch_frames(), BEAT);
        }
        Some(element)
    }

    /// Shows the page that is open, where the pane is a drawer too.
    pub fn show_page(self, path: &str) {
        let is_open =
            |page: &Option<ShownPage>| page.as_ref().is_some_and(|page| page.path == path);
        if !self.stage.shown.with_untracked(is_open) {
            self.command(Command::OpenPreview(path.to_owned()));
        }
        self.pane.set(Pane::Files);
        self.trace.view.set(View::Preview);
    }

    /// Runs the page that is open anew, with the files as they are now.
    pub fn reload_page(self) {
        if let Some(page) = self.stage.shown.get_untracked() {
            self.command(Command::OpenPreview(page.path));
        }
    }

    /// Closes the page that is open.
    pub fn close_page(self) {
        let Some(page) = self.stage.shown.get_untracked() else {
            return;
        };
        self.lose_frame(page.scene, Gone::Closed);
        self.stage.shown.set(None);
        if self.trace.view.get_untracked() == View::Preview {
            self.trace.view.set(View::Files);
        }
    }

    fn staged(self, scene: u32, said: Said) {
        self.command(Command::Staged { scene, said });
    }

    /// A frame has to go, and the kernel to know.
    fn lose_frame(self, scene: u32, gone: Gone) {
        self.remove_frame(scene, gone);
        self.staged(scene, Said::Gone(gone));
    }

    fn remove_frame(self, scene: u32, gone: Gone) {
        self.stage
            .frames
            .update_value(|frames| frames.retain(|(id, _)| *id != scene));
        self.stage.shown.update(|shown| {
            if let Some(page) = shown.as_mut().filter(|page| page.scene == scene) {
                page.gone.get_or_insert(gone);
            }
        });
    }

    /// Finds the frames that do not answer any more.
    fn watch_frames(self) {
        let Some(silent) = self.stage.frames.try_with_value(|frames| {
            let late = frames.iter().filter(|(_, frame)| frame.ask() > PATIENCE);
            let late = late.map(|(scene, frame)| (*scene, frame.has_answered()));
            late.collect::<Vec<_>>()
        }) else {
            return;
        };
        for (scene, has_answered) in silent {
            let gone = match has_answered {
                true => Gone::Silent,
                false => Gone::NotLoaded,
            };
            self.lose_frame(scene, gone);
        }
        let goes_on = self.stage.frames.with_value(|frames| !frames.is_empty());
        self.stage.is_watched.set_value(goes_on);
        if goes_on {
            set_timeout(move || self.watch_frames(), BEAT);
        }
    }
}
