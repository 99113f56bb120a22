// Verifies the store while the server runs. A repair removes damaged blobs, so that they can be pulled again, and blobs
// that neither a model nor running work needs. One verification runs at a time: each hashes on the server's thread.

import { requestCanceled } from '../../../base/errors.ts';
import { createTurns } from '../../../base/turns.ts';
import type { Store } from '../../../models/store/store.ts';
import { type Finding, verifyStore } from '../../../models/store/verify.ts';

export type VerifyModels = (input: { readonly repair: boolean }, signal: AbortSignal) => AsyncGenerator<Finding>;

const maxWaiting = 64;

export function createVerifyModels({ store, root }: { store: Store; root: string }): VerifyModels {
  const turns = createTurns(maxWaiting);
  const removeIfDamaged = async (finding: Finding): Promise<Finding> => {
    if (finding.kind !== 'damaged') return finding;
    await store.removeDamagedBlob(finding.digest);
    return { ...finding, removed: true };
  };
  return async function* verifyModels({ repair }, signal) {
    const endTurn = await turns.take(signal);
    try {
      for await (const finding of verifyStore(root, { signal }))
        yield repair ? await removeIfDamaged(finding) : finding;
      if (repair) await store.collectGarbage();
    } catch (error) {
      throw signal.aborted ? requestCanceled() : error;
    } finally {
      endTurn();
    }
  };
}
