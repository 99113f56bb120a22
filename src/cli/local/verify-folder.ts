// `hearth verify` where no server runs: the store looked through by this process.

import { verifyStore } from '../../models/store/verify.ts';
import { toVerifyResponses, type VerifyResponseBody } from '../../server/dialects/ollama/models/verify-schema.ts';

export function verifyFolder(root: string, repair: boolean): AsyncIterable<VerifyResponseBody> {
  return toVerifyResponses(verifyStore(root, { repair }));
}
