// Blobs, copy and delete: each test name states a rule of the API.

import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Body, beginAnswer, generate } from '../support/client.ts';
import { addEmberVariant } from '../support/models/ember-variant.ts';
import { addEndlessModel } from '../support/models/endless-ember.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let url: string;
beforeAll(async () => {
  server = await startServer();
  url = server.url;
});
afterAll(() => server.stop());

const digestOf = (content: Uint8Array): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;
const blobs = (): string[] => readdirSync(join(server.store, 'blobs')).sort();
const send = async (method: string, path: string, body?: Body | Buffer) => {
  const content =
    body === undefined ? {} : { body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body) };
  const response = await fetch(url + path, { method, ...content });
  const text = await response.text();
  return { status: response.status, text, error: text.startsWith('{') ? JSON.parse(text).error : undefined };
};
const names = async (): Promise<string[]> => {
  const { models } = JSON.parse((await send('GET', '/api/tags')).text) as { models: { name: string }[] };
  return models.map(({ name }) => name);
};

describe('blobs', () => {
  test('201 with the path of a new file, 200 if it exists', async () => {
    const content = randomBytes(100_000);
    const created = await send('POST', `/api/blobs/${digestOf(content)}`, content);
    expect(created.status).toBe(201);
    expect(readFileSync(created.text)).toEqual(content);
    const again = await send('POST', `/api/blobs/${digestOf(content)}`, content);
    expect([again.status, again.text]).toEqual([200, created.text]);
  });

  test('HEAD: 200 if it exists, 404 if not, with either separator', async () => {
    const content = randomBytes(10);
    const digest = digestOf(content);
    expect((await send('HEAD', `/api/blobs/${digest}`)).status).toBe(404);
    await send('POST', `/api/blobs/${digest}`, content);
    expect((await send('HEAD', `/api/blobs/${digest}`)).status).toBe(200);
    expect((await send('HEAD', `/api/blobs/${digest.replace(':', '-')}`)).status).toBe(200);
  });

  test('400 for a wrong digest, and no file remains', async () => {
    const before = blobs();
    const expected = digestOf(Buffer.from('something else'));
    const content = randomBytes(1000);
    const { status, error } = await send('POST', `/api/blobs/${expected}`, content);
    expect(status).toBe(400);
    expect(error).toBe(`digest mismatch, expected "${expected}", got "${digestOf(content)}"`);
    expect(blobs()).toEqual(before);
  });

  test.each(['sha256:abc', 'md5:0', '..%2f..%2fetc%2fpasswd', `sha256:${'g'.repeat(64)}`, 'sha256%00'])(
    '%s is not a digest: 400',
    async (digest) => {
      expect((await send('POST', `/api/blobs/${digest}`, Buffer.from('x'))).status).toBe(400);
      expect((await send('HEAD', `/api/blobs/${digest}`)).status).toBe(400);
    },
  );

  test('an aborted upload leaves no file', async () => {
    const before = blobs();
    const upload = request(`${url}/api/blobs/${digestOf(Buffer.from('never'))}`, {
      method: 'POST',
      headers: { 'content-length': 1_000_000 },
    });
    upload.on('error', () => {});
    upload.write(randomBytes(300_000));
    await expect.poll(() => blobs().length).toBe(before.length + 1);
    upload.destroy();
    await expect.poll(blobs).toEqual(before);
  });

  test('concurrent uploads of one blob, and large ones', async () => {
    const content = randomBytes(40_000_000);
    const path = `/api/blobs/${digestOf(content)}`;
    const statuses = (await Promise.all([1, 2, 3].map(() => send('POST', path, content)))).map(({ status }) => status);
    expect(statuses.every((status) => status === 200 || status === 201)).toBe(true);
    expect((await send('HEAD', path)).status).toBe(200);
  });
});

describe('copy', () => {
  test('200 without a body; the copy has the same digest', async () => {
    expect(await send('POST', '/api/copy', { source: 'ember', destination: 'me/twin:v1' })).toMatchObject({
      status: 200,
      text: '',
    });
    const { models } = JSON.parse((await send('GET', '/api/tags')).text) as {
      models: { name: string; digest: string }[];
    };
    const digest = (name: string) => models.find((model) => model.name === name)?.digest;
    expect(digest('me/twin:v1')).toBe(digest('ember:latest'));
  });

  test.each([
    [{ source: 'nobody', destination: 'a' }, 404, 'model "nobody" not found'],
    [{ source: '../x', destination: 'a' }, 400, 'source "../x" is invalid'],
    [{ source: 'ember', destination: 'a/' }, 400, 'destination "a/" is invalid'],
    [{ source: 'ember' }, 400, 'destination "" is invalid'],
  ])('%j: %d', async (body, status, error) => {
    expect(await send('POST', '/api/copy', body)).toMatchObject({ status, error });
  });
});

describe('delete', () => {
  test('200 without a body; shared blobs remain, others are removed at once', async () => {
    const before = blobs();
    await addEmberVariant(server.store, 'short-lived', { system: 'Nobody else says this.' });
    expect(blobs().length).toBe(before.length + 1);
    expect(await send('DELETE', '/api/delete', { model: 'short-lived' })).toMatchObject({ status: 200, text: '' });
    expect(blobs()).toEqual(before);
    expect(await names()).not.toContain('short-lived:latest');
    expect((await generate(url, { prompt: 'Hi', options: { num_predict: 1 } })).done).toBe(true);
  });

  test('files of a running model are removed after the answer', async () => {
    const only = await startServer();
    try {
      const { digest } = await addEndlessModel(only.store, 'endless');
      const isThere = (): boolean => existsSync(join(only.store, 'blobs', digest.replace(':', '-')));
      const body = { model: 'endless', prompt: 'Once', raw: true, options: { num_predict: 300, temperature: 1 } };
      const rest = await beginAnswer(only.url, body);
      await fetch(`${only.url}/api/delete`, { method: 'DELETE', body: JSON.stringify({ model: 'endless' }) });
      expect(isThere()).toBe(true);
      expect((await rest()).at(-1)).toMatchObject({ done: true });
      await expect.poll(isThere).toBe(false);
    } finally {
      await only.stop();
    }
  });

  test('a loaded model is unloaded with the last name of its weights', async () => {
    const only = await startServer();
    try {
      await generate(only.url, { prompt: 'Hi', options: { num_predict: 1 } });
      expect(only.runners()).toHaveLength(1);
      const remove = (name: string) =>
        fetch(`${only.url}/api/delete`, { method: 'DELETE', body: JSON.stringify({ name }) });
      expect((await remove('ember')).status).toBe(200);
      expect(only.runners()).toHaveLength(1);
      expect((await remove('ember-thinks')).status).toBe(200);
      await expect.poll(() => only.runners()).toEqual([]);
      const weights = readdirSync(join(only.store, 'blobs'));
      // The vision model has the same weights.
      expect(weights.length).toBeGreaterThan(0);
    } finally {
      await only.stop();
    }
  });

  test.each([
    [{ model: 'nobody' }, 404, "model 'nobody' not found"],
    [{ model: '../../etc' }, 400, 'name "../../etc" is invalid'],
    [{}, 400, 'name "" is invalid'],
  ])('%j: %d', async (body, status, error) => {
    expect(await send('DELETE', '/api/delete', body)).toMatchObject({ status, error });
  });
});

test('a second server on the same store does not start and names the first', async () => {
  await expect(startServer({ environment: { HEARTH_MODELS: server.store } })).rejects.toThrow(
    `in use by another Hearth: process ${server.pid}`,
  );
  expect(existsSync(join(server.store, 'blobs'))).toBe(true);
});
