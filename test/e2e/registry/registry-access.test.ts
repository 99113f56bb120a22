// Access control of the registry server, and what a killed one leaves behind.

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generatePrivateKey } from '../../../src/models/keys/private-key.ts';
import { formatPublicKey } from '../../../src/models/keys/public-key.ts';
import { hearthScript } from '../../support/command.ts';
import {
  answerChallenge,
  beginUpload,
  digest,
  manifestOf,
  obtainToken,
  pushBlob,
  putManifest,
  requestToken,
  send,
} from '../../support/registry/registry-protocol.ts';
import { startRegistry, type TestRegistry } from '../../support/registry/team-registry.ts';

const [ann, bob] = [generatePrivateKey('ann'), generatePrivateKey('bob')];
const [annLine, bobLine] = [ann, bob].map(({ publicKey }) => formatPublicKey(publicKey)) as [string, string];
let open: TestRegistry;
let keyed: TestRegistry;
beforeAll(async () => {
  [open, keyed] = await Promise.all([
    startRegistry({ keys: [annLine] }),
    startRegistry({ keys: [annLine], flags: ['--pull', 'keyed'] }),
  ]);
});
afterAll(() => Promise.all([open.stop(), keyed.stop()]));

const challengeOf = async (registry: TestRegistry, repository: string) =>
  String(
    (await send(registry.url, `/v2/${repository}/blobs/uploads/`, { method: 'POST' })).headers['www-authenticate'],
  );

describe('pushing', () => {
  test('without a token is rejected with a challenge', async () => {
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

  test('with an unregistered key is denied, and the error says what to do', async () => {
    const reply = await requestToken(open.url, answerChallenge(await challengeOf(open, 'ann/ember'), bob));
    expect(reply).toMatchObject({ status: 403, code: 'DENIED' });
    expect(reply.message).toContain(bobLine.split(' ').slice(0, 2).join(' '));
    expect(reply.message).toContain('is not registered; the operator can add this line');
  });

  test('a token request is valid once and only at its time', async () => {
    const challenge = await challengeOf(open, 'ann/ember');
    const request = answerChallenge(challenge, ann);
    expect((await requestToken(open.url, request)).status).toBe(200);
    expect(await requestToken(open.url, request)).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
    for (const seconds of [-3600, 3600])
      expect((await requestToken(open.url, answerChallenge(challenge, ann, seconds))).status).toBe(401);
  });

  test('a token request signed for another server is rejected', async () => {
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

  test('outside the scope of the token is rejected', async () => {
    const headers = await obtainToken(open.url, 'ann/ember', ann);
    const reply = await send(open.url, '/v2/ann/other/blobs/uploads/', { method: 'POST', headers });
    expect(reply).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
    expect(reply.headers['www-authenticate']).toContain('error="insufficient_scope"');
    const forged = { authorization: `${headers.authorization.slice(0, -4)}AAAA` };
    const other = await send(open.url, '/v2/ann/ember/blobs/uploads/', { method: 'POST', headers: forged });
    expect(other.headers['www-authenticate']).toContain('error="invalid_token"');
  });

  test('a key can be added and removed while the registry runs', async () => {
    open.register(annLine, bobLine);
    const headers = await obtainToken(open.url, 'bob/ember', bob);
    await pushBlob({ url: open.url, repository: 'bob/ember', headers }, 'mine');
    open.register(annLine);
    const reply = await send(open.url, '/v2/bob/ember/blobs/uploads/', { method: 'POST', headers });
    expect(reply).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
    await expect(obtainToken(open.url, 'bob/ember', bob)).rejects.toThrow('is not registered');
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
  const pushTiny = async ({ url }: TestRegistry): Promise<{ authorization: string }> => {
    const target = { url, repository: 'ann/tiny', headers: await obtainToken(url, 'ann/tiny', ann) };
    for (const content of ['{}', 'weights']) await pushBlob(target, content);
    await putManifest(target, 'latest', manifestOf('{}', 'weights'));
    return target.headers;
  };

  test('is open to everyone by default', async () => {
    await pushTiny(open);
    for (const path of paths) expect([path, (await send(open.url, path)).status]).toEqual([path, 200]);
  });

  test('can be limited to registered keys', async () => {
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

describe('a registry during an upload', () => {
  test('that is killed leaves an intact store and a leftover, which the next start removes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-killed-'));
    const verify = () => {
      const words = [hearthScript, 'verify', '--models', folder];
      return spawnSync(process.execPath, words, { encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: folder } })
        .stdout;
    };
    try {
      const registry = await startRegistry({ folder, keys: [annLine] });
      const { url } = registry;
      const target = { url, repository: 'ann/tiny', headers: await obtainToken(url, 'ann/tiny', ann) };
      for (const content of ['{}', 'weights']) await pushBlob(target, content);
      await putManifest(target, 'latest', manifestOf('{}', 'weights'));
      const location = await beginUpload(target);
      const { hostname, port } = new URL(url);
      const upload = httpRequest({ hostname, port, path: location, method: 'PATCH', headers: target.headers });
      upload.on('error', () => {});
      upload.write(randomBytes(3_000_000));
      const progress = async () => (await send(url, location, { headers: target.headers })).headers['range'];
      await expect.poll(progress, { timeout: 20_000 }).toBe('0-2999999');
      await registry.kill();
      upload.destroy();
      expect(verify()).toMatch(/^leftover .*\n.*2 ok/);

      const restarted = await startRegistry({ folder });
      expect((await send(restarted.url, '/v2/ann/tiny/manifests/latest')).status).toBe(200);
      expect(await send(restarted.url, location, { headers: target.headers })).toMatchObject({ status: 401 });
      await restarted.stop();
      expect(verify()).toBe('2 ok\n');
      expect(readdirSync(join(folder, 'blobs')).filter((name) => name.startsWith('.'))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('that is stopped leaves nothing behind', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-stopped-'));
    try {
      const registry = await startRegistry({ folder, keys: [annLine] });
      const { url } = registry;
      const target = { url, repository: 'ann/tiny', headers: await obtainToken(url, 'ann/tiny', ann) };
      const location = await beginUpload(target);
      await send(url, location, { method: 'PATCH', headers: target.headers, body: randomBytes(2_000_000) });
      expect(readdirSync(join(folder, 'blobs'))).toHaveLength(1);
      await registry.stop();
      expect(readdirSync(join(folder, 'blobs'))).toEqual([]);
      expect(readdirSync(folder).sort()).toEqual(['authorized_keys', 'blobs']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('that runs on a folder excludes a second one', async () => {
    await expect(startRegistry({ folder: open.folder })).rejects.toThrow('is in use by another Hearth');
  });
});

test('a page of another name that resolves to this machine reads nothing', async () => {
  for (const path of ['/v2/', '/v2/_catalog', '/v2/ann/ember/manifests/latest', '/v2/ann/ember/tags/list']) {
    const reply = await send(open.url, path, { headers: { host: 'evil.example:5000' } });
    expect([path, reply.status, reply.code]).toEqual([path, 403, 'DENIED']);
  }
  expect((await send(open.url, '/v2/', {})).status).toBe(200);
});

test('the connections of one address have a limit', async () => {
  const { hostname, port } = new URL(open.url);
  const sockets = Array.from({ length: 300 }, () => connect(Number(port), hostname).on('error', () => {}));
  try {
    await expect.poll(() => sockets.filter(({ destroyed }) => destroyed).length).toBe(50);
    // Another address of this machine, from which there are none.
    const reply = new Promise<number | undefined>((resolve, reject) => {
      const options = { hostname, port, path: '/v2/', localAddress: '127.0.0.9' };
      httpRequest(options, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(await reply).toBeLessThan(500);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});
