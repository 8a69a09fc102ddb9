// The project of the coding task: 300 files of a small web library as people have them, with the
// line ends, byte order marks, names and binary files that go wrong first. The same each time.

import { seeded } from './wire.mjs';

/** The folder that the project lies in. */
export const ROOT = 'ledger-kit';
/** How many files it has. */
export const COUNT = 300;

const BOM = '\uFEFF';
const crlf = (text) => text.replaceAll('\n', '\r\n');

/** The files that the task is about. Prices are multiplied by nobody, and the old name stands in many places. */
const CORE = {
  '.gitignore': 'build/\n*.log\n',
  'VERSION': '1.4.0\n',
  'README.md': crlf('# Ledger kit\n\nAdds up the lines of a bill.\n\nVersion 1.4.0\n\n## Use\n\nCall `addUp(lines)` for the sum in cents,\nand `money(cents)` for the text of it.\n\n## Tests\n\nRun `tests/run.sh`.\n'),
  'CHANGES.md': '# Changes\n\n## 1.4.0\n\n- Bills in three languages.\n- Dates of delivery.\n\n## 1.3.0\n\n- First release.\n',
  'src/js/version.mjs': "// Written by the release.\nexport const VERSION = '1.4.0';\n",
  'src/js/totals.mjs': '// Sums of bills, in cents.\n\n/** The sum of all lines. */\nexport function addUp(lines) {\n  let sum = 0;\n  for (const line of lines) {\n    sum += line.price;\n  }\n  return sum;\n}\n\n/** The sum as often as a bill comes in a year. */\nexport const yearly = (lines, times) => addUp(lines) * times;\n',
  'src/js/old-sum.mjs': "// Kept for those who call it by the old place.\nexport { addUp as default } from './totals.mjs';\n",
  'src/js/format.mjs': crlf(`// How sums are written.\n\nexport const CURRENCY = 'EUR';\n\n${'// A line between, so that both places stand apart.\n'.repeat(12)}\nexport function money(cents) {\n  return cents / 100 + ' ' + CURRENCY;\n}\n`),
  'src/js/tax.mjs': `${BOM}import { addUp } from './totals.mjs';\n\n/** The tax on all lines, in cents. */\nexport const tax = (lines, rate) => Math.round(addUp(lines) * rate);\n`,
  'src/py/tally.py': '# The same sums for the back office.\n\ndef add_up(lines):\n    total = 0\n    for line in lines:\n        total += line["price"]\n    return total\n',
  'docs/说明/用法 指南.md': '# 用法\n\n先调用 `addUp`，再调用 `money`。\n\n`addUp` 的结果以分为单位。',
  'web/report.html': '<!doctype html>\n<html lang="en">\n<title>Bill</title>\n<link rel="stylesheet" href="report.css">\n<h1>Bill</h1>\n<ul id="lines"></ul>\n<p id="grand-total"></p>\n<script type="module" src="report.mjs"></script>\n</html>\n',
  'web/report.css': crlf('#grand-total { font-weight: bold; color: rgb(10, 80, 40); }\n'),
  'web/report.mjs': "import { addUp } from '../src/js/totals.mjs';\nimport { money } from '../src/js/format.mjs';\n\nconst lines = await (await fetch('bill.json')).json();\nfor (const { name, count } of lines) {\n  const item = document.createElement('li');\n  item.textContent = count + ' × ' + name;\n  document.getElementById('lines').append(item);\n}\ndocument.getElementById('total').textContent = 'Total ' + money(addUp(lines));\n",
  'web/bill.json': '[{ "name": "Tea", "price": 350, "count": 2 }, { "name": "Crème brûlée", "price": 625, "count": 4 }]\n',
  'tests/cases.csv': 'name,count,price\ntea,2,350\ncake,4,625\n',
  'tests/expected.txt': '3200\n',
  'tests/check_tally.py': 'rows = []\nfor line in open("tests/cases.csv").read().splitlines()[1:]:\n    name, count, price = line.split(",")\n    rows.append({"name": name, "count": int(count), "price": int(price)})\ngot = sum_up(rows)\nwant = int(open("tests/expected.txt").read())\nassert got == want, f"the sum is {got}, not {want}"\nprint("sums: right")\n',
  'tests/run.sh': [
    '#!/bin/bash',
    '# Checks the library; ends with 1 if something is wrong.',
    'cd "$(dirname "$0")/.." || exit 2',
    'failed=0',
    'fail() { echo "FAIL $1"; failed=1; }',
    'cat src/py/tally.py tests/check_tally.py > /tmp/check.py',
    'python3 /tmp/check.py || fail "sums"',
    "old=$(grep -rlE 'addUp|add_up' --include='*.m*' --include='*.py' src docs web README.md | wc -l)",
    '[ "$old" -eq 0 ] || fail "$old files use the old name"',
    "grep -q 'line.price \\* line.count' src/js/totals.mjs || fail \"totals.mjs leaves out the count\"",
    'version=$(cat VERSION)',
    'for file in README.md CHANGES.md src/js/version.mjs; do',
    '  grep -qF "$version" "$file" || fail "$file does not tell version $version"',
    'done',
    "lines=$(wc -l < src/js/format.mjs); returns=$(grep -c $'\\r' src/js/format.mjs)",
    '[ "$lines" -eq "$returns" ] || fail "format.mjs lost its line ends"',
    '[ "$failed" -eq 0 ] && echo "all tests passed in $version" | tee tests/last-run.txt',
    'exit "$failed"',
    '',
  ].join('\n'),
  // What a search must leave out.
  'build/bundle.js': 'function addUp(){}\n'.repeat(40),
  'debug.log': 'addUp was called\n'.repeat(20),
  'assets/img/with text.bin': Buffer.from('\0\x01addUp\0\xFF\xFE', 'latin1'),
  // What an edit or an export could spoil.
  'docs/latin1.txt': Buffer.from('Caf\xE9 addition\n', 'latin1'),
  'docs/no end': 'no line end',
  'docs/empty.md': '',
  'docs/mixed ends.txt': 'one\r\ntwo\nthree\r\n\rfour',
  'docs/utf16.txt': Buffer.from('\uFEFFsechzehn\n', 'utf16le'),
  "assets/it's here & there; $(no).txt": 'a name for shells and HTML\n',
  'assets/emoji 🧾/rechnung-größe.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>\n',
  'a/b/c/d/e/f/g/h/deep.txt': `${BOM}deep\r\n`,
};

const WORDS = 'bill line sum price cents date name count tax city street note item order year week'.split(' ');

/** The rest: code, notes, tables and pictures, none of which the task is about. */
const KINDS = [
  (n, word) => [`src/js/parts/part-${n}.mjs`, `// Part ${n}.\nexport const ${word()}${n} = [${word().length}, ${n}];\n`.repeat(1 + (n % 9))],
  (n, word) => [`src/py/parts/part_${n}.py`, crlf(`def ${word()}_${n}():\n    return "${word()}"\n\n`).repeat(1 + (n % 5))],
  (n, word) => [`docs/notes/naïve ${word()}/note ${n}.md`, `# Note ${n}\n\n${`${word()} `.repeat(n)}\n`],
  (n, word) => [`data/Größe ${n % 4}/table-${n}.csv`, BOM + crlf(`${word()},${word()}\n`.repeat(n))],
  (n, word, bytes) => [`assets/img/${word()}-${n}.png`, Buffer.concat([Buffer.from('\x89PNG\r\n\x1A\n', 'latin1'), bytes(200 + 37 * n)])],
];

/** The files of the project: paths from its folder on, and bytes. */
export function project(seed = 5) {
  const random = seeded(seed);
  const word = () => WORDS[Math.floor(random() * WORDS.length)];
  const bytes = (length) => Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));
  const files = new Map(Object.entries(CORE));
  for (let n = 0; files.size < COUNT; n += 1) files.set(...KINDS[n % KINDS.length](n, word, bytes));
  return new Map([...files].map(([path, content]) => [`${ROOT}/${path}`, Buffer.from(content)]));
}
