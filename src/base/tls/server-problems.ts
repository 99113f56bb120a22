// Sentences for servers that a client does not accept, or that do not accept the client. Each completes "the server: …".

const untrusted =
  'its certificate is not from an authority that is trusted here; set HEARTH_TLS_CA to the PEM file of its authority';
const clientCertificate = 'it requires a client certificate; set HEARTH_TLS_CERT and HEARTH_TLS_KEY';

export const certificateProblems: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_UNTRUSTED: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; check the clock of this machine',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for other names; use one of them, or create one that has this name',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: clientCertificate,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: clientCertificate,
};

/** Codes for a server that answers without TLS. */
export const withoutTlsCodes: readonly string[] = [
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'EPROTO',
];
