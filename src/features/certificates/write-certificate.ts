// Writes X.509 certificates (RFC 5280) for ECDSA keys on P-256.

import { createHash, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Time,
  Validity,
  Version,
} from '@peculiar/asn1-x509';
import type { CertificateName } from './certificate-names.ts';

export interface CertificateFields {
  /** The common name. */
  readonly subject: string;
  readonly publicKey: KeyObject;
  /** Random bytes. */
  readonly serial: Uint8Array;
  /** The time in milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** The names of a host, as server and as client. Absent: the certificate of an authority, which signs others. */
  readonly names?: readonly CertificateName[];
}

/** Who signs. The certificate of an authority signs itself. */
export interface CertificateIssuer {
  readonly subject: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const commonName = '2.5.4.3';
const ecdsaWithSha256 = '1.2.840.10045.4.3.2';

/** Returns PEM text. */
export function writeCertificate(fields: CertificateFields, issuer: CertificateIssuer): string {
  const algorithm = new AlgorithmIdentifier({ algorithm: ecdsaWithSha256 });
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: toPositive(fields.serial).buffer,
    signature: algorithm,
    issuer: toName(issuer.subject),
    validity: Object.assign(new Validity(), {
      notBefore: new Time(fields.notBefore),
      notAfter: new Time(fields.notAfter),
    }),
    subject: toName(fields.subject),
    subjectPublicKeyInfo: AsnConvert.parse(toDer(fields.publicKey), SubjectPublicKeyInfo),
    extensions: new Extensions(listExtensions(fields, issuer)),
  });
  const signature = sign('sha256', new Uint8Array(AsnConvert.serialize(tbsCertificate)), issuer.privateKey);
  const signatureValue = new Uint8Array(signature).buffer;
  const certificate = new Certificate({ tbsCertificate, signatureAlgorithm: algorithm, signatureValue });
  return new X509Certificate(new Uint8Array(AsnConvert.serialize(certificate))).toString();
}

/** The shortest form of an integer, whose highest bit would be its sign. */
function toPositive(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const significant = bytes.subarray(bytes.findIndex((byte) => byte !== 0));
  return Uint8Array.from((significant[0] ?? 0) >= 0x80 ? [0, ...significant] : significant);
}

// The upper bound of a common name in the specification, in characters.
const maxCommonNameLength = 64;

function toName(text: string): Name {
  const value = new AttributeValue({ utf8String: [...text].slice(0, maxCommonNameLength).join('') });
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: commonName, value })])]);
}

function listExtensions({ names, publicKey }: CertificateFields, issuer: CertificateIssuer): Extension[] {
  const keyIdentifier = new KeyIdentifier(keyIdentifierOf(issuer.publicKey));
  const identifiers = [
    extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(keyIdentifierOf(publicKey))),
    extension(id_ce_authorityKeyIdentifier, new AuthorityKeyIdentifier({ keyIdentifier })),
  ];
  if (names === undefined)
    return [
      // An authority that signs hosts, and no other authorities.
      critical(id_ce_basicConstraints, new BasicConstraints({ cA: true, pathLenConstraint: 0 })),
      critical(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign)),
      ...identifiers,
    ];
  return [
    critical(id_ce_basicConstraints, new BasicConstraints()),
    critical(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature)),
    extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth, id_kp_clientAuth])),
    extension(id_ce_subjectAltName, new SubjectAlternativeName(names.map(toGeneralName))),
    ...identifiers,
  ];
}

function extension(extnID: string, value: object, isCritical = false): Extension {
  return new Extension({ extnID, critical: isCritical, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

function critical(extnID: string, value: object): Extension {
  return extension(extnID, value, true);
}

function toGeneralName({ kind, text }: CertificateName): GeneralName {
  return new GeneralName(kind === 'dns' ? { dNSName: text } : { iPAddress: text });
}

/** Any unique value is valid. */
function keyIdentifierOf(publicKey: KeyObject): Uint8Array {
  return new Uint8Array(createHash('sha256').update(toDer(publicKey)).digest().subarray(0, 20));
}

function toDer(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' });
}
