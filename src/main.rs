//! The app's binary plays two roles: the page, and in a worker the kernel.
//! This is the composition root: the only place that knows `browser` and `ui`.

#[cfg(target_arch = "wasm32")]
mod composition {
    use std::rc::Rc;

    use tabloop::browser::kernel_link::{Told, WorkerLink};
    use tabloop::protocol::Command;
    use tabloop::ui::{KernelLink, LinkEvent, Picked};

    /// What the interface needs of the link.
    pub struct Link(pub WorkerLink);

    impl KernelLink for Link {
        fn send(&self, command: Command) {
            self.0.send(command);
        }

        fn hand(&self, files: Vec<Picked>) {
            let pair = |picked: Picked| (picked.path, picked.file);
            self.0.hand(files.into_iter().map(pair).collect());
        }

        fn pick_folder(&self, folder: String) {
            self.0.pick_folder(folder);
        }

        fn ask_folder(&self, id: String) {
            self.0.ask_folder(id);
        }

        fn restart(&self) {
            self.0.restart();
        }

        fn fetch_rest(&self) {
            let link = self.0.clone();
            wasm_bindgen_futures::spawn_local(async move { link.fetch_rest().await });
        }
    }

    /// Joins the interface to a kernel in a worker.
    pub fn connect(hear: Rc<dyn Fn(LinkEvent)>) -> Rc<dyn KernelLink> {
        let tell = move |told| {
            hear(match told {
                Told::Event(event) => LinkEvent::Kernel(*event),
                Told::Died(reason) => LinkEvent::Died { reason },
                Told::Silent => LinkEvent::Silent,
                Told::Loaded => LinkEvent::Loaded,
                Told::NotLoaded => LinkEvent::NotLoaded,
            });
        };
        Rc::new(Link(WorkerLink::start(Rc::new(tell))))
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {
    use wasm_bindgen::JsCast;

    // What panics is ended by a trap, in the release build without words (see scripts/build.sh).
    #[cfg(debug_assertions)]
    console_error_panic_hook::set_once();
    match js_sys::global().dyn_into::<web_sys::DedicatedWorkerGlobalScope>() {
        Ok(scope) => tabloop::browser::worker::run(scope),
        Err(_) => tabloop::ui::mount(composition::connect),
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("Tabloop runs in a browser: `make run` builds it and serves it.");
}
