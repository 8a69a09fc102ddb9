// States of the endpoints for shots.mjs: their form, their lists, the models at the composer.

import { counted, failure, held, text } from './endpoint.mjs';
import { fillSetup, refuseKeys, send, setup, waitAnswer } from './app.mjs';

const MAKERS = ['anthropic', 'deepseek', 'google', 'mistralai', 'openai', 'qwen'];
const MANY = Array.from({ length: 5_000 }, (_, n) => `${MAKERS[n % 6]}/model-${n}${n % 7 ? '' : '-with-a-rather-long-name-behind-it'}`);

/** Puts what is looked at into the middle of the window. */
const look = (page, id) => page.getByTestId(id).first().evaluate((element) => element.scrollIntoView({ block: 'center' }));

async function openSettings(page) {
  const sessions = page.getByTestId('tab-sessions');
  if (await sessions.isVisible()) await sessions.click();
  await page.getByTestId('settings-open').click();
  await page.getByTestId('endpoint-add').waitFor();
}

async function add(page, baseUrl, name) {
  await openSettings(page);
  await page.getByTestId('endpoint-add').click();
  await page.getByTestId('setup-name').fill(name);
  await fillSetup(page, { baseUrl, key: '', model: 'gpt-4.1-mini' });
  await page.getByTestId('setup-save').waitFor({ state: 'hidden' });
  await page.keyboard.press('Escape');
  const chat = page.getByTestId('tab-chat');
  if (await chat.isVisible()) await chat.click();
}

/** As those of shots.mjs; `models` are those of the endpoint. */
export const endpointStates = {
  'endpoints-provider': {
    steps: async (page) => {
      await page.getByTestId('setup-provider').click();
      await page.getByTestId('setup-providers').waitFor();
      await look(page, 'setup-provider');
    },
  },
  'endpoints-local': {
    steps: async (page) => {
      await page.getByTestId('setup-provider').fill('olla');
      await page.keyboard.press('Enter');
      await look(page, 'setup-provider');
    },
  },
  'endpoints-more': {
    steps: async (page, endpoint) => {
      await page.getByTestId('setup-more').click();
      await page.getByTestId('option-headers').fill('X Title: a');
      await page.getByTestId('option-temperature').fill('hot');
      await page.getByTestId('option-extra-body').fill('[1]');
      await fillSetup(page, endpoint);
      await page.getByTestId('option-headers-error').waitFor();
      await look(page, 'option-key-header');
    },
  },
  'endpoints-models': {
    models: MANY,
    steps: async (page, endpoint) => {
      await page.getByTestId('setup-base-url').fill(endpoint.baseUrl);
      await page.getByTestId('setup-models-list').click();
      await page.getByRole('option').first().waitFor();
      await page.getByTestId('setup-model').fill('open 12');
      await page.keyboard.press('ArrowDown');
      await look(page, 'setup-model');
    },
  },
  'endpoints-no-models': {
    models: failure(401, { message: 'Incorrect API key provided.', code: 'invalid_api_key' }),
    steps: async (page, endpoint) => {
      await page.getByTestId('setup-base-url').fill(endpoint.baseUrl);
      await page.getByTestId('setup-models-list').click();
      await page.locator('.combo__status').waitFor();
      await page.waitForTimeout(300);
      await look(page, 'setup-model');
    },
  },
  'endpoints-settings': {
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await add(page, 'http://127.0.0.1:11434/v1', 'On my desk');
      await add(page, 'https://a-host-with-a-long-name.example.com/openai/v1', '');
      await openSettings(page);
      await page.getByTestId('endpoint-remove').nth(1).click();
    },
  },
  'endpoints-edit': {
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await openSettings(page);
      await page.getByTestId('endpoint-edit').click();
      await page.getByTestId('setup-save').waitFor();
    },
  },
  'endpoints-long': {
    steps: async (page, endpoint) => {
      await setup(page, { baseUrl: endpoint.baseUrl, model: 'a-maker-with-a-name/a-model-with-a-rather-long-name-behind-it-2026-10-30-preview' });
      await add(page, 'http://127.0.0.1:11434/v1', 'The one on the machine under my desk, which is off on weekends');
      await add(page, 'https://a-host-with-a-long-name-of-many-parts.region-one.example.com/openai/v1', '我家里那台机器上的模型服务器，周末关机');
      await openSettings(page);
    },
  },
  'endpoints-options': {
    steps: async (page, endpoint) => {
      await page.getByTestId('setup-more').click();
      await page.getByTestId('option-headers').fill('X-Title: Tabloop\nX-Team: a team with a long name, so that the line has to break');
      await page.getByTestId('option-temperature').fill('0.7');
      await page.getByTestId('option-extra-body').fill('{"seed": 7}');
      await page.getByTestId('setup-base-url').fill(endpoint.baseUrl);
      await page.getByTestId('setup-save').scrollIntoViewIfNeeded();
    },
  },
  'endpoints-lessons': {
    script: ({ body }) => {
      if (body.stream_options) return failure(400, { message: "Unknown parameter: 'stream_options'." });
      return body.messages[0].role === 'system' ? failure(400, { message: 'System role not supported' }) : text('Noted.');
    },
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await send(page, 'Hello');
      await waitAnswer(page, 'Noted');
      await openSettings(page);
      await page.getByTestId('endpoint-edit').click();
      await page.getByTestId('endpoint-lessons').waitFor();
      await look(page, 'endpoint-lessons');
    },
  },
  'endpoints-cut': {
    script: [counted(text('I have read it.'), 4_096)],
    steps: async (page, endpoint) => {
      await setup(page, endpoint);
      await send(page, 'Read this with care. '.repeat(3_000));
      await waitAnswer(page, 'have read');
      await page.waitForTimeout(500);
    },
  },
  'endpoints-key-page': {
    steps: async (page) => {
      await refuseKeys(page.context(), 'https://api.openai.com');
      await page.getByTestId('setup-base-url').fill('https://api.openai.com/v1');
      await page.getByTestId('setup-api-key').fill('sk-no-key-at-all');
      await page.getByTestId('setup-model').fill('gpt-5-mini');
      await page.getByTestId('doctor-run').click();
      await page.getByTestId('doctor-key-page').waitFor();
      await look(page, 'doctor-key-page');
    },
  },
  'endpoints-facts': {
    steps: async (page, endpoint) => {
      await setup(page, { baseUrl: endpoint.baseUrl, model: 'openai/gpt-4.1-mini' });
      await openSettings(page);
      await look(page, 'facts-source');
    },
  },
  'endpoints-link': {
    steps: async (page) => {
      await page.evaluate(() => { location.hash = 'base=https://models.example.com/v1&model=large&key=sk-1'; });
      await page.getByTestId('setup-link-note').waitFor();
      await look(page, 'setup-link-note');
    },
  },
  'endpoints-picker': {
    script: [held(text('I am still at work on it.'))],
    models: MANY,
    steps: async (page, endpoint) => {
      await setup(page, { baseUrl: 'http://127.0.0.1:11434/v1' });
      await add(page, endpoint.baseUrl, 'With many models');
      await send(page, 'Take your time');
      await waitAnswer(page, 'at work');
      await page.getByTestId('model-picker').click();
      await page.getByTestId('model-list').getByRole('option').first().waitFor();
      await page.waitForTimeout(500);
    },
  },
};
