// Who is told which tokens the prefix caches of runners have.

import type { BlocksEvent } from '../protocol/messages.ts';

/** The blocks of one runner. */
export interface RunnerBlocks {
  apply(change: BlocksEvent): void;
  /** The runner has ended, and its blocks with it. */
  close(): void;
}

export interface BlockEvents {
  open(): RunnerBlocks;
}
