// `hearth key`: prints the public key of this installation. The key is created if it does not exist.

import { type KeyFolders, loadOrCreateKey } from '../../models/keys/load-or-create-key.ts';
import { formatPublicKey } from '../../models/keys/public-key.ts';

export interface PrintPublicKeyOptions {
  readonly folders: KeyFolders;
  readonly print: (text: string) => void;
}

export async function printPublicKey({ folders, print }: PrintPublicKeyOptions): Promise<void> {
  print(formatPublicKey((await loadOrCreateKey(folders)).publicKey));
}
