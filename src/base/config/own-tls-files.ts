// Where `hearth cert create` writes, and where commands look for an authority that they trust.

import { join } from 'node:path';
import { stateFolder } from './state-folder.ts';

export interface OwnTlsFiles {
  readonly folder: string;
  /** The certificate of the authority. */
  readonly ca: string;
  /** In a folder of its own, so that copying the files of a server does not copy it. */
  readonly caKey: string;
  readonly cert: string;
  readonly key: string;
}

export function ownTlsFiles(folder = join(stateFolder(), 'tls')): OwnTlsFiles {
  return {
    folder,
    ca: join(folder, 'ca.pem'),
    caKey: join(folder, 'authority', 'ca-key.pem'),
    cert: join(folder, 'server.pem'),
    key: join(folder, 'server-key.pem'),
  };
}
