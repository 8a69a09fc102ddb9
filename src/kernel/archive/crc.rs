//! The check sum of zip and gzip (CRC-32, ISO 3309), eight bytes at a time.

/// Tables that are worked out when they are needed: as data they would be fetched with
/// the first load.
pub struct Crc(Vec<[u32; 256]>);

impl Default for Crc {
    fn default() -> Self {
        let mut tables = vec![[0; 256]; 8];
        let step = |crc: u32, _| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
        for (n, sum) in tables[0].iter_mut().enumerate() {
            *sum = (0..8).fold(n as u32, step);
        }
        for k in 1..8 {
            for n in 0..256 {
                let before = tables[k - 1][n];
                tables[k][n] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            }
        }
        Self(tables)
    }
}

impl Crc {
    /// The sum of `bytes`.
    pub fn of(&self, bytes: &[u8]) -> u32 {
        self.more(0, bytes)
    }

    /// The sum of what `before` is the sum of, and `bytes` behind it.
    pub fn more(&self, before: u32, bytes: &[u8]) -> u32 {
        let at = |table: usize, byte: u32| self.0[table][(byte & 0xff) as usize];
        let mut crc = !before;
        let mut pieces = bytes.chunks_exact(8);
        for piece in &mut pieces {
            let low = u32::from_le_bytes([piece[0], piece[1], piece[2], piece[3]]) ^ crc;
            let high = u32::from_le_bytes([piece[4], piece[5], piece[6], piece[7]]);
            crc = at(7, low) ^ at(6, low >> 8) ^ at(5, low >> 16) ^ at(4, low >> 24);
            crc ^= at(3, high) ^ at(2, high >> 8) ^ at(1, high >> 16) ^ at(0, high >> 24);
        }
        for byte in pieces.remainder() {
            crc = (crc >> 8) ^ at(0, crc ^ u32::from(*byte));
        }
        !crc
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_of_the_standard_s_example() {
        let crc = Crc::default();
        assert_eq!(crc.of(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc.of(b""), 0);
        let text = b"The quick brown fox jumps over the lazy dog";
        assert_eq!(crc.of(text), 0x414F_A339);
        for cut in 0..text.len() {
            assert_eq!(crc.more(crc.of(&text[..cut]), &text[cut..]), 0x414F_A339);
        }
    }
}
