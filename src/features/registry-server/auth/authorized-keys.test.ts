import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../../base/logger.ts';
import { systemClock } from '../../../base/time/clock.ts';
import { generatePrivateKey } from '../../../models/keys/private-key.ts';
import { formatPublicKey, toPublicBlobText } from '../../../models/keys/public-key.ts';
import { createAuthorizedKeys } from './authorized-keys.ts';

const [ann, bob] = ['ann', 'bob'].map((name) => generatePrivateKey(name).publicKey) as [
  ReturnType<typeof generatePrivateKey>['publicKey'],
  ReturnType<typeof generatePrivateKey>['publicKey'],
];
let folder: string;
let path: string;
let log: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-registered-'));
  path = join(folder, 'authorized_keys');
  log = '';
});
afterEach(() => rmSync(folder, { recursive: true }));

function open() {
  const write = (line: string): void => {
    log += line;
  };
  return createAuthorizedKeys({
    path,
    clock: systemClock,
    logger: createLogger({ clock: systemClock, level: 'info', write }),
  });
}
/** Sets an old modification time, so that the file is cached. */
function write(text: string, age = 10): void {
  writeFileSync(path, text);
  const time = Date.now() / 1000 - age;
  utimesSync(path, time, time);
}
const [annText, bobText] = [toPublicBlobText(ann), toPublicBlobText(bob)];

describe('registered keys', () => {
  it('are those in the file, and none without a file', async () => {
    const keys = open();
    expect(await keys.find(annText)).toBeUndefined();
    write(`# the team\n\n${formatPublicKey(ann)}\r\n`);
    expect(await keys.find(annText)).toBe('ann');
    expect(await keys.find(bobText)).toBeUndefined();
  });

  it('are reloaded when the file changes', async () => {
    const keys = open();
    write(formatPublicKey(ann), 20);
    expect(await keys.find(annText)).toBe('ann');
    write(formatPublicKey(bob), 10);
    expect([await keys.find(annText), await keys.find(bobText)]).toEqual([undefined, 'bob']);
    rmSync(path);
    expect(await keys.find(bobText)).toBeUndefined();
  });

  it('are reloaded when the target of a linked file changes', async () => {
    const keys = open();
    const target = join(folder, 'elsewhere');
    writeFileSync(target, formatPublicKey(ann));
    symlinkSync(target, path);
    expect(await keys.find(annText)).toBe('ann');
    writeFileSync(target, `${formatPublicKey(bob)}\n`);
    expect(await keys.find(annText)).toBeUndefined();
  });

  it('are not affected by an invalid line, which is reported once', async () => {
    const keys = open();
    write(`ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQ== old\n${formatPublicKey(ann)}\nnonsense\n`);
    expect(await keys.find(annText)).toBe('ann');
    expect(await keys.find(bobText)).toBeUndefined();
    expect(log.match(/line 1 is ignored/g)).toHaveLength(1);
    expect(log.match(/line 3 is ignored/g)).toHaveLength(1);
  });

  it('are unavailable while the file cannot be read, and the error does not disclose its path', async () => {
    mkdirSync(path);
    const lookup = open().find(annText);
    await expect(lookup).rejects.toMatchObject({ protocol: { code: 'UNAVAILABLE' } });
    await expect(lookup).rejects.not.toThrow(folder);
    expect(log).toContain('cannot read the authorized keys');
  });
});
