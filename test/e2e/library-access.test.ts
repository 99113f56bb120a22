// Who may do what in a library, and what a killed one leaves behind.

import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generatePrivateKey } from '../../src/keys/private-key.ts';
import { formatPublicKey } from '../../src/keys/public-key.ts';
import { startLibrary, type TestLibrary } from '../support/library.ts';
import {
  answerChallenge,
  askForToken,
  beginUpload,
  digest,
  manifestOf,
  pushBlob,
  putManifest,
  send,
  signIn,
} from '../support/library-protocol.ts';
import { repository as inRepository } from '../support/repository.ts';

const [ann, bob] = [generatePrivateKey('ann'), generatePrivateKey('bob')];
const [annLine, bobLine] = [ann, bob].map(({ publicKey }) => formatPublicKey(publicKey)) as [string, string];
let open: TestLibrary;
let keyed: TestLibrary;
beforeAll(async () => {
  [open, keyed] = await Promise.all([
    startLibrary({ keys: [annLine] }),
    startLibrary({ keys: [annLine], flags: ['--pull', 'keyed'] }),
  ]);
});
afterAll(() => Promise.all([open.stop(), keyed.stop()]));

const challengeOf = async (library: TestLibrary, repository: string) =>
  String((await send(library.url, `/v2/${repository}/blobs/uploads/`, { method: 'POST' })).headers['www-authenticate']);

describe('pushing', () => {
  test('without a token is refused, with the address of one', async () => {
    const reply = await send(open.url, '/v2/ann/ember/blobs/uploads/', { method: 'POST' });
    expect(reply).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
    expect(reply.headers['www-authenticate']).toBe(
      `Bearer realm="${open.url}/token",service="${open.host}",scope="repository:ann/ember:pull,push"`,
    );
    for (const [method, path] of [
      ['PUT', '/v2/ann/ember/manifests/latest'],
      ['PATCH', '/v2/ann/ember/blobs/uploads/x'],
      ['GET', '/v2/ann/ember/blobs/uploads/x'],
      ['DELETE', '/v2/ann/ember/blobs/uploads/x'],
    ] as const)
      expect((await send(open.url, path, { method, body: method.startsWith('P') ? 'body' : '' })).status).toBe(401);
  });

  test('with a key that is not registered is refused, and the answer says what to do', async () => {
    const reply = await askForToken(open.url, answerChallenge(await challengeOf(open, 'ann/ember'), bob));
    expect(reply).toMatchObject({ status: 403, code: 'DENIED' });
    expect(reply.message).toContain(bobLine.split(' ').slice(0, 2).join(' '));
    expect(reply.message).toContain('is not registered with this library');
  });

  test('a request for a token counts once, and only now', async () => {
    const challenge = await challengeOf(open, 'ann/ember');
    const request = answerChallenge(challenge, ann);
    expect((await askForToken(open.url, request)).status).toBe(200);
    expect(await askForToken(open.url, request)).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
    for (const seconds of [-3600, 3600])
      expect((await askForToken(open.url, answerChallenge(challenge, ann, seconds))).status).toBe(401);
  });

  test('a request that was signed for another server does not count here', async () => {
    const challenge = (await challengeOf(open, 'ann/ember')).replaceAll(open.host, 'evil.example:5000');
    const { url, authorization } = answerChallenge(challenge, ann);
    for (const host of ['evil.example:5000', open.host]) {
      const reply = await send(open.url, url.slice(url.indexOf('/token')), { headers: { authorization, host } });
      expect([host, [401, 403].includes(reply.status)]).toEqual([host, true]);
    }
    const reply = await send(open.url, '/v2/ann/ember/blobs/uploads/', {
      method: 'POST',
      headers: { host: 'evil.example:5000' },
    });
    expect(reply).toMatchObject({ status: 403, code: 'DENIED' });
    expect(reply.message).toContain('--url');
  });

  test('beyond what the token is for is refused', async () => {
    const headers = await signIn(open.url, 'ann/ember', ann);
    const reply = await send(open.url, '/v2/ann/other/blobs/uploads/', { method: 'POST', headers });
    expect(reply).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
    expect(reply.headers['www-authenticate']).toContain('error="insufficient_scope"');
    const forged = { authorization: `${headers.authorization.slice(0, -4)}AAAA` };
    const other = await send(open.url, '/v2/ann/ember/blobs/uploads/', { method: 'POST', headers: forged });
    expect(other.headers['www-authenticate']).toContain('error="invalid_token"');
  });

  test('a key can be added and taken away while the library runs', async () => {
    open.register(annLine, bobLine);
    const headers = await signIn(open.url, 'bob/ember', bob);
    await pushBlob({ url: open.url, repository: 'bob/ember', headers }, 'mine');
    open.register(annLine);
    const reply = await send(open.url, '/v2/bob/ember/blobs/uploads/', { method: 'POST', headers });
    expect(reply).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
    await expect(signIn(open.url, 'bob/ember', bob)).rejects.toThrow('is not registered');
  });
});

describe('pulling', () => {
  const paths = [
    '/v2/',
    '/v2/_catalog',
    '/v2/ann/tiny/tags/list',
    '/v2/ann/tiny/manifests/latest',
    `/v2/ann/tiny/blobs/${digest('weights')}`,
  ];
  const pushTiny = async ({ url }: TestLibrary): Promise<{ authorization: string }> => {
    const target = { url, repository: 'ann/tiny', headers: await signIn(url, 'ann/tiny', ann) };
    for (const content of ['{}', 'weights']) await pushBlob(target, content);
    await putManifest(target, 'latest', manifestOf('{}', 'weights'));
    return target.headers;
  };

  test('is open to everybody', async () => {
    await pushTiny(open);
    for (const path of paths) expect([path, (await send(open.url, path)).status]).toEqual([path, 200]);
  });

  test('can be for registered keys alone', async () => {
    const headers = await pushTiny(keyed);
    for (const path of paths) {
      const reply = await send(keyed.url, path);
      expect([path, reply.status]).toEqual([path, 401]);
      expect(reply.headers['www-authenticate']).toContain(`realm="${keyed.url}/token"`);
    }
    expect((await send(keyed.url, '/v2/ann/tiny/manifests/latest', { headers })).status).toBe(200);
    expect((await send(keyed.url, '/v2/_catalog', { headers })).headers['www-authenticate']).toContain(
      'scope="registry:catalog:*",error="insufficient_scope"',
    );
  });
});

describe('a library that was killed in the middle of an upload', () => {
  test('leaves a whole store and a leftover, which the next start clears away', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-killed-'));
    const verify = () => {
      const words = [inRepository('dist/main.js'), 'verify', '--models', folder];
      return spawnSync(process.execPath, words, { encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: folder } })
        .stdout;
    };
    try {
      const library = await startLibrary({ folder, keys: [annLine] });
      const { url } = library;
      const target = { url, repository: 'ann/tiny', headers: await signIn(url, 'ann/tiny', ann) };
      for (const content of ['{}', 'weights']) await pushBlob(target, content);
      await putManifest(target, 'latest', manifestOf('{}', 'weights'));
      const place = await beginUpload(target);
      const { hostname, port } = new URL(url);
      const upload = httpRequest({ hostname, port, path: place, method: 'PATCH', headers: target.headers });
      upload.on('error', () => {});
      upload.write(randomBytes(3_000_000));
      const progress = async () => (await send(url, place, { headers: target.headers })).headers['range'];
      await expect.poll(progress).toBe('0-2999999');
      await library.kill();
      upload.destroy();
      expect(verify()).toMatch(/^leftover .*\n.*2 ok/);

      const again = await startLibrary({ folder });
      expect((await send(again.url, '/v2/ann/tiny/manifests/latest')).status).toBe(200);
      expect(await send(again.url, place, { headers: target.headers })).toMatchObject({ status: 401 });
      await again.stop();
      expect(verify()).toBe('2 ok\n');
      expect(readdirSync(join(folder, 'blobs')).filter((name) => name.startsWith('.'))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('and one that is told to stop leaves nothing at all', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-stopped-'));
    try {
      const library = await startLibrary({ folder, keys: [annLine] });
      const { url } = library;
      const target = { url, repository: 'ann/tiny', headers: await signIn(url, 'ann/tiny', ann) };
      const place = await beginUpload(target);
      await send(url, place, { method: 'PATCH', headers: target.headers, body: randomBytes(2_000_000) });
      expect(readdirSync(join(folder, 'blobs'))).toHaveLength(1);
      await library.stop();
      expect(readdirSync(join(folder, 'blobs'))).toEqual([]);
      expect(readdirSync(folder).sort()).toEqual(['authorized_keys', 'blobs']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('two libraries cannot have one folder', async () => {
    await expect(startLibrary({ folder: open.folder })).rejects.toThrow('is in use by another Hearth');
  });
});

test('hearth key prints the line to register, the same for all who ask at once and ever after', async () => {
  const home = mkdtempSync(join(tmpdir(), 'hearth-home-'));
  const run = async (): Promise<string> => {
    const words = [inRepository('dist/main.js'), 'key'];
    const { stdout } = await promisify(execFile)(process.execPath, words, {
      env: { PATH: process.env['PATH'], HOME: home },
    });
    return stdout;
  };
  try {
    const lines = await Promise.all([run(), run(), run()]);
    expect(lines[0]).toMatch(/^ssh-ed25519 AAAA[A-Za-z0-9+/]+ hearth\n$/);
    expect(new Set([...lines, await run()]).size).toBe(1);
    expect(readdirSync(join(home, '.hearth'))).toEqual(['id_ed25519']);
  } finally {
    rmSync(home, { recursive: true });
  }
});
