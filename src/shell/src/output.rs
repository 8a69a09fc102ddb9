//! What a command prints: how much of it is kept, and how often it is told.

/// Bytes that are kept of the beginning of an output, and of its end.
const HEAD: usize = 192 << 10;
const TAIL: usize = 64 << 10;
/// Most bytes that are told in one go.
const MAX_PIECE: usize = 8 << 10;
/// How long a window lasts, milliseconds, and how many pieces are told in it as they come.
const WINDOW_MS: f64 = 100.0;
const AT_ONCE: usize = 16;

/// A whole output with its middle left out where it is too long.
pub fn cut(bytes: &[u8]) -> String {
    if bytes.len() <= HEAD + TAIL {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let (head, rest) = bytes.split_at(HEAD);
    let (middle, tail) = rest.split_at(rest.len() - TAIL);
    format!(
        "{}\n[… {} bytes left out here …]\n{}",
        String::from_utf8_lossy(head),
        middle.len(),
        String::from_utf8_lossy(tail)
    )
}

/// What is printed while a command runs. The first pieces are told at once, since nobody
/// knows whether a command that computes will ever let go of the thread; of a flood, only
/// so much as people can see.
#[derive(Default)]
pub struct Live {
    window_from: f64,
    told: usize,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Live {
    /// Takes in what was printed at `now_ms`; gives back what is to be told now.
    pub fn add(&mut self, stdout: &[u8], stderr: &[u8], now_ms: f64) -> Option<(String, String)> {
        keep(&mut self.stdout, stdout);
        keep(&mut self.stderr, stderr);
        if now_ms - self.window_from >= WINDOW_MS {
            self.window_from = now_ms;
            self.told = 0;
        }
        if self.told == AT_ONCE {
            return None;
        }
        self.told += 1;
        self.rest()
    }

    /// What is still to be told.
    pub fn rest(&mut self) -> Option<(String, String)> {
        let [stdout, stderr] = [&mut self.stdout, &mut self.stderr].map(std::mem::take);
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (!stdout.is_empty() || !stderr.is_empty()).then(|| (text(stdout), text(stderr)))
    }
}

/// Adds to what waits; of too much, the end is kept.
fn keep(waiting: &mut Vec<u8>, more: &[u8]) {
    let more = &more[more.len().saturating_sub(MAX_PIECE)..];
    let over = (waiting.len() + more.len()).saturating_sub(MAX_PIECE);
    waiting.drain(..over);
    waiting.extend_from_slice(more);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_output_keeps_its_beginning_and_its_end() {
        assert_eq!(cut(b"short\n"), "short\n");
        let long = [&b"first"[..], &vec![b'x'; 1 << 20], b"last"].concat();
        let kept = cut(&long);
        assert!(kept.starts_with("first") && kept.ends_with("last"));
        assert!(kept.len() < HEAD + TAIL + 100, "{}", kept.len());
        assert!(
            kept.contains("[… 786441 bytes left out here …]"),
            "{}",
            &kept[HEAD..HEAD + 60]
        );
    }

    #[test]
    fn the_first_pieces_are_told_at_once_and_a_flood_now_and_then() {
        let mut live = Live::default();
        let told: Vec<_> = (0..100)
            .filter_map(|n| live.add(b"y\n", b"", 1_000.0 + f64::from(n)))
            .collect();
        assert_eq!(told.len(), AT_ONCE);
        let next = live.add(b"z\n", b"oh\n", 1_200.0).unwrap();
        assert_eq!(next, ("y\n".repeat(84) + "z\n", "oh\n".to_owned()));
        assert_eq!(live.rest(), None);
    }

    #[test]
    fn of_too_much_the_end_is_told() {
        let mut live = Live::default();
        let flood = [vec![b'x'; 1 << 20], b"end".to_vec()].concat();
        let (stdout, _) = live.add(&flood, b"", 500.0).unwrap();
        assert!(stdout.len() == MAX_PIECE && stdout.ends_with("xend"));
    }
}
