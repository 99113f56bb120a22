// npm run screenshots: takes the pictures of the web page for the README, with a real server in a real browser. What a
// model would say, and what the server does meanwhile, is replaced by fixed answers, so that pictures change only with
// the page.

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { root, setUp } from './setup.mjs';

const target = join(root, 'docs', 'images');
const maxBytes = 100 * 1024;
const screens = {
  desktop: { viewport: { width: 1200, height: 760 } },
  phone: { viewport: { width: 390, height: 760 }, deviceScaleFactor: 1.5, hasTouch: true },
};
/** The view, the screen and the colors of each picture. */
const pictures = [
  ['chat', 'desktop', 'light'],
  ['chat', 'desktop', 'dark'],
  ['models', 'desktop', 'light'],
  ['connect', 'desktop', 'dark'],
  ['now', 'desktop', 'light'],
  ['now', 'desktop', 'dark'],
  ['chat', 'phone', 'light'],
  ['models', 'phone', 'dark'],
  ['connect', 'phone', 'light'],
  ['docs', 'phone', 'dark'],
];

const answer = `The sky is blue because air **scatters** short waves of light more than long ones.

| color | wavelength | scattered |
|---|--:|--:|
| blue | 450 nm | 4.4 × |
| red | 650 nm | 1 × |

The strength falls with the fourth power of the wavelength, $I \\propto \\lambda^{-4}$:

\`\`\`python
def scattered(wavelength: float, other: float = 650) -> float:
    """How much more than the other color."""
    return (other / wavelength) ** 4
\`\`\`
`;

/** A server with a GPU, two running requests and one that waits. Each reading is two seconds later. */
function createBusyServer() {
  const gib = 2 ** 30;
  const begin = Date.parse('2026-01-01T12:00:00Z');
  const timeOf = (seconds) => new Date(begin + seconds * 1000).toISOString();
  const model = {
    name: 'qwen3:8b',
    model: 'qwen3:8b',
    digest: '',
    modified_at: timeOf(0),
    expires_at: timeOf(300),
    details: { parameter_size: '8.2B', quantization_level: 'Q4_K_M', family: 'qwen3', families: ['qwen3'] },
    size: 7.4 * gib,
    size_vram: 6.9 * gib,
    context_length: 16_384,
    context: { length: 16_384, parallel: 4 },
    state: 'busy',
    backend: 'cuda',
    gpu: { devices: [{ name: 'CUDA0', size_vram: 6.9 * gib }], layers: 37, total_layers: 37 },
  };
  const requests = (seconds) => [
    { id: 'a', endpoint: '/api/chat', since: timeOf(-31), state: 'running', ...tokensOf(5210, 1900 + 61 * seconds) },
    { id: 'b', endpoint: '/v1/messages', since: timeOf(-9), state: 'running', ...tokensOf(9120, 530 + 58 * seconds) },
    { id: 'c', endpoint: '/v1/responses', since: timeOf(-1), state: 'waiting', position: 1, ...tokensOf(0, 0) },
  ];
  const intervals = Array.from({ length: 60 }, (_, index) => {
    const load = Math.max(0, Math.sin(index / 9) + Math.sin(index / 3.1) / 4 + 0.35);
    return tokensOf(Math.round(900 * load), Math.round(460 * load));
  });
  const cpu = { kind: 'cpu', name: 'Main memory', total: 64 * gib, free: 41 * gib, cores: 16, backend: 'cpu' };
  const gpu = { kind: 'gpu', name: 'NVIDIA L4', total: 24 * gib, free: 16.4 * gib, driver: '580.82', backend: 'cuda' };
  let readings = 0;
  return {
    '/api/ps': () => ({ models: [model] }),
    '/api/activity': () => {
      const seconds = 2 * readings++;
      const listed = requests(seconds).map((request) => ({ ...request, model: model.name }));
      return { time: timeOf(seconds), requests: listed, interval_ms: 5000, intervals };
    },
    '/api/devices': () => ({ engine: '', devices: [gpu, cpu], backends: [] }),
  };
}

/** The prefix cache provides four fifths of a prompt. */
function tokensOf(prompt, generated) {
  return { prompt_tokens: prompt, cached_tokens: Math.round(prompt * 0.8), generated_tokens: generated };
}

/** The views, and how each is brought into the state of its picture. */
const views = {
  async chat(page, url) {
    const part = { model: 'ember:latest', created_at: new Date().toISOString(), done: false };
    const counts = { prompt_eval_count: 31, eval_count: 142, eval_duration: 0.9e9, prompt_eval_duration: 2e7 };
    const objects = [
      { ...part, message: { role: 'assistant', content: answer } },
      { ...part, message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop', ...counts },
    ];
    const body = objects.map((object) => `${JSON.stringify(object)}\n`).join('');
    // Those of the pictures before.
    const { chats } = await (await fetch(`${url}/api/chats`)).json();
    for (const { id } of chats) await fetch(`${url}/api/chats/${id}`, { method: 'DELETE' });
    await page.route('**/api/chat', (route) => route.fulfill({ contentType: 'application/x-ndjson', body }));
    await page.goto(url);
    const field = page.getByRole('textbox', { name: 'Message', exact: true });
    await field.fill('Why is the sky blue?');
    await field.press('Enter');
    await page.locator('article.assistant .hl-keyword').first().waitFor();
    await page.locator('article.assistant math').first().waitFor();
  },
  async models(page, url) {
    await page.goto(`${url}/#/models`);
    await page
      .getByText(/just now|ago/)
      .first()
      .waitFor();
  },
  async now(page, url) {
    for (const [path, read] of Object.entries(createBusyServer()))
      await page.route(`**${path}`, (route) => route.fulfill({ json: read() }));
    await page.goto(`${url}/#/now`);
    await page.getByRole('heading', { name: 'Devices' }).waitFor();
    // Speeds are known after the second reading.
    await page
      .getByText(/answer [\d,]+ · [\d.]+ tokens/)
      .first()
      .waitFor();
  },
  async connect(page, url) {
    await page.goto(`${url}/#/connect`);
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

async function startServer(folder) {
  const child = spawn(process.execPath, [join(root, 'dist', 'main.js'), 'serve'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH, HOME: folder, HEARTH_HOST: '127.0.0.1:0', HEARTH_MODELS: join(folder, 'models') },
  });
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    const url = /listening on (http\S+)/.exec(output)?.[1];
    if (url !== undefined) return { url, stop: () => child.kill() };
  }
  throw new Error('the server ended');
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
  // The list of models shows the last use.
  const body = JSON.stringify({ model: 'ember', prompt: 'Hi', stream: false, options: { num_predict: 1 } });
  await fetch(`${url}/api/generate`, { method: 'POST', body });
  for (const [view, screen, colorScheme] of pictures) {
    const context = await browser.newContext({ ...screens[screen], colorScheme, serviceWorkers: 'block' });
    const page = await context.newPage();
    await views[view](page, url);
    const path = join(target, `${view}-${screen}-${colorScheme}.webp`);
    const picture = await toWebp(browser, await page.screenshot({ animations: 'disabled' }));
    writeFileSync(path, picture);
    console.log(`${picture.length} ${path}`);
    if (picture.length > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes`);
    await context.close();
  }
}

setUp();
mkdirSync(target, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'hearth-screenshots-'));
const server = await startServer(folder);
const browser = await chromium.launch({ executablePath: findBrowser() });
try {
  await takePictures(browser, server.url);
} finally {
  await browser.close();
  server.stop();
  rmSync(folder, { recursive: true, force: true });
}
