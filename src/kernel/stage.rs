//! Where foreign code runs: frames of the page that it can't get out of. The kernel
//! has them opened, hears what is said in them and has them taken away.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures::StreamExt;
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::lock::{Mutex, MutexGuard};

use crate::plain::{Plain, from_json, to_json};
use crate::protocol::{Event, Gone, Order, Parcel, Said};

/// Bytes that one frame may say to the kernel in its life, files and all.
pub const MAX_SAID: usize = 64 << 20;
/// What a parcel counts for beside its bytes.
const PARCEL: usize = 64;

/// What is said in a frame. It may come from foreign code, which can say anything.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum Line {
    /// Which files are in a folder?
    List {
        /// Tells the answer.
        n: u32,
        /// The folder.
        path: String,
    },
    /// What is in a file?
    Read {
        /// Tells the answer.
        n: u32,
        /// The file.
        path: String,
    },
    /// Sets what is in a file to the bytes beside it.
    Write {
        /// Tells the answer.
        n: u32,
        /// The file.
        path: String,
    },
    /// Removes a file.
    Delete {
        /// Tells the answer.
        n: u32,
        /// The file.
        path: String,
    },
    /// Was written to the console.
    Printed {
        /// In order.
        lines: Vec<String>,
        /// How many more there were.
        more: u32,
    },
    /// The script came to its end.
    Done {
        /// What it gave back, as text.
        value: Option<String>,
    },
    /// The script failed.
    Threw {
        /// What was thrown, and where.
        problem: String,
    },
    /// The page has come to rest.
    Shown(Shown),
}

/// A page as it is seen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Plain)]
pub struct Shown {
    /// Its title.
    pub title: String,
    /// The frame's width, in pixels.
    pub width: u32,
    /// The frame's height, in pixels.
    pub height: u32,
    /// The text that can be seen.
    pub text: String,
    /// Whether it still changed when it was looked at.
    pub restless: bool,
}

/// The kernel's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Plain)]
pub struct Answer {
    /// To which question.
    pub n: u32,
    /// Why there is none, in words.
    pub problem: Option<String>,
    /// The files that were asked for.
    pub paths: Vec<String>,
}

/// The way to the page.
type Outlet = Rc<dyn Fn(Event)>;

/// All frames of one kernel.
#[derive(Default)]
pub struct Stage {
    outlet: RefCell<Option<Outlet>>,
    last: Cell<u32>,
    scenes: RefCell<Vec<(u32, UnboundedSender<Said>)>>,
    turn: Mutex<()>,
}

impl Stage {
    /// Gives it the way to the page.
    pub fn join(&self, outlet: Outlet) {
        self.outlet.replace(Some(outlet));
    }

    /// Has a frame opened, and listens to it.
    pub fn open(self: &Rc<Self>, order: Order) -> Scene {
        let (sender, heard) = unbounded();
        let id = self.show(order);
        self.scenes.borrow_mut().push((id, sender));
        Scene {
            id,
            stage: Rc::clone(self),
            heard,
            left: MAX_SAID,
            stays: false,
        }
    }

    /// Has a frame opened that the kernel does not listen to. Gives its number.
    pub fn show(&self, order: Order) -> u32 {
        let id = self.last.get() + 1;
        self.last.set(id);
        self.tell(id, order);
        id
    }

    /// Waits for the turn to show a page: there is place for one.
    pub async fn turn_to_show(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().await
    }

    /// Takes what the page tells of a frame; gives it back where nobody listens.
    pub fn hear(&self, id: u32, said: Said) -> Option<Said> {
        let scenes = self.scenes.borrow();
        match scenes.iter().find(|(other, _)| *other == id) {
            Some((_, sender)) => sender
                .unbounded_send(said)
                .err()
                .map(|back| back.into_inner()),
            None => Some(said),
        }
    }

    /// Says something in a frame.
    pub fn say(&self, id: u32, answer: &Answer, bytes: Vec<u8>) {
        let text = to_json(answer);
        self.tell(id, Order::Say(Parcel { text, bytes }));
    }

    fn tell(&self, scene: u32, order: Order) {
        let outlet = self.outlet.borrow().clone();
        if let Some(outlet) = outlet {
            outlet(Event::Stage { scene, order });
        }
    }
}

/// A frame that is listened to. Dropping it takes the frame away.
pub struct Scene {
    id: u32,
    stage: Rc<Stage>,
    heard: UnboundedReceiver<Said>,
    left: usize,
    stays: bool,
}

impl Scene {
    /// The next thing that is said in the frame, with the bytes beside it.
    ///
    /// # Errors
    /// Why there will be nothing more.
    pub async fn next(&mut self) -> Result<(Line, Vec<u8>), Gone> {
        loop {
            let parcel = match self.heard.next().await {
                Some(Said::Parcel(parcel)) => parcel,
                Some(Said::Gone(gone)) => return Err(gone),
                None => return Err(Gone::Closed),
            };
            let weight = PARCEL + parcel.text.len() + parcel.bytes.len();
            self.left = self.left.checked_sub(weight).ok_or(Gone::TooMuch)?;
            if let Some(line) = read_line(&parcel.text) {
                return Ok((line, parcel.bytes));
            }
        }
    }

    /// Answers a question.
    pub fn say(&self, answer: &Answer, bytes: Vec<u8>) {
        self.stage.say(self.id, answer, bytes);
    }

    /// Leaves the frame where it is, for the user to look at.
    pub fn leave(mut self) {
        self.stays = true;
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let mut scenes = self.stage.scenes.borrow_mut();
        scenes.retain(|(id, _)| *id != self.id);
        drop(scenes);
        if !self.stays {
            self.stage.tell(self.id, Order::Close);
        }
    }
}

/// What a text says; `None` if it is nothing that is said here.
pub fn read_line(text: &str) -> Option<Line> {
    from_json(text)
}
