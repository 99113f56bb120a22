// What this program needs to connect to servers with TLS, from the settings.

import type { ClientTls } from '../tls/client-context.ts';
import { type Environment, processEnvironment } from './environment.ts';
import { ownTlsFiles } from './own-tls-files.ts';

export function toClientTls(
  { tlsCa, tlsCert, tlsKey }: { readonly tlsCa: string; readonly tlsCert: string; readonly tlsKey: string },
  environment: Environment = processEnvironment,
): ClientTls {
  return {
    ca: tlsCa,
    ownCa: ownTlsFiles().ca,
    nodeCa: environment['NODE_EXTRA_CA_CERTS'] ?? '',
    cert: tlsCert,
    key: tlsKey,
  };
}
