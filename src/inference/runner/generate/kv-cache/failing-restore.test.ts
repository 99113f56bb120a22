// A prefix that the context does not accept: a request evaluates its prompt, and the next one does not.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFakeClock } from '../../../../../test/support/fake-clock.ts';
import { createScriptedLoop } from '../../../../../test/support/runner/scripted-loop.ts';
import { alphabet } from '../../../../../test/support/runner/scripted-model.ts';
import { wholeForm } from './disk/portable-state.ts';
import { PrefixDisk } from './disk/prefix-disk.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-prefixes-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const openDisk = (): PrefixDisk =>
  new PrefixDisk({
    folder,
    key: 'ab'.repeat(32),
    form: wholeForm,
    cutsAnywhere: true,
    contextLength: 1000,
    modelBytes: 1000,
    maxBytes: 1_000_000,
    clock: createFakeClock(),
    onStored: () => {},
    warn: () => {},
  });

const prompt = 's'.repeat(100);
const turn = 'q'.repeat(100);
const unusable = Buffer.from('cells of another context');

/** A file with cells of the prompt and the turn. */
async function storeUnusable(): Promise<void> {
  const tokens = Int32Array.from(Buffer.from(prompt + turn));
  const disk = openDisk();
  const entry = { tokens, promptLength: tokens.length, snapshot: unusable, stateBytes: 0, marks: [], partition: '' };
  disk.offer(entry, { used: true, leaving: true });
  await disk.settled();
}

test('its file is removed with it, and another prefix takes its place', async () => {
  await storeUnusable();
  expect(readdirSync(folder)).toHaveLength(1);
  const disk = openDisk();
  const scripted = createScriptedLoop({
    script: alphabet,
    disk,
    accepts: (snapshot) => !snapshot.equals(unusable),
  });
  const cachedOf = (id: number, text: string): number | undefined => {
    scripted.add(id, text, { budget: 5 });
    scripted.run();
    const started = scripted.events.find((event) => event.type === 'started' && event.id === id);
    return started?.type === 'started' ? started.cachedTokens : undefined;
  };
  expect(cachedOf(1, `${prompt}r`)).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
  expect(disk.counters).toMatchObject({ prefixFilesRead: 1, prefixFilesDamaged: 1 });
  // What was removed provides more of this prompt.
  expect(cachedOf(2, `${prompt}${turn}t`)).toBe(prompt.length);
  expect(cachedOf(3, `${prompt}${turn}t`)).toBe(prompt.length + turn.length);
});
