import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findSocketUser, listenOnSocket } from './unix-socket.ts';

let folder: string;
let path: string;
const servers: Server[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-socket-'));
  path = join(folder, 'h.sock');
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(mode = 0o600, at = path): Promise<{ server: Server; remove: () => Promise<void> }> {
  const server = createServer((connection) => connection.end());
  servers.push(server);
  const listen = async (place: string) => {
    await once(server.listen({ path: place }), 'listening');
  };
  const remove = await listenOnSocket({ path: at, mode, choose: '--host' }, listen);
  return { server, remove };
}

async function end(server: Server): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
}

const modeOf = (file: string): number => statSync(file).mode & 0o777;

test('the socket has its mode, whatever the umask, is the only new file, and is removed', async () => {
  const { remove } = await start(0o660);
  expect(modeOf(path)).toBe(0o660);
  expect(readdirSync(folder)).toEqual(['h.sock']);
  await once(connect({ path }), 'connect');
  await remove();
  expect(readdirSync(folder)).toEqual([]);
});

test('the socket of a server that has ended without removing it is replaced', async () => {
  await end((await start()).server);
  expect(await findSocketUser(path)).toBe('stale');
  await start(0o600);
  expect(await findSocketUser(path)).toBe('server');
  expect(readdirSync(folder)).toEqual(['h.sock']);
});

test('a server that answers keeps its socket', async () => {
  const { server } = await start();
  await expect(start()).rejects.toThrow(
    `${path} is in use by another server. Stop it, or choose another path with --host.`,
  );
  const connection = connect({ path });
  await once(server, 'connection');
  connection.destroy();
});

test('of servers that start at the same time over a stale socket, one has the path', async () => {
  await end((await start()).server);
  const results = await Promise.allSettled([start(), start(), start(), start()]);
  const winners = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.server] : []));
  expect(winners).toHaveLength(1);
  expect(readdirSync(folder)).toEqual(['h.sock']);
  const connection = connect({ path });
  await once(winners[0] as Server, 'connection');
  connection.destroy();
});

test('a server that was killed while it replaced a socket leaves no lock', async () => {
  await end((await start()).server);
  const lock = join(folder, `.h${createHash('sha256').update('h.sock').digest('hex').slice(0, 8)}`);
  await end((await start(0o600, lock)).server);
  await start();
  expect(readdirSync(folder)).toEqual(['h.sock']);
});

test.each([
  ['a file', (file: string) => writeFileSync(file, 'mine')],
  ['a folder', (file: string) => void mkdirSync(file)],
  ['a link to nothing', (file: string) => symlinkSync('/nowhere', file)],
])('%s is not replaced', async (_, create) => {
  create(path);
  await expect(start()).rejects.toThrow(`${path} is not a socket and stays as it is. Remove it, or choose`);
  expect(readdirSync(folder)).toEqual(['h.sock']);
});

test('a link to a socket without a server is not followed', async () => {
  const other = join(folder, 'other.sock');
  await end((await start(0o600, other)).server);
  symlinkSync(other, path);
  await expect(start()).rejects.toThrow('is not a socket');
  expect(existsSync(other)).toBe(true);
});

test('a socket that another server has made since is not removed', async () => {
  const { server, remove } = await start();
  await end(server);
  await start();
  await remove();
  expect(await findSocketUser(path)).toBe('server');
});

test('a folder that is missing, or has too long a name, is an error with the next step', async () => {
  await expect(start(0o600, join(folder, 'none', 'h.sock'))).rejects.toThrow('there is no such folder. Create it');
  const long = join(folder, 'x'.repeat(100 - folder.length));
  mkdirSync(long);
  await expect(start(0o600, join(long, 's'))).rejects.toThrow(
    'has too long a name for a socket. Use a shorter one, or',
  );
});
