//! Keeps the end of a growing column in sight for as long as the reader is there.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, ResizeObserver};

use super::element::El;
use super::signal::RwSignal;

/// This near the end counts as at the end, in pixels.
const NEAR: i32 = 24;

/// A scrolled column and where its reader is. Clones are the same one.
#[derive(Clone, Copy)]
pub struct Follow {
    /// The element that scrolls.
    scroller: StoredValue<Element, LocalStorage>,
    /// Whether the reader is at the end, so that new content is followed.
    pub at_end: RwSignal<bool>,
    last_top: StoredValue<i32>,
}

/// The browser's observer, and the closure it calls.
struct Watch {
    observer: ResizeObserver,
    _changed: Closure<dyn FnMut()>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

impl Follow {
    /// Follows `column`, which grows in `scroller`; the reader begins at the end.
    pub fn new(scroller: &El, column: &El) -> Self {
        let follow = Self {
            scroller: StoredValue::new_local(scroller.node().clone()),
            at_end: RwSignal::new(true),
            last_top: StoredValue::new(0),
        };
        follow.watch_sizes(scroller, column);
        follow
    }

    /// Between layout and paint, so that nothing is seen to jump.
    fn watch_sizes(self, scroller: &El, column: &El) {
        let changed = Closure::<dyn FnMut()>::new(move || self.size_changed());
        let Ok(observer) = ResizeObserver::new(changed.as_ref().unchecked_ref()) else {
            return;
        };
        observer.observe(scroller.node());
        observer.observe(column.node());
        let _ = StoredValue::new_local(Watch {
            observer,
            _changed: changed,
        });
    }

    fn size_changed(self) {
        if self.at_end.try_get_untracked() == Some(true) {
            self.to_end();
        } else if self.distance().is_some_and(|distance| distance <= NEAR) {
            self.at_end.set(true);
        }
    }

    /// The reader, or this module, scrolled.
    pub fn scrolled(self) {
        let Some(scroller) = self.scroller.try_get_value() else {
            return;
        };
        let top = scroller.scroll_top();
        let went_up = top < self.last_top.get_value();
        self.last_top.set_value(top);
        let at_end = self.distance().is_some_and(|distance| distance <= NEAR);
        // Content that came since the last jump is not the reader's doing.
        if (at_end || went_up) && self.at_end.get_untracked() != at_end {
            self.at_end.set(at_end);
        }
    }

    /// The reader looks at something: it must not move away by growing.
    pub fn hold(self) {
        self.at_end.set(false);
    }

    /// Shows the end and follows it.
    pub fn jump(self) {
        self.at_end.set(true);
        self.to_end();
    }

    fn to_end(self) {
        if let Some(scroller) = self.scroller.try_get_value() {
            scroller.set_scroll_top(scroller.scroll_height());
            self.last_top.set_value(scroller.scroll_top());
        }
    }

    fn distance(self) -> Option<i32> {
        let scroller = self.scroller.try_get_value()?;
        Some(scroller.scroll_height() - scroller.scroll_top() - scroller.client_height())
    }
}
