// A long answer as models write them: headings, paragraphs, lists, code, tables.

const WORDS = 'the page keeps every message and result before it goes on while a slow host sends small pieces of text which are drawn as they come'.split(' ');

/** Words from the `n`th on; the same every time. */
const words = (n, count) => Array.from({ length: count }, (_, at) => WORDS[(n * 7 + at * 5) % WORDS.length]).join(' ');

const part = (n) => `## Part ${n}: ${words(n, 4)}

${words(n, 40)}, **${words(n + 1, 3)}** and \`${words(n, 1)}_${n}()\`, see [the notes](https://example.com/${n}).

- **${words(n, 2)}**: ${words(n + 2, 14)}
- ${words(n + 3, 9)}
  1. ${words(n + 4, 8)}
  2. ${words(n + 5, 8)}

\`\`\`rust
fn part_${n}(input: &str) -> usize {
    let count = input.lines().count();
    count + ${n}
}
\`\`\`

| ${words(n, 1)} | ${words(n + 1, 1)} | ${words(n + 2, 1)} |
|---|---|--:|
| ${words(n, 2)} | ${words(n + 6, 3)} | ${n} |
| ${words(n + 7, 2)} | ${words(n + 8, 3)} | ${n * n} |

> ${words(n + 9, 20)}.

`;

/** What every answer ends with: once it is to be seen, all is drawn. */
export const END = 'That was all.';

/** An answer of so many characters, and its end. */
export function answer(size) {
  let text = '';
  for (let n = 1; text.length < size; n += 1) text += part(n);
  return `${text.slice(0, size)}\n\n${END}`;
}
