//! The reader of answers alone, for the bench in the browser (`decoder.html`): the code
//! that the app runs, compiled as the app is.

#[cfg(target_arch = "wasm32")]
mod decoder {
    use tabloop::kernel::model::ModelEvent;
    use tabloop::kernel::model::assembler::Assembler;
    use wasm_bindgen::prelude::wasm_bindgen;

    /// Reads one answer.
    #[wasm_bindgen]
    pub struct Decoder(Assembler);

    #[wasm_bindgen]
    impl Decoder {
        /// A reader that has seen nothing.
        #[wasm_bindgen(constructor)]
        pub fn new() -> Self {
            let mint = Box::new(|| "minted".to_owned());
            Self(Assembler::new("bench", Default::default(), mint))
        }

        /// Takes the next bytes; gives how many events they made.
        pub fn push(&mut self, bytes: &[u8]) -> usize {
            self.0.push(bytes).len()
        }

        /// The answer; empty if it did not end well.
        pub fn finish(self) -> String {
            match self.0.finish().pop() {
                Some(ModelEvent::Finished(turn)) => turn.text,
                _ => String::new(),
            }
        }
    }
}

fn main() {}
