// Holds the store against its own names while it is being served, and repairs what can be repaired without harm to
// anyone: a damaged blob goes, so that it can be fetched again; what no model needs goes if nobody is about to use it.

import { HearthError } from '../kernel/errors.ts';
import type { Store } from '../store/store.ts';
import { type Finding, verifyStore } from '../store/verify.ts';

export interface VerifyInput {
  readonly repair: boolean;
}

export type VerifyModels = (input: VerifyInput, signal: AbortSignal) => AsyncGenerator<Finding>;

export function createVerifyModels({ store, root }: { store: Store; root: string }): VerifyModels {
  return async function* verifyModels({ repair }, signal) {
    try {
      for await (const finding of verifyStore(root, { signal })) {
        const removes = repair && finding.kind === 'damaged';
        if (removes) await store.removeDamagedBlob(finding.digest);
        yield removes ? { ...finding, removed: true } : finding;
      }
      if (repair) await store.collectGarbage();
    } catch (error) {
      throw signal.aborted ? new HearthError('cancelled', 'request canceled') : error;
    }
  };
}
