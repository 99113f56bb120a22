// Writes X.509 certificates (RFC 5280) for ECDSA keys on P-256:
//
//   Certificate     ::= SEQUENCE { tbsCertificate, signatureAlgorithm, signature BIT STRING }
//   TBSCertificate  ::= SEQUENCE { [0] version, serialNumber, signatureAlgorithm, issuer, validity, subject,
//                                  subjectPublicKeyInfo, [3] extensions }

import { createHash, type KeyObject, sign } from 'node:crypto';
import type { CertificateName } from './certificate-names.ts';
import {
  bitString,
  boolean,
  contextTag,
  integer,
  objectId,
  octetString,
  sequence,
  setOf,
  time,
  utf8String,
} from './der.ts';

const objectIds = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const;

export interface CertificateFields {
  /** The common name. */
  readonly subject: string;
  readonly publicKey: KeyObject;
  /** Random bytes. */
  readonly serial: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Whether it signs other certificates; otherwise it identifies a host, as server and as client. */
  readonly usage:
    | { readonly kind: 'authority' }
    | { readonly kind: 'host'; readonly names: readonly CertificateName[] };
}

/** Who signs: a certificate of an authority signs itself. */
export interface CertificateIssuer {
  readonly subject: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** Returns PEM text. */
export function writeCertificate(fields: CertificateFields, issuer: CertificateIssuer): string {
  const algorithm = sequence(objectId(objectIds.ecdsaWithSha256));
  const toBeSigned = sequence(
    contextTag(0, integer(Buffer.of(2)), { constructed: true }),
    integer(fields.serial),
    algorithm,
    commonName(issuer.subject),
    sequence(time(fields.notBefore), time(fields.notAfter)),
    commonName(fields.subject),
    fields.publicKey.export({ type: 'spki', format: 'der' }),
    contextTag(3, sequence(...extensions(fields, issuer)), { constructed: true }),
  );
  const signature = sign('sha256', toBeSigned, issuer.privateKey);
  return toPem(sequence(toBeSigned, algorithm, bitString(signature)));
}

// The upper bound of a common name in the specification, in characters.
const maxCommonName = 64;

function commonName(text: string): Buffer {
  const value = utf8String([...text].slice(0, maxCommonName).join(''));
  return sequence(setOf(sequence(objectId(objectIds.commonName), value)));
}

// Bits from the left: 0 digitalSignature, 5 keyCertSign, 6 cRLSign.
const signingUsage = bitString(Buffer.of(0b1000_0000), 7);
const authorityUsage = bitString(Buffer.of(0b0000_0110), 1);

function extensions({ usage, publicKey }: CertificateFields, issuer: CertificateIssuer): Buffer[] {
  const identifiers = [
    extension(objectIds.subjectKeyIdentifier, octetString(keyIdentifier(publicKey))),
    extension(
      objectIds.authorityKeyIdentifier,
      sequence(contextTag(0, keyIdentifier(issuer.publicKey), { constructed: false })),
    ),
  ];
  if (usage.kind === 'authority')
    return [
      // An authority that signs hosts, and no other authorities.
      critical(objectIds.basicConstraints, sequence(boolean(true), integer(Buffer.of(0)))),
      critical(objectIds.keyUsage, authorityUsage),
      ...identifiers,
    ];
  return [
    critical(objectIds.basicConstraints, sequence()),
    critical(objectIds.keyUsage, signingUsage),
    extension(objectIds.extendedKeyUsage, sequence(objectId(objectIds.serverAuth), objectId(objectIds.clientAuth))),
    extension(objectIds.subjectAlternativeName, sequence(...usage.names.map(generalName))),
    ...identifiers,
  ];
}

function extension(id: string, value: Uint8Array): Buffer {
  return sequence(objectId(id), octetString(value));
}

function critical(id: string, value: Uint8Array): Buffer {
  return sequence(objectId(id), boolean(true), octetString(value));
}

function generalName(name: CertificateName): Buffer {
  return name.kind === 'dns'
    ? contextTag(2, Buffer.from(name.text), { constructed: false })
    : contextTag(7, name.bytes, { constructed: false });
}

/** Any unique value is valid. */
function keyIdentifier(publicKey: KeyObject): Buffer {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest()
    .subarray(0, 20);
}

const lineLength = 64;

function toPem(der: Buffer): string {
  const lines = der.toString('base64').match(new RegExp(`.{1,${lineLength}}`, 'g')) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
