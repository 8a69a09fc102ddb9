//! Which lines were removed and which added: the shortest script by Myers'
//! algorithm in linear space (E. Myers, "An O(ND) Difference Algorithm and Its
//! Variations", 1986), with a bound on the work.

use std::ops::Range;

/// Steps after which what is still open counts as removed and added as a whole.
/// Then the script is longer than need be, but never wrong.
const MAX_STEPS: usize = 4_000_000;

/// Marks the removed lines of `old` and the added ones of `new`. The lines
/// without a mark are the same on both sides, in order.
pub(super) fn edit_script(old: &[&str], new: &[&str]) -> (Vec<bool>, Vec<bool>) {
    script_within(old, new, MAX_STEPS)
}

fn script_within(old: &[&str], new: &[&str], steps: usize) -> (Vec<bool>, Vec<bool>) {
    let mut removed = vec![false; old.len()];
    let mut added = vec![false; new.len()];
    let same = |(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(new).take_while(same).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = (old_rest.iter().rev().zip(new_rest.iter().rev()))
        .take_while(same)
        .count();
    let old_middle = &old_rest[..old_rest.len() - tail];
    let new_middle = &new_rest[..new_rest.len() - tail];

    // Lines that the other side lacks are changes for sure; the search goes
    // over the others only.
    let mut numbers = Numbers::with_room_for(old_middle.len());
    let old_all: Vec<u32> = old_middle.iter().map(|line| numbers.give(line)).collect();
    let mut in_new = vec![false; numbers.lines.len()];
    let (mut b, mut b_at) = (Vec::new(), Vec::new());
    for (at, line) in new_middle.iter().enumerate() {
        match numbers.find(line) {
            Ok(number) => {
                in_new[number as usize] = true;
                b.push(number);
                b_at.push(head + at);
            }
            Err(_) => added[head + at] = true,
        }
    }
    let (mut a, mut a_at) = (Vec::new(), Vec::new());
    for (at, number) in old_all.into_iter().enumerate() {
        if in_new[number as usize] {
            a.push(number);
            a_at.push(head + at);
        } else {
            removed[head + at] = true;
        }
    }

    // Furthest reach by diagonal, from both ends.
    let reach = vec![0; a.len() + b.len() + 3];
    let mut search = Search {
        a: &a,
        b: &b,
        forward: reach.clone(),
        backward: reach,
        steps,
        on_remove: &mut |at| removed[a_at[at]] = true,
        on_add: &mut |at| added[b_at[at]] = true,
    };
    search.compare(0..a.len(), 0..b.len());
    (removed, added)
}

/// Gives equal lines equal numbers: a hash table with open addresses.
struct Numbers<'a> {
    lines: Vec<&'a str>,
    /// Number + 1 of the line that lives there, 0 for none.
    slots: Vec<u32>,
}

impl<'a> Numbers<'a> {
    fn with_room_for(lines: usize) -> Self {
        Self {
            lines: Vec::new(),
            slots: vec![0; (lines * 2 + 1).next_power_of_two()],
        }
    }

    /// The line's number, or the free slot where it would live.
    fn find(&self, line: &str) -> Result<u32, usize> {
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        for byte in line.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        let mask = self.slots.len() - 1;
        let mut slot = (hash ^ (hash >> 32)) as usize & mask;
        loop {
            match self.slots[slot] {
                0 => return Err(slot),
                taken if self.lines[taken as usize - 1] == line => return Ok(taken - 1),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn give(&mut self, line: &'a str) -> u32 {
        self.find(line).unwrap_or_else(|slot| {
            self.lines.push(line);
            let count = self.lines.len() as u32;
            self.slots[slot] = count;
            count - 1
        })
    }
}

struct Search<'a> {
    a: &'a [u32],
    b: &'a [u32],
    forward: Vec<isize>,
    backward: Vec<isize>,
    /// Steps left.
    steps: usize,
    on_remove: &'a mut dyn FnMut(usize),
    on_add: &'a mut dyn FnMut(usize),
}

impl Search<'_> {
    fn compare(&mut self, mut a: Range<usize>, mut b: Range<usize>) {
        while !a.is_empty() && !b.is_empty() && self.a[a.start] == self.b[b.start] {
            (a.start, b.start) = (a.start + 1, b.start + 1);
        }
        while !a.is_empty() && !b.is_empty() && self.a[a.end - 1] == self.b[b.end - 1] {
            (a.end, b.end) = (a.end - 1, b.end - 1);
        }
        let middle = if a.is_empty() || b.is_empty() {
            None
        } else {
            self.middle(&a, &b)
        };
        match middle {
            Some((x, y)) => {
                self.compare(a.start..x, b.start..y);
                self.compare(x..a.end, y..b.end);
            }
            None => {
                a.for_each(&mut *self.on_remove);
                b.for_each(&mut *self.on_add);
            }
        }
    }

    /// A point on a shortest path through the box, about half way; `None` when
    /// there are no steps left.
    fn middle(&mut self, a_range: &Range<usize>, b_range: &Range<usize>) -> Option<(usize, usize)> {
        let (a, b) = (&self.a[a_range.clone()], &self.b[b_range.clone()]);
        let (n, m) = (a.len() as isize, b.len() as isize);
        let delta = n - m;
        let odd = delta % 2 != 0;
        let most = (n + m + 1) / 2;
        let index = |k: isize| (k + most + 1) as usize;
        let (forward, backward) = (&mut self.forward, &mut self.backward);
        forward[index(1)] = 0;
        backward[index(1)] = 0;
        for d in 0..=most {
            for is_forward in [true, false] {
                let (reach, other) = if is_forward {
                    (&mut *forward, &*backward)
                } else {
                    (&mut *backward, &*forward)
                };
                let mut k = -d;
                while k <= d {
                    let down = k == -d || (k != d && reach[index(k - 1)] < reach[index(k + 1)]);
                    let start = if down {
                        reach[index(k + 1)]
                    } else {
                        reach[index(k - 1)] + 1
                    };
                    let mut x = start;
                    while x < n && x - k < m && {
                        let (at, bt) = if is_forward {
                            (x, x - k)
                        } else {
                            (n - 1 - x, m - 1 - (x - k))
                        };
                        a[at as usize] == b[bt as usize]
                    } {
                        x += 1;
                    }
                    reach[index(k)] = x;
                    self.steps = self.steps.checked_sub(1 + (x - start) as usize)?;
                    // Where the other end has been at this depth, the two may have met.
                    let met = if is_forward {
                        odd && (delta - k).abs() < d
                    } else {
                        !odd && (delta - k).abs() <= d
                    };
                    if met && x + other[index(delta - k)] >= n {
                        let (x, y) = if is_forward {
                            (start, start - k)
                        } else {
                            (n - x, m - (x - k))
                        };
                        return Some((a_range.start + x as usize, b_range.start + y as usize));
                    }
                    k += 2;
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The length of the longest common subsequence, the plain way.
    fn common(a: &[&str], b: &[&str]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for x in a {
            let mut diagonal = 0;
            for (j, y) in b.iter().enumerate() {
                let above = row[j + 1];
                row[j + 1] = if x == y {
                    diagonal + 1
                } else {
                    above.max(row[j])
                };
                diagonal = above;
            }
        }
        row[b.len()]
    }

    fn kept<'a>(lines: &[&'a str], marks: &[bool]) -> Vec<&'a str> {
        let unmarked = lines.iter().zip(marks).filter(|(_, mark)| !**mark);
        unmarked.map(|(line, _)| *line).collect()
    }

    #[test]
    fn scripts_are_right_and_shortest_and_right_without_steps_too() {
        let mut seed: u32 = 7;
        let mut next = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % below
        };
        let words = ["a", "b", "c", "d", "e", "f"];
        for _ in 0..4_000 {
            let letters = 1 + next(6);
            let mut some = |most| -> Vec<&str> {
                let length = next(most);
                (0..length).map(|_| words[next(letters) as usize]).collect()
            };
            let (old, new) = (some(24), some(24));
            let (removed, added) = edit_script(&old, &new);
            let same = kept(&old, &removed);
            assert_eq!(same, kept(&new, &added), "{old:?} {new:?}");
            assert_eq!(same.len(), common(&old, &new), "{old:?} {new:?}");
            for steps in [0, 5, 20] {
                let (removed, added) = script_within(&old, &new, steps);
                assert_eq!(kept(&old, &removed), kept(&new, &added), "{old:?} {new:?}");
            }
        }
    }

    #[test]
    fn the_work_on_large_files_without_likeness_is_bounded() {
        let old: Vec<&str> = (0..60_000)
            .map(|n| if n % 3 == 0 { "a" } else { "b" })
            .collect();
        let new: Vec<&str> = (0..60_000)
            .map(|n| if n % 7 < 3 { "b" } else { "a" })
            .collect();
        let (removed, added) = edit_script(&old, &new);
        assert_eq!(kept(&old, &removed), kept(&new, &added));
    }
}
