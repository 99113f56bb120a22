// Certificates for tests: an authority and hosts that it signs.

import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CertificateName, parseCertificateName } from '../../src/features/certificates/certificate-names.ts';
import { writeCertificate } from '../../src/features/certificates/write-certificate.ts';

export interface HostCertificate {
  /** PEM texts. */
  readonly cert: string;
  readonly key: string;
}

export interface TestAuthority {
  /** PEM text. */
  readonly cert: string;
  issue(options?: IssueOptions): HostCertificate;
}

export interface IssueOptions {
  readonly names?: readonly string[];
  /** The time in milliseconds since the epoch. */
  readonly notBefore?: number;
  readonly notAfter?: number;
}

const day = 86_400_000;

export function createTestAuthority(subject = 'Test CA'): TestAuthority {
  const issuer = { subject, ...createKeys() };
  const validity = { notBefore: Date.now() - day, notAfter: Date.now() + 100 * day };
  const common = () => ({ serial: randomBytes(16), ...validity });
  return {
    cert: writeCertificate({ ...common(), subject, publicKey: issuer.publicKey }, issuer),
    issue({ names = ['localhost', '127.0.0.1'], ...dates } = {}) {
      const { publicKey, privateKey } = createKeys();
      const fields = {
        ...common(),
        ...dates,
        subject: names[0] ?? '',
        publicKey,
        names: names.map((name) => parseCertificateName(name) as CertificateName),
      };
      return {
        cert: writeCertificate(fields, issuer),
        key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      };
    },
  };
}

export interface CertificatePaths {
  readonly cert: string;
  readonly key: string;
}

/** Replaces the files if they exist. */
export function writeHostCertificate(folder: string, { cert, key }: HostCertificate): CertificatePaths {
  const paths = { cert: join(folder, 'server.pem'), key: join(folder, 'server-key.pem') };
  writeFileSync(paths.cert, cert);
  writeFileSync(paths.key, key, { mode: 0o600 });
  return paths;
}

function createKeys(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}
