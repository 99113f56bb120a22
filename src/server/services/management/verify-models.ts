// Holds the store against its own names while it is being served, and repairs what can be repaired without harm to
// anyone: a damaged blob goes, so that it can be fetched again; what no model needs goes if nobody is about to use it.

import { HearthError } from '../../../base/errors.ts';
import type { Store } from '../../../models/store/store.ts';
import { type Finding, verifyStore } from '../../../models/store/verify.ts';

export interface VerifyInput {
  readonly repair: boolean;
}

export type VerifyModels = (input: VerifyInput, signal: AbortSignal) => AsyncGenerator<Finding>;

export function createVerifyModels({ store, root }: { store: Store; root: string }): VerifyModels {
  const removeIfDamaged = async (finding: Finding): Promise<Finding> => {
    if (finding.kind !== 'damaged') return finding;
    await store.removeDamagedBlob(finding.digest);
    return { ...finding, removed: true };
  };
  return async function* verifyModels({ repair }, signal) {
    try {
      for await (const finding of verifyStore(root, { signal }))
        yield repair ? await removeIfDamaged(finding) : finding;
      if (repair) await store.collectGarbage();
    } catch (error) {
      throw signal.aborted ? new HearthError('cancelled', 'request canceled') : error;
    }
  };
}
