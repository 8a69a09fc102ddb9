//! How many tokens a text is, estimated without a tokenizer's tables (they are
//! megabytes), and how the estimate learns from what an endpoint counts.
//!
//! The estimate follows how byte-pair tokenizers of the o200k kind cut a text:
//! into words with the blank before them, groups of three digits, runs of blanks
//! and runs of marks. It takes one pass.

use crate::plain::Plain;

/// What a character is to a tokenizer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    Blank,
    LineEnd,
    Mark,
    /// A letter that is not ASCII, in a script that parts words.
    Letter,
    /// A character that counts by itself, whatever stands around it.
    Single,
}

/// The tokens of `text`, within a fifth for prose, code and data.
pub fn estimate(text: &str) -> u64 {
    use Class::{Blank, Digit, Letter, LineEnd, Lower, Mark, Single, Upper};
    let mut hundredths: u64 = 0;
    let (mut last, mut last_char) = (LineEnd, '\n');
    let mut run: u64 = 0;
    for c in text.chars() {
        let (class, weight) = class_of(c);
        let run_before = run;
        run = if class == last { run + 1 } else { 1 };
        let in_word = matches!(last, Upper | Lower | Letter);
        hundredths += match class {
            // A common word is one token however long it is, up to a point.
            Lower if last == Lower => match run {
                ..=7 => 0,
                8..=16 => 14,
                _ => 35,
            },
            Lower if last == Letter => 0,
            // The capital has paid for the word; two and more are an acronym before it.
            Lower if last == Upper => {
                if run_before > 1 {
                    60
                } else {
                    0
                }
            }
            Upper if last == Upper => {
                if run > 16 {
                    35
                } else {
                    24
                }
            }
            // A lone letter between capitals: no words but base64 and the like.
            Upper if last == Lower && run_before == 1 => 160,
            Lower | Upper => 100,
            Digit if run % 3 != 1 => 0,
            // A blank joins the word after it, but no number.
            Digit if last == Blank => 200,
            Digit => 100,
            Blank if run == 2 => 100,
            Blank => 0,
            LineEnd if run > 1 => 0,
            LineEnd if last == Mark => 15,
            LineEnd => 100,
            Mark if run == 1 => 70,
            Mark if c == last_char => 10,
            Mark if run == 2 => 40,
            Mark => 20,
            Letter if in_word => weight,
            Letter => weight + 70,
            Single => weight,
        };
        (last, last_char) = (class, c);
    }
    hundredths.div_ceil(100)
}

/// The class of a character and, where its script decides, its hundredths of a token.
fn class_of(c: char) -> (Class, u64) {
    match c {
        'a'..='z' => (Class::Lower, 0),
        ' ' | '\t' => (Class::Blank, 0),
        'A'..='Z' => (Class::Upper, 0),
        '0'..='9' => (Class::Digit, 0),
        '\n' | '\r' => (Class::LineEnd, 0),
        '\0'..='\x7f' => (Class::Mark, 0),
        // Latin with accents: of Western Europe and Vietnam, then of elsewhere.
        '\u{c0}'..='\u{ff}' | '\u{1e00}'..='\u{1eff}' => (Class::Letter, 40),
        '\u{100}'..='\u{24f}' => (Class::Letter, 120),
        // Cyrillic.
        '\u{400}'..='\u{52f}' => (Class::Letter, 20),
        // Greek; Hebrew.
        '\u{370}'..='\u{3ff}' | '\u{590}'..='\u{5ff}' => (Class::Letter, 28),
        // Arabic; the scripts of India.
        '\u{600}'..='\u{6ff}' | '\u{900}'..='\u{dff}' => (Class::Letter, 24),
        // Thai, Lao, Tibetan, Burmese.
        '\u{e00}'..='\u{10ff}' => (Class::Letter, 40),
        // Chinese and its marks; Japanese; Korean.
        '\u{3040}'..='\u{30ff}' => (Class::Single, 66),
        '\u{3000}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}' => (Class::Single, 71),
        '\u{ac00}'..='\u{d7af}' => (Class::Single, 68),
        // Typographic marks; lines of boxes.
        '\u{a0}'..='\u{bf}' | '\u{2000}'..='\u{206f}' | '\u{2500}'..='\u{257f}' => {
            (Class::Single, 80)
        }
        // Emoji and rare scripts.
        '\u{10000}'.. => (Class::Single, 180),
        _ => (Class::Single, 150),
    }
}

/// What the ratio of counted to estimated tokens may be, in thousandths.
const RATIO: std::ops::RangeInclusive<u64> = 500..=3_000;
/// Ratios beyond these say that something else was counted.
const PLAUSIBLE: std::ops::RangeInclusive<u64> = 200..=5_000;

/// How one model's own count relates to [`estimate`]. One is kept for each model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Plain)]
pub struct Calibration {
    /// Counted by estimated, in thousandths.
    per_mille: u64,
    /// Whether any pair was learned yet.
    learned: bool,
}

impl Default for Calibration {
    fn default() -> Self {
        Self {
            per_mille: 1_000,
            learned: false,
        }
    }
}

impl Calibration {
    /// Learns from one request: what was estimated for it and what the endpoint
    /// counted. The first pair is taken as it is, each later one by a quarter.
    /// Pairs with a zero and pairs that are more than five times apart are ignored.
    pub fn learn(&mut self, estimated: u64, counted: u64) {
        if estimated == 0 {
            return;
        }
        let seen = counted.saturating_mul(1_000) / estimated;
        if !PLAUSIBLE.contains(&seen) {
            return;
        }
        let seen = seen.clamp(*RATIO.start(), *RATIO.end());
        self.per_mille = if self.learned {
            (self.per_mille * 3 + seen + 2) / 4
        } else {
            seen
        };
        self.learned = true;
    }

    /// What the model would count where `estimated` was estimated.
    pub fn apply(&self, estimated: u64) -> u64 {
        let ratio = self.per_mille.clamp(*RATIO.start(), *RATIO.end());
        estimated.saturating_mul(ratio) / 1_000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts with the number of tokens that o200k_base makes of them.
    const COUNTED: [(&str, u64); 18] = [
        (
            "The kernel reaches the outside only through the traits defined here, so all of it runs under plain tests. It never draws, never touches the document and never reads a clock by itself. When something goes wrong, the reader is told what happened, what was expected and what to do next.",
            58,
        ),
        (
            "We the People of the United States, in Order to form a more perfect Union, establish Justice, insure domestic Tranquility, provide for the common defence, promote the general Welfare, and secure the Blessings of Liberty to ourselves and our Posterity, do ordain and establish this Constitution for the United States of America.",
            65,
        ),
        (
            "impl ToolRegistry {\n    /// A registry of the given tools.\n    pub fn new(tools: Vec<Box<dyn Tool>>) -> Self {\n        let with_spec = tools.into_iter().map(|tool| (tool.spec(), tool));\n        Self {\n            tools: with_spec.collect(),\n        }\n    }\n}\n",
            63,
        ),
        (
            "def parse(self, lines):\n    for number, line in enumerate(lines, start=1):\n        key, _, value = line.partition('=')\n        if not value:\n            raise ValueError(f\"line {number}: no value for {key!r}\")\n        self.values[key.strip()] = value.strip()\n",
            62,
        ),
        (
            "{\"id\":\"call_8f3a\",\"type\":\"function\",\"function\":{\"name\":\"write_file\",\"arguments\":\"{\\\"path\\\": \\\"src/app.rs\\\", \\\"content\\\": \\\"fn main() {}\\\"}\"}}",
            42,
        ),
        (
            "[\n  {\n    \"name\": \"Anna\",\n    \"amount\": 1842.5,\n    \"active\": true\n  },\n  {\n    \"name\": \"Ben\",\n    \"amount\": 977.25,\n    \"active\": false\n  }\n]\n",
            55,
        ),
        (
            "date,open,close,volume\n2024-03-01,179.55,179.66,73488990\n2024-03-04,176.15,175.10,81510100\n2024-03-05,170.76,170.12,95132360\n2024-03-06,171.06,169.12,68587710\n",
            84,
        ),
        (
            "# Changelog\n\n- **Tools**: list folders, read, write and edit files. They can't reach anything outside the workspace.\n- **You stay in charge**: Stop works at any moment, also between the calls of a round.\n\n| id | state |\n|----|-------|\n| L1 | done |\n",
            65,
        ),
        (
            "这是一个运行在浏览器标签页里的智能助手。它读取并修改工作区中的文件，所有步骤都会保存。如果浏览器在运行中途被关闭，已经显示为完成的内容仍然存在。请在设置中填写接口地址、密钥和模型名称，然后描述你的任务。",
            63,
        ),
        (
            "これはブラウザのタブの中で動くエージェントです。ファイルを読み書きし、すべての手順を保存します。昨日は東京へ行って、とても美味しい寿司を食べました。",
            54,
        ),
        (
            "이것은 브라우저 탭에서 실행되는 에이전트입니다. 파일을 읽고 쓰며 모든 단계를 저장합니다. 어제 서울에 가서 맛있는 음식을 먹었습니다.",
            42,
        ),
        (
            "Это агент, который работает во вкладке браузера. Он читает и изменяет файлы, и все шаги сохраняются. Вчера мы ездили в Москву, погода была прекрасной.",
            42,
        ),
        (
            "هذا وكيل يعمل داخل علامة تبويب في المتصفح. يقرأ الملفات ويكتبها ويحفظ جميع الخطوات. ذهبنا أمس إلى القاهرة وكان الطقس جميلاً جداً.",
            37,
        ),
        (
            "Der Agent läuft in einem Tab des Browsers, liest und ändert Dateien und speichert jeden Schritt. Gestern waren wir in München, und das Wetter war schön.",
            34,
        ),
        (
            "यह एक एजेंट है जो ब्राउज़र टैब में चलता है। यह फ़ाइलें पढ़ता और लिखता है और सभी चरण सहेजता है।",
            34,
        ),
        (
            "Great job! 🎉🎉 Let's ship it 🚀🚀🚀. ✅ Done, ❌ failed, 👩‍💻 works, 😀😃😄😁 thanks 🙏🏽\n",
            43,
        ),
        (
            "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==",
            66,
        ),
        (
            "5cbd2ef1a9036f7b58d530c2e4d1b6a7f09c3e8d5eacf13e7b2a4c6d8f0e1a3b",
            53,
        ),
    ];

    #[test]
    fn estimates_are_within_a_fifth_of_the_count() {
        for (text, counted) in COUNTED {
            let estimated = estimate(text);
            assert!(
                estimated * 10 >= counted * 8 && estimated * 10 <= counted * 12,
                "{estimated} for {counted}: {text}"
            );
        }
    }

    #[test]
    fn an_empty_text_is_nothing_and_any_other_is_something() {
        assert_eq!(estimate(""), 0);
        for text in ["a", " ", "\n", "  ", "7", "。", "\u{10ffff}", "\0"] {
            assert!(estimate(text) <= 2, "{text}");
        }
        assert_eq!(estimate("hello world"), 2);
    }

    #[test]
    fn long_texts_without_words_do_not_count_as_little() {
        for text in [
            "q".repeat(10_000),
            "Q".repeat(10_000),
            "\u{3b1}".repeat(10_000),
        ] {
            let estimated = estimate(&text);
            assert!((2_000..5_000).contains(&estimated), "{estimated}");
        }
    }

    #[test]
    fn a_calibration_learns_from_plausible_pairs_only() {
        let learned = |pairs: &[(u64, u64)]| {
            let mut calibration = Calibration::default();
            for (estimated, counted) in pairs {
                calibration.learn(*estimated, *counted);
            }
            calibration.apply(1_000)
        };
        for (pairs, expected) in [
            (&[][..], 1_000),
            (&[(1_000, 1_200)], 1_200),
            (&[(1_000, 1_200), (1_000, 1_600)], 1_300),
            (&[(0, 10), (10, 0), (1_000, 5_100), (1_000, 190)], 1_000),
            (&[(1_000, 4_000)], 3_000),
            (&[(1_000, 300)], 500),
            (&[(u64::MAX, u64::MAX)], 1_000),
        ] {
            assert_eq!(learned(pairs), expected, "{pairs:?}");
        }
        let steady = learned(&[(900, 1_000); 50]);
        assert_eq!(steady, 1_111);
        assert_eq!(Calibration::default().apply(u64::MAX), u64::MAX / 1_000);
    }

    #[test]
    fn a_calibration_out_of_range_is_read_as_the_nearest() {
        let read: Calibration =
            crate::plain::from_json(r#"{"per_mille":90000,"learned":true}"#).unwrap();
        assert_eq!(read.apply(10), 30);
    }
}
