//! Places of an element whose children come and go.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::{Owner, document, untrack};
use web_sys::Node;

use super::call::{Give, Take};
use super::{El, follow};

/// A child, and the owner of all that is alive in it.
struct Piece {
    el: El,
    owner: Owner,
}

impl Piece {
    fn new(parent: &Owner, make: impl FnOnce() -> Option<El>) -> Option<Self> {
        let owner = parent.with(Owner::new);
        let el = owner.with(|| untrack(make))?;
        Some(Self { el, owner })
    }

    fn remove(self) {
        self.el.0.remove();
        self.owner.cleanup();
    }
}

/// The owner of what is being built now.
pub fn here() -> Owner {
    Owner::current().unwrap_or_default()
}

impl El {
    /// Marks a place among the children; what belongs there goes in front of the mark.
    fn mark(&self) -> Node {
        let mark: Node = document().create_comment("").into();
        let _ = self.0.append_child(&mark);
        mark
    }

    /// Has a child while `is` holds.
    pub fn when(self, is: impl Fn() -> bool + 'static, make: impl Fn() -> El + 'static) -> Self {
        self.choose(move || u64::from(is()), move |is| (is == 1).then(&make))
    }

    /// Has the child that `make` gives for what `which` gives; another one when that changes.
    pub fn choose(
        self,
        which: impl Fn() -> u64 + 'static,
        make: impl Fn(u64) -> Option<El> + 'static,
    ) -> Self {
        self.choose_boxed(Box::new(which), Box::new(make))
    }

    fn choose_boxed(self, which: Box<dyn Give<u64>>, make: Box<dyn Take<u64, Option<El>>>) -> Self {
        let (parent, mark, owner) = (self.0.clone(), self.mark(), here());
        let mut shown: Option<(u64, Option<Piece>)> = None;
        follow(Box::new(move || {
            let now = which.give();
            if shown.as_ref().is_some_and(|(before, _)| *before == now) {
                return;
            }
            if let Some((_, Some(piece))) = shown.take() {
                piece.remove();
            }
            let piece = Piece::new(&owner, || make.take(now));
            if let Some(piece) = &piece {
                let _ = parent.insert_before(piece.el.as_node(), Some(&mark));
            }
            shown = Some((now, piece));
        }));
        self
    }

    /// Has a child for each of `items`, told apart by their keys. A child stays for as
    /// long as its key does: what changes in it must come by signals.
    pub fn each<T: 'static>(
        self,
        items: impl Fn() -> Vec<(u64, T)> + 'static,
        make: impl Fn(T) -> El + 'static,
    ) -> Self {
        let latest = Rc::new(RefCell::new(Vec::new()));
        let found = Rc::clone(&latest);
        let keys = move || {
            let mut items: Vec<(u64, T)> = items();
            let keys = items.iter().map(|(key, _)| *key).collect();
            // They are taken in their order, each from the end.
            items.reverse();
            *latest.borrow_mut() = items;
            keys
        };
        let take = move |(_, key): (usize, u64)| {
            let mut items = found.borrow_mut();
            let at = items.iter().rposition(|(of, _)| *of == key)?;
            let (_, item) = items.remove(at);
            drop(items);
            Some(make(item))
        };
        self.each_boxed(Box::new(keys), Box::new(take))
    }

    /// The same for those that find what belongs to a key themselves.
    pub fn each_key(
        self,
        keys: impl Fn() -> Vec<u64> + 'static,
        make: impl Fn(u64) -> Option<El> + 'static,
    ) -> Self {
        self.each_boxed(Box::new(keys), Box::new(move |(_, key)| make(key)))
    }

    fn each_boxed(
        self,
        keys: Box<dyn Give<Vec<u64>>>,
        make: Box<dyn Take<(usize, u64), Option<El>>>,
    ) -> Self {
        let (parent, mark, owner) = (self.0.clone(), self.mark(), here());
        let mut shown: Vec<(u64, Piece)> = Vec::new();
        follow(Box::new(move || {
            let keys = keys.give();
            let same = shown
                .iter()
                .zip(&keys)
                .take_while(|((old, _), new)| old == *new)
                .count();
            let mut old: Vec<(u64, Piece)> = shown.drain(same..).collect();
            for (at, key) in keys.iter().enumerate().skip(same) {
                let known = old.iter().position(|(old, _)| old == key);
                let piece = match known {
                    Some(known) => Some(old.remove(known).1),
                    None => Piece::new(&owner, || make.take((at, *key))),
                };
                shown.extend(piece.map(|piece| (*key, piece)));
            }
            old.into_iter().for_each(|(_, piece)| piece.remove());
            // From the end, so that each has its successor in place.
            let mut next = mark.clone();
            for (_, piece) in shown[same..].iter().rev() {
                let node: &Node = piece.el.as_node();
                if node.next_sibling().as_ref() != Some(&next) {
                    let _ = parent.insert_before(node, Some(&next));
                }
                next = node.clone();
            }
        }));
        self
    }
}
