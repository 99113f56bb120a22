import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../../test/support/fake-clock.ts';
import { digestOf } from '../../../base/digest.ts';
import { createStore, type Store } from '../../../models/store/store.ts';
import { registryServerLimits } from '../limits.ts';
import { createBodyPipe } from './body-pipe.ts';
import { createUploads, type Uploads } from './uploads.ts';

let root: string;
let store: Store;
let clock: FakeClock;
let uploads: Uploads;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hearth-uploads-'));
  store = createStore(root);
  clock = createFakeClock();
  uploads = createUploads({ store, clock, maxBytes: 1000 });
});
afterEach(async () => {
  await uploads.close();
  rmSync(root, { recursive: true });
});

async function* parts(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}
async function* broken(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
  throw new Error('connection lost');
}
const files = (): string[] => {
  try {
    return readdirSync(join(root, 'blobs'));
  } catch {
    return [];
  }
};

describe('an upload', () => {
  it('accepts parts in any number of requests and becomes a blob at the end', async () => {
    const upload = uploads.begin('ann/ember');
    expect(files()).toEqual([]);
    await upload.append({ source: parts('one ', 'two ') });
    await upload.append({ source: parts('three'), from: 8 });
    expect(upload.offset()).toBe(13);
    const digest = digestOf('one two three.');
    expect(await upload.finish(digest, { source: parts('.') })).toMatchObject({ digest, size: 14 });
    expect(readFileSync(store.blobPath(digest), 'utf8')).toBe('one two three.');
    expect(files()).toHaveLength(1);
    expect(() => uploads.find('ann/ember', upload.id)).toThrow('no such upload');
  });

  it('may be empty', async () => {
    await uploads.begin('ann/ember').finish(digestOf(''), { source: parts() });
    expect(await store.hasBlob(digestOf(''))).toBe(true);
  });

  it('keeps bytes received before a disconnect and resumes there', async () => {
    const upload = uploads.begin('ann/ember');
    await expect(upload.append({ source: broken('half') })).rejects.toThrow('connection lost');
    expect(upload.offset()).toBe(4);
    await expect(upload.append({ source: parts('x'), from: 3 })).rejects.toMatchObject({
      protocol: { code: 'RANGE_INVALID', headers: { range: '0-3' } },
    });
    await upload.finish(digestOf('half and half'), { source: parts(' and half'), from: 4 });
    expect(await store.hasBlob(digestOf('half and half'))).toBe(true);
  });

  it('continues with the newest request and cancels an older one that hangs', async () => {
    const upload = uploads.begin('ann/ember');
    const silent = createBodyPipe<Uint8Array>();
    const hanging = upload.append({ source: silent });
    const outcome = expect(hanging).rejects.toMatchObject({ code: 'cancelled' });
    await silent.write(Buffer.from('one '));
    await Promise.all([outcome, upload.finish(digestOf('one two'), { source: parts('two'), from: 4 })]);
    expect(await store.hasBlob(digestOf('one two'))).toBe(true);
  });

  it('with the wrong digest leaves nothing behind', async () => {
    const upload = uploads.begin('ann/ember');
    await expect(upload.finish(digestOf('want'), { source: parts('got') })).rejects.toMatchObject({
      protocol: { code: 'DIGEST_INVALID' },
    });
    expect(files()).toEqual([]);
    await expect(upload.append({ source: parts('more') })).rejects.toThrow('this upload has ended');
  });

  it('that exceeds the limit is canceled and leaves nothing behind', async () => {
    const upload = uploads.begin('ann/ember');
    await upload.append({ source: parts('x'.repeat(1000)) });
    await expect(upload.append({ source: parts('x') })).rejects.toMatchObject({ protocol: { code: 'SIZE_INVALID' } });
    await upload.cancel('');
    expect(files()).toEqual([]);
    expect(() => uploads.find('ann/ember', upload.id)).toThrow('no such upload');
  });

  it('that is canceled leaves nothing behind', async () => {
    const upload = uploads.begin('ann/ember');
    await upload.append({ source: parts('some') });
    expect(files()).toHaveLength(1);
    await upload.cancel('enough');
    expect(files()).toEqual([]);
  });

  it('belongs to one repository', () => {
    const { id } = uploads.begin('ann/ember');
    expect(uploads.find('ann/ember', id).id).toBe(id);
    expect(() => uploads.find('bob/ember', id)).toThrow('no such upload');
  });

  it('of the same blob by two clients at once succeeds for both', async () => {
    const digest = digestOf('the same');
    const two = [uploads.begin('ann/ember'), uploads.begin('bob/ember')];
    await Promise.all(two.map((upload) => upload.finish(digest, { source: parts('the ', 'same') })));
    expect(files()).toHaveLength(1);
  });
});

describe('uploads', () => {
  it('are limited in number', () => {
    for (let count = 0; count < registryServerLimits.openUploads; count++) uploads.begin('ann/ember');
    expect(() => uploads.begin('ann/ember')).toThrow('too many open uploads');
  });

  it('that are idle for too long are canceled; active ones are not', async () => {
    const [idle, busy] = [uploads.begin('ann/ember'), uploads.begin('ann/ember')];
    await idle.append({ source: parts('some') });
    clock.advance(registryServerLimits.uploadIdleMs / 2);
    await busy.append({ source: parts('some') });
    clock.advance(registryServerLimits.uploadIdleMs / 2 + 61_000);
    expect(() => uploads.find('ann/ember', idle.id)).toThrow('no such upload');
    expect(uploads.find('ann/ember', busy.id)).toBe(busy);
    await expect.poll(files).toHaveLength(1);
  });

  it('that take too long are canceled', async () => {
    const upload = uploads.begin('ann/ember');
    for (let time = 0; time <= registryServerLimits.uploadAgeMs; time += registryServerLimits.uploadIdleMs / 2) {
      await upload.append({ source: parts('x') }).catch(() => {});
      clock.advance(registryServerLimits.uploadIdleMs / 2);
    }
    expect(() => uploads.find('ann/ember', upload.id)).toThrow('no such upload');
  });
});
