// `hearth verify` without a server: verifies the store in this process.

import { verifyStore } from '../../models/store/verify.ts';
import { toVerifyResponses, type VerifyResponseBody } from '../../server/dialects/hearth/status/verify-schema.ts';

export function verifyFolder(root: string, repair: boolean): AsyncIterable<VerifyResponseBody> {
  return toVerifyResponses(verifyStore(root, { repair }));
}
