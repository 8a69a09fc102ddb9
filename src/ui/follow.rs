//! Keeps the end of a growing column in sight for as long as the reader is there.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, ResizeObserver};

use super::element::El;

/// This near the end counts as at the end, in pixels.
const NEAR: i32 = 24;

/// Whether the reader is at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// New content is followed.
    AtEnd,
    /// The view stays where it is.
    Elsewhere,
}

/// A scrolled column and where its reader is. Clones are the same one.
#[derive(Clone, Copy)]
pub struct Follow {
    /// The element that scrolls.
    scroller: StoredValue<Element, LocalStorage>,
    /// Where the reader is.
    pub reader: RwSignal<Reader>,
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
            reader: RwSignal::new(Reader::AtEnd),
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
        if self.reader.try_get_untracked() == Some(Reader::AtEnd) {
            self.to_end();
        } else if self.distance().is_some_and(|distance| distance <= NEAR) {
            self.reader.try_set(Reader::AtEnd);
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
        let reader = match self.distance() {
            Some(distance) if distance <= NEAR => Reader::AtEnd,
            // Content that came since the last jump is not the reader's doing.
            _ if !went_up => return,
            _ => Reader::Elsewhere,
        };
        if self.reader.get_untracked() != reader {
            self.reader.set(reader);
        }
    }

    /// The reader looks at something: it must not move away by growing.
    pub fn hold(self) {
        self.reader.set(Reader::Elsewhere);
    }

    /// Shows the end and follows it.
    pub fn jump(self) {
        self.reader.set(Reader::AtEnd);
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
