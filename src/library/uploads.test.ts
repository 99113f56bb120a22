import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { digestOf } from '../kernel/digest.ts';
import { createFakeClock, type FakeClock } from '../kernel/fake-clock.ts';
import { createStore, type Store } from '../store/store.ts';
import { createHandoff } from './handoff.ts';
import { limits } from './limits.ts';
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
  throw new Error('the line is dead');
}
const files = (): string[] => {
  try {
    return readdirSync(join(root, 'blobs'));
  } catch {
    return [];
  }
};

describe('an upload', () => {
  it('takes its parts in any number of requests, and has its name at the end', async () => {
    const upload = uploads.begin('ann/ember');
    expect(files()).toEqual([]);
    await upload.append({ source: parts('one ', 'two ') });
    await upload.append({ source: parts('three'), from: 8 });
    expect(upload.offset()).toBe(13);
    const digest = digestOf('one two three.');
    expect(await upload.finish(digest, { source: parts('.') })).toMatchObject({ digest, size: 14 });
    expect(readFileSync(store.blobPath(digest), 'utf8')).toBe('one two three.');
    expect(files()).toHaveLength(1);
    expect(() => uploads.find('ann/ember', upload.id)).toThrow('there is no such upload');
  });

  it('may be empty', async () => {
    await uploads.begin('ann/ember').finish(digestOf(''), { source: parts() });
    expect(await store.hasBlob(digestOf(''))).toBe(true);
  });

  it('keeps what came before the line broke, and goes on from there', async () => {
    const upload = uploads.begin('ann/ember');
    await expect(upload.append({ source: broken('half') })).rejects.toThrow('the line is dead');
    expect(upload.offset()).toBe(4);
    await expect(upload.append({ source: parts('x'), from: 3 })).rejects.toMatchObject({
      refusal: { code: 'RANGE_INVALID', headers: { range: '0-3' } },
    });
    await upload.finish(digestOf('half and half'), { source: parts(' and half'), from: 4 });
    expect(await store.hasBlob(digestOf('half and half'))).toBe(true);
  });

  it('goes on with the newest request; an older one that hangs is let go', async () => {
    const upload = uploads.begin('ann/ember');
    const silent = createHandoff<Uint8Array>();
    const hanging = upload.append({ source: silent });
    const outcome = expect(hanging).rejects.toMatchObject({ code: 'cancelled' });
    await silent.give(Buffer.from('one '));
    await Promise.all([outcome, upload.finish(digestOf('one two'), { source: parts('two'), from: 4 })]);
    expect(await store.hasBlob(digestOf('one two'))).toBe(true);
  });

  it('with another digest than was said leaves nothing', async () => {
    const upload = uploads.begin('ann/ember');
    await expect(upload.finish(digestOf('want'), { source: parts('got') })).rejects.toMatchObject({
      refusal: { code: 'DIGEST_INVALID' },
    });
    expect(files()).toEqual([]);
    await expect(upload.append({ source: parts('more') })).rejects.toThrow('this upload is over');
  });

  it('that grows beyond the limit ends, and leaves nothing', async () => {
    const upload = uploads.begin('ann/ember');
    await upload.append({ source: parts('x'.repeat(1000)) });
    await expect(upload.append({ source: parts('x') })).rejects.toMatchObject({ refusal: { code: 'SIZE_INVALID' } });
    await upload.cancel('');
    expect(files()).toEqual([]);
    expect(() => uploads.find('ann/ember', upload.id)).toThrow('there is no such upload');
  });

  it('that is cancelled leaves nothing', async () => {
    const upload = uploads.begin('ann/ember');
    await upload.append({ source: parts('some') });
    expect(files()).toHaveLength(1);
    await upload.cancel('enough');
    expect(files()).toEqual([]);
  });

  it('belongs to one repository', () => {
    const { id } = uploads.begin('ann/ember');
    expect(uploads.find('ann/ember', id).id).toBe(id);
    expect(() => uploads.find('bob/ember', id)).toThrow('there is no such upload');
  });

  it('of the same blob by two at once ends well for both', async () => {
    const digest = digestOf('the same');
    const two = [uploads.begin('ann/ember'), uploads.begin('bob/ember')];
    await Promise.all(two.map((upload) => upload.finish(digest, { source: parts('the ', 'same') })));
    expect(files()).toHaveLength(1);
  });
});

describe('uploads', () => {
  it('are so many and no more', () => {
    for (let count = 0; count < limits.openUploads; count++) uploads.begin('ann/ember');
    expect(() => uploads.begin('ann/ember')).toThrow('uploads are open already');
  });

  it('that rest for too long are given up; those that go on are not', async () => {
    const [resting, busy] = [uploads.begin('ann/ember'), uploads.begin('ann/ember')];
    await resting.append({ source: parts('some') });
    clock.advance(limits.uploadIdleMs / 2);
    await busy.append({ source: parts('some') });
    clock.advance(limits.uploadIdleMs / 2 + 61_000);
    expect(() => uploads.find('ann/ember', resting.id)).toThrow('there is no such upload');
    expect(uploads.find('ann/ember', busy.id)).toBe(busy);
    await expect.poll(files).toHaveLength(1);
  });

  it('that never end are given up too', async () => {
    const upload = uploads.begin('ann/ember');
    for (let time = 0; time <= limits.uploadAgeMs; time += limits.uploadIdleMs / 2) {
      await upload.append({ source: parts('x') }).catch(() => {});
      clock.advance(limits.uploadIdleMs / 2);
    }
    expect(() => uploads.find('ann/ember', upload.id)).toThrow('there is no such upload');
  });
});
