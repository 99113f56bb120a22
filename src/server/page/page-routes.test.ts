import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { systemClock } from '../../base/time/clock.ts';
import { dialectTable } from '../compose/dialect-table.ts';
import { rootRoute } from '../dialects/ollama/status/root-route.ts';
import { RequestTable } from '../http/requests.ts';
import type { Route } from '../http/route.ts';
import { createHttpServer } from '../http/server.ts';
import { createPageFiles, type PageFile } from './page-files.ts';
import { createSendPage, pageRoute } from './page-routes.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-page-'));
const html: PageFile = {
  name: 'index.html',
  type: 'text/html',
  hash: 'h',
  immutable: false,
  encodings: ['br', 'gzip'],
};
const script: PageFile = { ...html, name: 'main-1.js', type: 'text/javascript', immutable: true };
const frame: PageFile = { ...html, name: 'frame-1.html', immutable: true, sandboxed: true, encodings: [] };
const worker: PageFile = { ...html, name: 'worker.js', type: 'text/javascript', encodings: [] };
const contents = {
  'index.html': 'plain',
  'index.html.br': 'brotli',
  'index.html.gz': 'gzip',
  'main-1.js': 'script',
  'worker.js': 'worker',
  'frame-1.html': 'frame',
  'secret.txt': 'not listed',
  'files.json': JSON.stringify([html, script, worker, frame]),
};
for (const [name, content] of Object.entries(contents)) writeFileSync(join(folder, name), content);

function serve(routes: readonly Route[]) {
  return createHttpServer({
    routes,
    dialects: dialectTable,
    requests: new RequestTable({ clock: systemClock, logger: silentLogger }),
    maxBodyBytes: 1000,
    isAllowedOrigin: () => true,
    clock: systemClock,
    logger: silentLogger,
  });
}
const files = createPageFiles(folder);
const app = serve([rootRoute(createSendPage(files)), pageRoute(files, dialectTable.fallback)]);
const withoutPage = serve([rootRoute()]);
afterAll(async () => {
  await Promise.all([app.close(), withoutPage.close()]);
  rmSync(folder, { recursive: true });
});

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const get = (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers });

test('a browser gets the page at /, other clients the text that they compare', async () => {
  const page = await get('/', browser);
  expect([page.statusCode, page.body, page.headers['content-type']]).toEqual([200, 'plain', 'text/html']);
  for (const accept of ['*/*', 'application/json']) expect((await get('/', { accept })).body).toBe('Ollama is running');
  expect((await get('/')).headers).toMatchObject({ vary: 'Accept, Origin' });
});

test('a file of the page is the same for every Accept header', async () => {
  expect((await get('/page/main-1.js')).headers['vary']).toBe('Accept-Encoding, Origin');
  expect((await get('/', browser)).headers['vary']).toContain('Accept,');
});

test('without the page, a browser gets the text', async () => {
  const { body } = await withoutPage.inject({ method: 'GET', url: '/', headers: browser });
  expect(body).toBe('Ollama is running');
  expect((await withoutPage.inject({ method: 'GET', url: '/page/main-1.js' })).statusCode).toBe(404);
});

test.each([
  ['gzip, deflate, br, zstd', 'br', 'brotli'],
  ['gzip;q=1.0, identity', 'gzip', 'gzip'],
  ['identity', undefined, 'plain'],
])('Accept-Encoding %s: %s', async (accepted, encoding, body) => {
  const response = await get('/', { ...browser, 'accept-encoding': accepted });
  expect([response.headers['content-encoding'], response.body]).toEqual([encoding, body]);
});

test('a file whose name contains its hash is kept for good, others are checked', async () => {
  expect((await get('/page/main-1.js')).headers['cache-control']).toContain('immutable');
  const { headers } = await get('/', browser);
  expect(headers['cache-control']).toBe('no-cache');
  const again = await get('/', { ...browser, 'if-none-match': String(headers.etag) });
  expect([again.statusCode, again.body]).toEqual([304, '']);
  const other = await get('/', { ...browser, 'accept-encoding': 'br', 'if-none-match': String(headers.etag) });
  expect(other.statusCode).toBe(200);
});

test('the policy allows nothing from other origins', async () => {
  for (const { headers } of [await get('/', browser), await get('/page/main-1.js')]) {
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
  }
});

test('the frame with code of models has no origin and may load nothing', async () => {
  const policy = String((await get('/page/frame-1.html')).headers['content-security-policy']);
  expect(policy).toMatch(/^sandbox allow-scripts; default-src 'none'; /);
  expect(policy).toContain("frame-ancestors 'self'");
  expect(policy).not.toMatch(/allow-same-origin|allow-top|connect-src|frame-src|https?:|\*/);
});

test('the service worker may serve the whole origin', async () => {
  expect((await get('/page/worker.js')).headers['service-worker-allowed']).toBe('/');
  expect((await get('/page/main-1.js')).headers['service-worker-allowed']).toBeUndefined();
});

test.each(['secret.txt', 'files.json', 'main-1.js.br', '../page-routes.ts', '%2e%2e/files.json', 'constructor'])(
  '/page/%s is not a file of the page',
  async (name) => {
    expect((await get(`/page/${name}`)).statusCode).toBe(404);
  },
);
