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

describe('the key of an installation', () => {
  it('is made at first need, for its owner alone, and is the same ever after', async () => {
    const first = await loadOrCreateKey(folders());
    const again = await loadOrCreateKey(folders());
    expect(again.publicKey).toEqual(first.publicKey);
    expect(readdirSync(join(home, '.hearth'))).toEqual(['id_ed25519']);
    if (process.platform === 'win32') return;
    expect(statSync(join(home, '.hearth')).mode & 0o777).toBe(0o700);
    expect(statSync(join(home, '.hearth', 'id_ed25519')).mode & 0o777).toBe(0o600);
  });

  it('is one, however many need it at once', async () => {
    const keys = await Promise.all(Array.from({ length: 16 }, () => loadOrCreateKey(folders())));
    expect(new Set(keys.map(({ publicKey }) => publicKey.bytes.toString('hex'))).size).toBe(1);
    expect(readdirSync(join(home, '.hearth'))).toEqual(['id_ed25519']);
  });

  it('is the one that another server has registered, unless there is one of our own', async () => {
    const { folder, fallbackFolder } = folders();
    const theirs = generatePrivateKey('');
    mkdirSync(fallbackFolder);
    writeFileSync(join(fallbackFolder, 'id_ed25519'), formatPrivateKey(theirs), { mode: 0o600 });
    expect((await loadOrCreateKey({ folder, fallbackFolder })).publicKey).toEqual(theirs.publicKey);
    expect(existsSync(folder)).toBe(false);
    const ours = await loadOrCreateKey({ folder });
    expect((await loadOrCreateKey({ folder, fallbackFolder })).publicKey).toEqual(ours.publicKey);
  });

  it('is not replaced when it cannot be used: the error names the file', async () => {
    const { folder } = folders();
    mkdirSync(folder);
    const path = join(folder, 'id_ed25519');
    writeFileSync(path, 'nothing of use');
    await expect(loadOrCreateKey({ folder })).rejects.toThrow(`the key ${path} cannot be used: it is not an OpenSSH`);
    writeFileSync(path, Buffer.alloc(1_000_000));
    await expect(loadOrCreateKey({ folder })).rejects.toThrow('it is not an OpenSSH private key');
    rmSync(path);
    mkdirSync(path);
    await expect(loadOrCreateKey({ folder })).rejects.toThrow('it is not a file');
  });

  it('that cannot be made is an error with the folder in it', async () => {
    writeFileSync(join(home, 'taken'), '');
    chmodSync(join(home, 'taken'), 0o600);
    await expect(loadOrCreateKey({ folder: join(home, 'taken') })).rejects.toThrow(
      `no key could be made in ${join(home, 'taken')}`,
    );
  });
});
