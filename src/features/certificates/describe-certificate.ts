// What `hearth cert` prints: the certificate, how a server uses it, and how programs come to trust its authority.

import { formatTimestamp } from '../../base/time/timestamp.ts';
import { formatMoment, safeLine } from '../../cli/output/format.ts';
import type { createCertificate, OwnCertificate } from './create-certificate.ts';

export function describeFiles({ files, isNewAuthority }: Awaited<ReturnType<typeof createCertificate>>): string {
  const { ca, caKey, cert, key } = files;
  const authority: readonly (readonly [path: string, what: string])[] = [
    [ca, 'the authority, which clients must trust'],
    [caKey, 'its key: keep it secret, servers do not need it'],
  ];
  const rows = [...(isNewAuthority ? authority : []), [cert, 'the certificate'], [key, 'its key']];
  return `Wrote\n${rows.map(([path = '', what]) => `  ${safeLine(path)}   ${what}\n`).join('')}\n`;
}

export function describeCertificate(certificate: OwnCertificate, now: number): string {
  const { names, notAfter, issuer, authorityFingerprint } = certificate;
  const rows: readonly (readonly [string, string])[] = [
    ['names', names.join(', ')],
    ['valid until', `${formatTimestamp(notAfter).slice(0, 10)} (${formatMoment(notAfter, now)})`],
    ['signed by', issuer],
    ['SHA-256 of it', authorityFingerprint],
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  const table = rows.map(([label, value]) => `${label.padEnd(width)}  ${safeLine(value)}\n`).join('');
  return `${table}\n${useText(certificate)}`;
}

function useText({ files: { ca, cert, key } }: OwnCertificate): string {
  const settings = `  tls_cert = ${JSON.stringify(cert)}\n  tls_key = ${JSON.stringify(key)}\n`;
  return `To use it, add to ~/.hearth/config.toml:\n${settings}\nCommands of this user trust it. Other programs:\n${trustText(ca)}`;
}

/** One line per system or program. */
export function trustText(caFile: string): string {
  const ca = quote(caFile);
  const ways: readonly (readonly [where: string, how: string])[] = [
    ['Debian, Ubuntu', `sudo cp ${ca} /usr/local/share/ca-certificates/hearth.crt && sudo update-ca-certificates`],
    ['Fedora, RHEL', `sudo cp ${ca} /etc/pki/ca-trust/source/anchors/hearth.pem && sudo update-ca-trust`],
    ['macOS', `sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain ${ca}`],
    ['Windows', `certutil -addstore -f Root ${ca}`],
    ['Firefox', 'Settings, Certificates, View Certificates, Authorities, Import'],
    ['Node', `export NODE_EXTRA_CA_CERTS=${ca}`],
    ['Python', `export SSL_CERT_FILE=${ca} REQUESTS_CA_BUNDLE=${ca}   # trusts only this one`],
    ['curl', `curl --cacert ${ca} …`],
    ['Hearth', `export HEARTH_TLS_CA=${ca}   # for other users and machines`],
  ];
  const width = Math.max(...ways.map(([where]) => where.length));
  return ways.map(([where, how]) => `  ${where.padEnd(width)}  ${how}\n`).join('');
}

function quote(path: string): string {
  return /^[\w./:\\~-]+$/.test(path) ? path : `"${path}"`;
}
