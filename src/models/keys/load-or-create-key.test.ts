import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadOrCreateKey } from './load-or-create-key.ts';
import { formatPrivateKey, generatePrivateKey } from './private-key.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hearth-home-'));
});
afterEach(() => rmSync(home, { recursive: true }));
const folders = () => ({ folder: join(home, '.hearth'), fallbackFolder: join(home, '.ollama') });

describe('loadOrCreateKey', () => {
  it('creates a key on first use, readable only by its owner, and loads it afterwards', async () => {
    const first = await loadOrCreateKey(folders());
    const second = await loadOrCreateKey(folders());
    expect(second.publicKey).toEqual(first.publicKey);
    expect(readdirSync(join(home, '.hearth'))).toEqual(['id_ed25519']);
    if (process.platform === 'win32') return;
    expect(statSync(join(home, '.hearth')).mode & 0o777).toBe(0o700);
    expect(statSync(join(home, '.hearth', 'id_ed25519')).mode & 0o777).toBe(0o600);
  });

  it('returns the same key to concurrent callers', async () => {
    const keys = await Promise.all(Array.from({ length: 16 }, () => loadOrCreateKey(folders())));
    expect(new Set(keys.map(({ publicKey }) => publicKey.bytes.toString('hex'))).size).toBe(1);
    expect(readdirSync(join(home, '.hearth'))).toEqual(['id_ed25519']);
  });

  it('uses the key in the fallback folder unless there is one in its own folder', async () => {
    const { folder, fallbackFolder } = folders();
    const fallback = generatePrivateKey('');
    mkdirSync(fallbackFolder);
    writeFileSync(join(fallbackFolder, 'id_ed25519'), formatPrivateKey(fallback), { mode: 0o600 });
    expect((await loadOrCreateKey({ folder, fallbackFolder })).publicKey).toEqual(fallback.publicKey);
    expect(existsSync(folder)).toBe(false);
    const own = await loadOrCreateKey({ folder });
    expect((await loadOrCreateKey({ folder, fallbackFolder })).publicKey).toEqual(own.publicKey);
  });

  it('does not replace an unusable key: the error names the file', async () => {
    const { folder } = folders();
    mkdirSync(folder);
    const path = join(folder, 'id_ed25519');
    writeFileSync(path, 'not a key');
    await expect(loadOrCreateKey({ folder })).rejects.toThrow(`the key ${path} cannot be used: not an OpenSSH`);
    writeFileSync(path, Buffer.alloc(1_000_000));
    await expect(loadOrCreateKey({ folder })).rejects.toThrow('not an OpenSSH private key');
    rmSync(path);
    mkdirSync(path);
    await expect(loadOrCreateKey({ folder })).rejects.toThrow('not a regular file');
  });

  it('names the folder if the key cannot be created', async () => {
    writeFileSync(join(home, 'taken'), '');
    chmodSync(join(home, 'taken'), 0o600);
    await expect(loadOrCreateKey({ folder: join(home, 'taken') })).rejects.toThrow(
      `cannot create a key in ${join(home, 'taken')}`,
    );
  });
});
