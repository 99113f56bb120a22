// The prefix cache of a loaded model, with its part on disk. Prefixes are written when memory evicts them, when the model
// has been without work for a moment, and when it is unloaded. Those in the memory of a GPU are copied to main memory before.

import { writeErrorLine } from '../../../base/process/child-program.ts';
import { systemClock, type Timer } from '../../../base/time/clock.ts';
import type { LoadCommand } from '../../protocol/messages.ts';
import type { Outbox } from '../events/outbox.ts';
import { BlockLedger } from '../generate/kv-cache/block-ledger.ts';
import { createPortableForm, wholeForm } from '../generate/kv-cache/disk/portable-state.ts';
import { PrefixDisk } from '../generate/kv-cache/disk/prefix-disk.ts';
import { hashOf } from '../generate/kv-cache/disk/prefix-key.ts';
import { PrefixCache } from '../generate/kv-cache/prefix-cache.ts';
import type { EngineContext } from '../llama/context.ts';
import { canCut } from '../llama/memory-kind.ts';
import type { NativeModel } from './load-model.ts';

interface PrefixCacheSources extends Pick<LoadCommand, 'prefixCacheBytes' | 'prefixDisk' | 'announcesBlocks'> {
  readonly model: NativeModel;
  readonly context: EngineContext;
  readonly outbox: Outbox;
  /** Copies the cells of a sequence from a GPU to main memory. False if nothing is left to copy. */
  readonly spill: () => boolean;
}

// The turns of an agent follow each other faster, and the prefix of the last one contains the others.
const restBeforeWritingMs = 2000;
// A long sequence takes a second or two, for which a request would wait.
const restBeforeCopyingMs = 10_000;

export function openPrefixCache(sources: PrefixCacheSources) {
  const { spill, context, outbox } = sources;
  const disk = openDisk(sources);
  const watch = openLedger(sources);
  const prefixCache = new PrefixCache({
    watch,
    capacityBytes: sources.prefixCacheBytes,
    cutsAnywhere: canCut(sources.context.memory),
    onEvict: disk ? (entry, used) => disk.offer(entry, { used, leaving: true }) : undefined,
  });
  let timer: Timer | undefined;
  const save = (leaving: boolean): void => {
    for (const { entry, used } of prefixCache.list()) disk?.offer(entry, { used, leaving });
  };
  let reported = 0;
  const reportSize = (): void => {
    watch?.flush();
    if (prefixCache.bytes === reported) return;
    reported = prefixCache.bytes;
    outbox.send({ type: 'prefixes', bytes: reported });
  };
  // The pipe is read between two copies.
  const copy = (): void => {
    const copied = spill();
    reportSize();
    if (copied) timer = systemClock.after(1, copy);
    else save(false);
  };

  return {
    prefixCache,
    /** Absent if there is none. */
    disk,
    /** Absent: nobody wants to know which tokens there are. */
    watch,
    /** Sends the size in main memory, and which tokens there are, if that has changed. */
    reportSize,
    /** Writes soon, unless `wake` is called before. */
    rest(): void {
      timer?.cancel();
      if (context.copiesOnDevice) timer = systemClock.after(restBeforeCopyingMs, copy);
      else if (disk !== undefined) timer = systemClock.after(restBeforeWritingMs, () => save(false));
    },
    wake: (): void => timer?.cancel(),
    async close(): Promise<void> {
      timer?.cancel();
      // Without a file, a copy would be lost with the process.
      if (disk !== undefined) while (spill());
      save(true);
      await disk?.settled();
    },
  };
}

/** Models with other weights have other numbers for the same tokens. */
function openLedger({ model, outbox, announcesBlocks = false }: PrefixCacheSources): BlockLedger | undefined {
  if (!announcesBlocks) return undefined;
  const start = Number.parseInt(hashOf([model.prefixKey]).slice(0, 12), 16);
  return new BlockLedger(start, (event) => outbox.send(event));
}

function openDisk({
  model,
  context,
  outbox,
  prefixCacheBytes,
  prefixDisk,
}: PrefixCacheSources): PrefixDisk | undefined {
  const { info, modelBytes, prefixKey } = model;
  if (prefixDisk === undefined) return undefined;
  const empty = { whole: context.snapshot(0), state: context.snapshotState(0) };
  const portable = createPortableForm(context.memory, info.parallel, empty);
  return new PrefixDisk({
    folder: prefixDisk.folder,
    key: portable === undefined ? hashOf([prefixKey, info.parallel]) : prefixKey,
    form: portable ?? wholeForm,
    cutsAnywhere: canCut(context.memory),
    contextLength: info.contextLength,
    modelBytes,
    maxBytes: Math.min(prefixDisk.maxBytes, prefixCacheBytes),
    clock: systemClock,
    onStored: () => outbox.send({ type: 'stored' }),
    warn: writeErrorLine,
  });
}
