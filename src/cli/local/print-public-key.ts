// `hearth key`: prints the public half of this installation's key, which is made if there is none yet.

import { type KeyFolders, loadOrCreateKey } from '../../models/keys/load-or-create-key.ts';
import { formatPublicKey } from '../../models/keys/public-key.ts';

export interface PrintPublicKeyOptions {
  readonly folders: KeyFolders;
  readonly say: (text: string) => void;
}

export async function printPublicKey({ folders, say }: PrintPublicKeyOptions): Promise<void> {
  say(formatPublicKey((await loadOrCreateKey(folders)).publicKey));
}
