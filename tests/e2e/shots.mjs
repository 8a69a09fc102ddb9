// Pictures of the main states for people to look at; no part of the test run.
//
//   node shots.mjs <folder> [word …]   only the states with one of the words in their name

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { call, calls, failure, held, MODEL, startEndpoint, text } from './endpoint.mjs';
import { launch, openPage, serveDist } from './harness.mjs';
import { keepKeys, openKeys, PASSPHRASE, tryUnlock, typeNew, waitKeys } from './keys.mjs';
import { changesStates } from './shots-changes.mjs';
import { endpointStates } from './shots-endpoints.mjs';
import { roomStates } from './shots-room.mjs';
import { sandboxStates } from './shots-sandbox.mjs';
import { viewerStates } from './shots-viewers.mjs';
import { cardText, importFiles, openFile, send, setup, reload, startDemo, waitAnswer, waitStopped } from './app.mjs';

const SIZES = { wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 740 } };
const SCHEMES = ['light', 'dark'];
const LOCALES = ['en-GB', 'zh-CN'];

const TODO_TASK = 'Read meeting.md, collect the lines that begin with TODO, write them to todo-list.md';

const MARKDOWN = `## What I found

The list has **three** parts, see \`src/list.rs\`, line 12:

1. reading, which takes *most* of the time,
2. sorting
   - by name
   - by age
3. writing.

> Nobody reads the manual.

\`\`\`rust
fn main() {
    println!("a line that is long enough to be wider than the column it stands in, on any window");
}
\`\`\`

| step | time | share |
|------|-----:|------:|
| read | 12 ms | 60 % |
| sort | 5 ms | 25 % |

More at [the page](https://example.com/a/rather/long/address/that/has/to/break/somewhere).
`;

const LONG = '这是一段很长的中文文字，夹杂着 English words 和 `code`，用来看换行是否好看。'.repeat(6)
  + '\n\n' + 'A paragraph that goes on for a while, so that lines break where they should. '.repeat(12)
  + '\n\n' + 'https://example.com/' + 'an-address-without-a-place-to-break-it'.repeat(6);

/** Each state: what the endpoint answers, and how a user gets there. */
const states = {
  'first-start': { steps: async () => {} },
  'setup-errors': {
    steps: async (page) => {
      await page.getByTestId('setup-base-url').fill('api.example.com');
      await page.getByTestId('setup-save').click();
      await page.getByTestId('setup-base-url-error').waitFor();
    },
  },
  'empty-session': { steps: startDemo },
  running: {
    script: [
      calls(call('list_dir', {}), call('read_file', { path: 'meeting.md' })),
      held(text('I have read the minutes. Three lines begin with TODO; now I')),
    ],
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await send(page, TODO_TASK);
      await waitAnswer(page, 'now I');
    },
  },
  finished: {
    steps: async (page) => {
      await startDemo(page);
      await send(page, TODO_TASK);
      await waitStopped(page, 'Completed');
      for (const card of await page.getByTestId('tool-card').all()) await cardText(card, 'tool-result');
      await showFiles(page);
      await openFile(page, 'todo-list.md');
    },
  },
  answer: {
    script: [text(MARKDOWN)],
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await send(page, 'What is in the list?');
      await waitStopped(page, 'Completed');
    },
  },
  'tool-error': {
    steps: async (page) => {
      await startDemo(page);
      await send(page, 'Read ../secret and tell me what is in it');
      await waitStopped(page, 'Completed');
      await cardText(page.getByTestId('tool-card').first(), 'tool-result');
    },
  },
  'round-limit': {
    steps: async (page) => {
      await startDemo(page);
      await send(page, 'Keep listing the files for ever (runaway demo)');
      await waitStopped(page, 'RoundLimit');
    },
  },
  failed: {
    script: [failure(401, { message: 'Incorrect API key provided.', code: 'invalid_api_key' })],
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await send(page, TODO_TASK);
      await waitStopped(page, 'Failed');
    },
  },
  'doctor-running': {
    script: () => held(text('OK')),
    steps: (page, endpoint) => runDoctor(page, endpoint, 'running'),
  },
  'doctor-fine': {
    script: ({ body }) => (body.tools ? calls(call('ping', {})) : text('OK')),
    steps: (page, endpoint) => runDoctor(page, endpoint, 'fine'),
  },
  'doctor-problem': {
    script: () => failure(404, { message: 'The model does not exist', code: 'model_not_found' }),
    steps: (page, endpoint) => runDoctor(page, { baseUrl: endpoint.baseUrl, model: 'scripted' }, 'problem'),
  },
  'doctor-server': {
    script: [],
    steps: (page) => runDoctor(page, { baseUrl: 'http://127.0.0.1:11434/v1' }, 'problem'),
  },
  'doctor-after-run': {
    script: () => failure(401, { message: 'Incorrect API key provided.', code: 'invalid_api_key' }),
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await send(page, TODO_TASK);
      await waitStopped(page, 'Failed');
    },
  },
  'doctor-settings': {
    script: () => failure(401, { message: 'Incorrect API key provided.', code: 'invalid_api_key' }),
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await send(page, TODO_TASK);
      await waitStopped(page, 'Failed');
      await page.getByTestId('doctor-run').click();
      await page.locator('[data-testid="doctor-report"][data-state="problem"]').waitFor();
    },
  },
  settings: {
    steps: async (page) => {
      await startDemo(page);
      await showSessions(page);
      await page.getByTestId('settings-open').click();
      await page.getByTestId('setting-round-limit').waitFor();
    },
  },
  'keys-none': {
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await openKeys(page);
    },
  },
  'keys-new': {
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await openKeys(page);
      await page.getByTestId('keys-keep').click();
      await typeNew(page, 'sunshine-rain', 'something else');
      await page.getByTestId('keys-save').scrollIntoViewIfNeeded();
    },
  },
  'keys-open': {
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await keepKeys(page);
      await openKeys(page);
    },
  },
  'keys-change': {
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await keepKeys(page);
      await openKeys(page);
      await page.getByTestId('keys-change').click();
      await page.getByTestId('keys-old').fill('not this one');
      await typeNew(page, PASSPHRASE);
      await page.getByTestId('keys-old-error').waitFor();
      await page.getByTestId('keys-save').scrollIntoViewIfNeeded();
    },
  },
  'keys-forget': {
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await keepKeys(page);
      await openKeys(page);
      await page.getByTestId('keys-forget').click();
      await page.getByTestId('keys-forget-yes').scrollIntoViewIfNeeded();
    },
  },
  'keys-locked': {
    script: [text('Three lines begin with TODO.')],
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await send(page, TODO_TASK);
      await waitStopped(page, 'Completed');
      await keepKeys(page);
      await reload(page);
      await page.getByTestId('unlock-card').waitFor();
    },
  },
  'keys-wrong': {
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await keepKeys(page);
      await reload(page);
      await page.getByTestId('composer-input').fill(TODO_TASK);
      await page.getByTestId('composer-send').click();
      await tryUnlock(page, 'not this one');
      await page.getByTestId('unlock-passphrase-error').waitFor();
    },
  },
  'keys-settings-locked': {
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await keepKeys(page);
      await openKeys(page);
      await page.getByTestId('keys-lock').click();
      await waitKeys(page, 'locked');
      await page.getByTestId('keys-forget').scrollIntoViewIfNeeded();
    },
  },
  'many-sessions': {
    script: () => text('Noted.'),
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      for (let n = 1; n <= 30; n += 1) {
        await showSessions(page);
        await page.getByTestId('session-new').click();
        await showChat(page);
        await page.getByTestId('message-user').waitFor({ state: 'detached' });
        await send(page, `Task ${n}: look after ${'a matter of some length '.repeat(n % 4)}`);
        await waitStopped(page, 'Completed');
      }
      await showSessions(page);
    },
  },
  'many-files': {
    script: [],
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      const files = Array.from({ length: 100 }, (_, n) => [`report-${n}-${'of-a-long-name-'.repeat(n % 5)}.txt`, `number ${n}\n`]);
      await showFiles(page);
      await importFiles(page, Object.fromEntries(files));
    },
  },
  'import-menu': {
    steps: async (page) => {
      await startDemo(page);
      await showFiles(page);
      await page.getByTestId('import-menu').click();
    },
  },
  'import-report': {
    steps: async (page) => {
      await startDemo(page);
      await showFiles(page);
      await page.getByTestId('import-input').setInputFiles(fileURLToPath(new URL('../archives/odd.tar', import.meta.url)));
      await page.getByTestId('toast').locator('summary').click();
    },
  },
  'import-running': {
    steps: async (page) => {
      await startDemo(page);
      await showFiles(page);
      await page.context().route('https://api.github.com/**', () => {});
      await page.getByTestId('import-menu').click();
      await page.getByTestId('import-repository').fill('github.com/ab/cd');
      await page.getByTestId('import-repository-go').click();
      await page.getByTestId('transfer').waitFor();
    },
  },
  'import-drop': {
    steps: async (page) => {
      await startDemo(page);
      await showFiles(page);
      await page.locator('.workspace').dispatchEvent('dragover');
    },
  },
  'long-text': {
    script: [text(LONG)],
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await send(page, LONG);
      await waitStopped(page, 'Completed');
    },
  },
};

/** Has what is filled in examined on the start page, until the report says so. */
async function runDoctor(page, { baseUrl, model = MODEL }, state) {
  await page.getByTestId('setup-base-url').fill(baseUrl);
  await page.getByTestId('setup-api-key').fill('sk-shown-to-nobody');
  await page.getByTestId('setup-model').fill(model);
  await page.getByTestId('doctor-run').click();
  await page.locator(`[data-testid="doctor-report"][data-state="${state}"]`).waitFor();
  await page.waitForTimeout(300);
}

// On a narrow window the panes lie behind tabs; on a wide one there are none.
async function choose(page, tab) {
  const button = page.getByTestId(tab);
  if (await button.isVisible()) await button.click();
}
const showChat = (page) => choose(page, 'tab-chat');
const showFiles = (page) => choose(page, 'tab-files');
const showSessions = (page) => choose(page, 'tab-sessions');

async function shoot(browser, site, folder, [name, { script = [], models, steps }], look) {
  const endpoint = await startEndpoint(script, { models });
  const context = await browser.newContext({ viewport: SIZES[look.size], colorScheme: look.scheme, locale: look.locale });
  try {
    const page = await openPage(context, site.url);
    await steps(page, endpoint);
    const file = `${name}-${look.size}-${look.scheme}-${look.locale.slice(0, 2)}.png`;
    await page.screenshot({ path: join(folder, file) });
    console.log(file);
  } finally {
    await context.close();
    await endpoint.close();
  }
}

const [folder, ...words] = process.argv.slice(2);
if (!folder) {
  console.error('Usage: node shots.mjs <folder> [word …]');
  process.exit(2);
}
await mkdir(folder, { recursive: true });
const site = await serveDist();
const browser = await launch();
let failed = 0;
for (const state of Object.entries({ ...states, ...endpointStates, ...changesStates, ...roomStates,
  ...sandboxStates, ...viewerStates })) {
  if (words.length > 0 && !words.some((word) => state[0].includes(word))) continue;
  for (const size of Object.keys(SIZES)) for (const scheme of SCHEMES) for (const locale of LOCALES) {
    await shoot(browser, site, folder, state, { size, scheme, locale }).catch((error) => {
      failed += 1;
      console.error(`${state[0]} (${size}, ${scheme}, ${locale}): ${error.message}`);
    });
  }
}
await browser.close();
await site.close();
process.exit(failed > 0 ? 1 : 0);
