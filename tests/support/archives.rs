//! Archives as no honest tool makes them, and files handed over as the page would.

use std::cell::Cell;
use std::rc::Rc;

use futures::future::LocalBoxFuture;
use tabloop::kernel::archive::{Crc, MemorySource, Source, Unreadable};
use tabloop::kernel::store::memory::MemoryStore;
use tabloop::kernel::store::{Key, Store, Table};
use tabloop::protocol::{Command, Event, HandedFile, Notice, Report};

use super::{World, block_on};

/// An entry of a zip, to be written as it is.
pub struct Raw {
    pub name: Vec<u8>,
    pub content: Vec<u8>,
    pub flags: u16,
    pub method: u16,
    pub attributes: u32,
    /// What is told in place of the content's length.
    pub size: Option<u32>,
    pub crc: Option<u32>,
    pub extra: Vec<u8>,
}

pub fn raw(name: impl AsRef<[u8]>, content: &str) -> Raw {
    Raw {
        name: name.as_ref().to_vec(),
        content: content.as_bytes().to_vec(),
        flags: 0,
        method: 0,
        attributes: 0o100_644 << 16,
        size: None,
        crc: None,
        extra: Vec::new(),
    }
}

/// A zip of these entries.
pub fn zip(entries: &[Raw]) -> Vec<u8> {
    let (mut out, mut list) = (Vec::new(), Vec::new());
    let sums = Crc::default();
    for entry in entries {
        let at = out.len() as u32;
        let crc = entry.crc.unwrap_or_else(|| sums.of(&entry.content));
        let length = entry.content.len() as u32;
        let mut common = Vec::new();
        for short in [20, entry.flags, entry.method, 0x3a4d, 0x58a6] {
            common.extend(u16::to_le_bytes(short));
        }
        for long in [crc, length, entry.size.unwrap_or(length)] {
            common.extend(long.to_le_bytes());
        }
        common.extend((entry.name.len() as u16).to_le_bytes());
        common.extend((entry.extra.len() as u16).to_le_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(&entry.name);
        out.extend(&entry.extra);
        out.extend(&entry.content);
        list.extend(b"PK\x01\x02\x14\x03");
        list.extend(&common);
        list.extend([0; 6]);
        list.extend(entry.attributes.to_le_bytes());
        list.extend(at.to_le_bytes());
        list.extend(&entry.name);
        list.extend(&entry.extra);
    }
    let at = out.len() as u32;
    out.extend(&list);
    out.extend(b"PK\x05\x06\0\0\0\0");
    for _ in 0..2 {
        out.extend((entries.len() as u16).to_le_bytes());
    }
    out.extend((list.len() as u32).to_le_bytes());
    out.extend(at.to_le_bytes());
    out.extend([0, 0]);
    out
}

/// Hands files over and has them brought in.
pub fn bring_in(world: &World, files: &[(&str, Vec<u8>)]) -> Report {
    let mut handed = Vec::new();
    for (n, (path, content)) in files.iter().enumerate() {
        let id = match path.ends_with('/') {
            true => 0,
            false => n as u64 + 1,
        };
        if id > 0 {
            let source = Rc::new(MemorySource(content.clone()));
            world.kernel.hand(id, source);
        }
        let path = (*path).to_owned();
        handed.push(HandedFile { path, id });
    }
    world.handle(Command::BringIn(handed));
    report(world)
}

/// The report that was told last.
pub fn report(world: &World) -> Report {
    let events = world.events.borrow();
    let told = events.iter().rev().find_map(|event| match event {
        Event::Notice(Notice::Imported(report)) => Some((**report).clone()),
        _ => None,
    });
    told.expect("a report was told")
}

/// All paths, folders with a slash behind.
pub fn paths(world: &World) -> Vec<String> {
    let store: Rc<dyn Store> = Rc::clone(&world.store) as _;
    let clock = Rc::new(world.clock.clone());
    let opened = tabloop::kernel::workspace::Workspace::open(store, clock, "default");
    let workspace = block_on(opened).unwrap();
    let nodes = workspace.nodes();
    let text = |(path, node): (&tabloop::kernel::workspace::WorkspacePath, _)| match node {
        &tabloop::kernel::workspace::Node::Folder => format!("{path}/"),
        _ => path.to_string(),
    };
    nodes.iter().map(text).collect()
}

/// A file's bytes.
pub fn bytes(world: &World, path: &str) -> Vec<u8> {
    world.handle(Command::ReadFile(path.into()));
    match world.events.borrow().last() {
        Some(Event::FileBytes { bytes, .. }) => bytes.clone(),
        other => panic!("{path}: {other:?}"),
    }
}

/// How many contents the store holds.
pub fn contents(store: &MemoryStore) -> usize {
    let prefix = Key::new(["default".into()]);
    block_on(store.keys(Table::Blobs, prefix)).unwrap().len()
}

/// A file during whose reading something else happens, at the read with that number.
pub struct Interrupted {
    pub content: Vec<u8>,
    pub at: usize,
    pub reads: Cell<usize>,
    pub then: Box<dyn Fn()>,
}

impl Source for Interrupted {
    fn size(&self) -> u64 {
        self.content.len() as u64
    }

    fn modified_ms(&self) -> Option<u64> {
        None
    }

    fn read(&self, at: u64, length: usize) -> LocalBoxFuture<'_, Result<Vec<u8>, Unreadable>> {
        let n = self.reads.get();
        self.reads.set(n + 1);
        if n == self.at {
            (self.then)();
        }
        let at = at as usize;
        let bytes = self.content[at..at + length].to_vec();
        Box::pin(std::future::ready(Ok(bytes)))
    }
}
