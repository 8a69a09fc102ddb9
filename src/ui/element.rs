//! Elements as plain values of one type, over Leptos's signals and owners.
//!
//! Leptos's own views have a type of their own for each place of the page, and
//! code for each type: they made up two thirds of the first load. Here every
//! element is an [`El`], every binding a boxed closure, so that a place costs
//! its words and little more. Text and attributes are set as such: there is no
//! way to write markup.

mod call;
mod slots;

pub use slots::here;

use std::borrow::Cow;

use leptos::prelude::{Effect, LocalStorage, RenderEffect, StoredValue, document};
use wasm_bindgen::prelude::*;
use web_sys::{Element, Event, HtmlElement, HtmlInputElement, KeyboardEvent, Node};

use self::call::{Give, Run, Take};

/// Text, most of it known at compile time.
pub type Text = Cow<'static, str>;

/// An element, to be built up by chained calls. Clones are the same element.
#[derive(Clone)]
pub struct El(Element);

impl From<Element> for El {
    fn from(element: Element) -> Self {
        Self(element)
    }
}

/// A new element.
pub fn el(tag: &str) -> El {
    // Fails only for names that are none, and all names stand in this crate.
    El(document().create_element(tag).unwrap_throw())
}

/// A new element of a drawing.
pub fn svg(tag: &str) -> El {
    let space = Some("http://www.w3.org/2000/svg");
    El(document().create_element_ns(space, tag).unwrap_throw())
}

/// A new `div`.
pub fn div(class: &str) -> El {
    el("div").class(class)
}

/// A new `span`.
pub fn span(class: &str) -> El {
    el("span").class(class)
}

/// A link that opens in a tab of its own and is told nothing of this page.
pub fn link_out(class: &str) -> El {
    el("a")
        .class(class)
        .attr("target", "_blank")
        .attr("rel", "noopener noreferrer")
}

/// A new button that submits nothing.
pub fn button(class: &str) -> El {
    el("button").attr("type", "button").class(class)
}

/// What an attribute can be bound to; `None` takes it away.
pub trait Value {
    /// As the attribute's text.
    fn text(self) -> Option<Text>;
}

impl Value for &'static str {
    fn text(self) -> Option<Text> {
        Some(self.into())
    }
}

impl Value for String {
    fn text(self) -> Option<Text> {
        Some(self.into())
    }
}

/// Says "true" or "false", as most of ARIA's do. [`El::flag`] is for those of HTML.
impl Value for bool {
    fn text(self) -> Option<Text> {
        Some(if self { "true" } else { "false" }.into())
    }
}

impl<T: Value> Value for Option<T> {
    fn text(self) -> Option<Text> {
        self.and_then(Value::text)
    }
}

/// Runs `effect` now and whenever what it read changes, as long as the owner lives.
pub fn follow(mut effect: Box<dyn Run>) {
    let effect = RenderEffect::new(move |_| effect.run());
    StoredValue::<_, LocalStorage>::new_local(effect);
}

/// As [`follow`], but runs `effect` for the first time when what is being built is done.
pub fn follow_later(mut effect: Box<dyn Run>) {
    Effect::new(move || effect.run());
}

// The calls below fail only for malformed names, which stand in this crate, or for
// nodes that are no longer where they were put, which nothing else touches.
impl El {
    /// Sets the classes.
    pub fn class(self, names: &str) -> Self {
        self.attr("class", names)
    }

    /// Gives it a class while `is` holds.
    pub fn class_if(self, name: &'static str, is: impl Fn() -> bool + 'static) -> Self {
        let list = self.0.class_list();
        follow(Box::new(move || {
            let _ = list.toggle_with_force(name, is());
        }));
        self
    }

    /// Sets an attribute.
    pub fn attr(self, name: &str, value: &str) -> Self {
        let _ = self.0.set_attribute(name, value);
        self
    }

    /// The name by which tests find it.
    pub fn test_id(self, id: &str) -> Self {
        self.attr("data-testid", id)
    }

    /// Keeps an attribute at what `value` gives.
    pub fn bind<T: Value>(self, name: &'static str, value: impl Fn() -> T + 'static) -> Self {
        self.bind_text(name, Box::new(move || value().text()))
    }

    fn bind_text(self, name: &'static str, value: Box<dyn Give<Option<Text>>>) -> Self {
        let element = self.0.clone();
        let mut before = None;
        follow(Box::new(move || {
            let now = value.give();
            if now != before {
                let _ = match &now {
                    Some(text) => element.set_attribute(name, text),
                    None => element.remove_attribute(name),
                };
                before = now;
            }
        }));
        self
    }

    /// Has an attribute without a value while `is` holds.
    pub fn flag(self, name: &'static str, is: impl Fn() -> bool + 'static) -> Self {
        self.bind(name, move || is().then_some(""))
    }

    /// Keeps a property of its style at what `value` gives.
    pub fn style(self, property: &'static str, value: impl Fn() -> String + 'static) -> Self {
        let style = self.html().style();
        follow(Box::new(move || {
            let _ = style.set_property(property, &value());
        }));
        self
    }

    /// Sets a property of its style; an attribute would be against the page's policy.
    pub fn set_style(self, property: &str, value: &str) -> Self {
        let _ = self.html().style().set_property(property, value);
        self
    }

    /// Adds text.
    pub fn text(self, text: &str) -> Self {
        let _ = self.0.append_child(&document().create_text_node(text));
        self
    }

    /// Adds text that stays at what `text` gives.
    pub fn live<T: Into<Text>>(self, text: impl Fn() -> T + 'static) -> Self {
        self.live_text(Box::new(move || text().into()))
    }

    fn live_text(self, text: Box<dyn Give<Text>>) -> Self {
        let node = document().create_text_node("");
        let _ = self.0.append_child(&node);
        let mut before = Text::default();
        follow(Box::new(move || {
            let now = text.give();
            if now != before {
                node.set_data(&now);
                before = now;
            }
        }));
        self
    }

    /// Adds a child.
    pub fn child(self, child: El) -> Self {
        let _ = self.0.append_child(&child.0);
        self
    }

    /// Adds children.
    pub fn children(self, children: impl IntoIterator<Item = El>) -> Self {
        for child in children {
            let _ = self.0.append_child(&child.0);
        }
        self
    }

    /// Calls `handler` for each event of this name.
    pub fn on(self, event: &str, handler: impl Fn(Event) + 'static) -> Self {
        self.listen(event, Box::new(handler))
    }

    fn listen(self, event: &str, handler: Box<dyn Take<Event, ()>>) -> Self {
        let handler: Box<dyn Fn(Event)> = Box::new(move |event| handler.take(event));
        // The browser owns the closure, and frees it with the element.
        let handler = Closure::<dyn Fn(Event)>::wrap(handler).into_js_value();
        let _ = self
            .0
            .add_event_listener_with_callback(event, handler.unchecked_ref());
        self
    }

    /// Calls `press` when it is clicked.
    pub fn press(self, press: impl Fn() + 'static) -> Self {
        self.on("click", move |_| press())
    }

    /// Calls `handler` for each key that goes down.
    pub fn key(self, handler: impl Fn(&KeyboardEvent) + 'static) -> Self {
        self.on("keydown", move |event| {
            if let Some(event) = event.dyn_ref() {
                handler(event);
            }
        })
    }

    /// The element as the browser has it.
    pub fn node(&self) -> &Element {
        &self.0
    }

    /// The element as one of HTML, which all but drawings are.
    pub fn html(&self) -> &HtmlElement {
        self.0.unchecked_ref()
    }

    /// What stands in a field; `self` must be an `input`, `textarea` or `select`.
    pub fn value(&self) -> String {
        self.0.unchecked_ref::<HtmlInputElement>().value()
    }

    /// Puts text into a field; `self` must be an `input`, `textarea` or `select`.
    pub fn set_value(&self, text: &str) {
        self.0.unchecked_ref::<HtmlInputElement>().set_value(text);
    }

    /// Whether a box is ticked; `self` must be an `input`.
    pub fn is_ticked(&self) -> bool {
        self.0.unchecked_ref::<HtmlInputElement>().checked()
    }

    /// Ticks a box or takes its tick away; `self` must be an `input`.
    pub fn tick(&self, ticked: bool) {
        self.0
            .unchecked_ref::<HtmlInputElement>()
            .set_checked(ticked);
    }

    /// Marks what stands in a field, so that what is typed takes its place.
    pub fn select(&self) {
        self.0.unchecked_ref::<HtmlInputElement>().select();
    }

    /// Gives it the focus, if it can take it.
    pub fn focus(&self) {
        let _ = self.html().focus();
    }

    fn as_node(&self) -> &Node {
        &self.0
    }
}
