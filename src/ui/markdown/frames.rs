//! Who draws when. All texts of the page together draw only so much in a frame, whether
//! it is one long text or a thousand short ones; what is left waits for the next frames,
//! the last that came first, since a conversation is read at its end.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use leptos::prelude::request_animation_frame;

use super::view::Sheet;

/// Bytes of Markdown that are read and drawn in a frame.
const A_FRAME: usize = 48_000;

#[derive(Default)]
struct Frames {
    /// Bytes in this frame so far.
    spent: usize,
    waiting: Vec<Weak<Sheet>>,
    /// Whether the browser will call when the next frame begins.
    is_asked: bool,
}

thread_local! {
    static FRAMES: RefCell<Frames> = RefCell::default();
}

/// Draws what has changed of a text, now or in one of the next frames.
pub(super) fn draw(sheet: &Rc<Sheet>) {
    let is_now = FRAMES.with_borrow(|frames| frames.spent < A_FRAME && frames.waiting.is_empty());
    if is_now {
        run(sheet);
    } else {
        wait(sheet);
    }
    ask();
}

fn run(sheet: &Rc<Sheet>) {
    let left = FRAMES.with_borrow(|frames| A_FRAME.saturating_sub(frames.spent));
    let (spent, is_all) = sheet.draw(left);
    FRAMES.with_borrow_mut(|frames| frames.spent += spent);
    if !is_all {
        wait(sheet);
    }
}

fn wait(sheet: &Rc<Sheet>) {
    if !sheet.is_waiting.replace(true) {
        FRAMES.with_borrow_mut(|frames| frames.waiting.push(Rc::downgrade(sheet)));
    }
}

/// Has the browser call for the next frame, if that makes a difference.
fn ask() {
    let is_due = FRAMES.with_borrow_mut(|frames| {
        let is_due = frames.spent > 0 || !frames.waiting.is_empty();
        is_due && !std::mem::replace(&mut frames.is_asked, true)
    });
    if is_due {
        request_animation_frame(begin);
    }
}

/// A frame begins.
fn begin() {
    FRAMES.with_borrow_mut(|frames| {
        frames.spent = 0;
        frames.is_asked = false;
    });
    while let Some(sheet) = FRAMES.with_borrow_mut(|frames| {
        let is_room = frames.spent < A_FRAME;
        is_room.then(|| frames.waiting.pop()).flatten()
    }) {
        // It may be gone by now.
        if let Some(sheet) = sheet.upgrade() {
            sheet.is_waiting.set(false);
            run(&sheet);
        }
    }
    ask();
}
