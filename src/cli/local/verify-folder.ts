// `hearth verify` without a server: verifies the store in this process.

import { verifyStore } from '../../models/store/verify.ts';
import { toVerifyResponses, type VerifyResponse } from '../../server/dialects/ollama/models/verify-schema.ts';

export function verifyFolder(root: string, repair: boolean): AsyncIterable<VerifyResponse> {
  return toVerifyResponses(verifyStore(root, { repair }));
}
