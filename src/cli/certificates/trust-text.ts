// How programs come to trust the local certificate authority.

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
