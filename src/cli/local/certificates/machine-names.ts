// The names and addresses under which clients reach this machine.

import { parseCertificateName } from '../../../formats/x509/certificate-names.ts';

export interface Machine {
  readonly hostname: string;
  /** Of its network interfaces. */
  readonly addresses: readonly string[];
}

const loopback = ['127.0.0.1', '::1'];
// An address that is valid only together with an interface, so that no URL has it.
const linkLocal = /^fe[89ab]/i;

/** Without names that a certificate cannot have, such as a host name with a space. */
export function listMachineNames({ hostname, addresses }: Machine): string[] {
  const full = hostname.toLowerCase();
  const [first = ''] = full.split('.', 1);
  const names = ['localhost', full, first, `${first}.local`, ...loopback, ...addresses];
  return [...new Set(names)].filter((name) => !linkLocal.test(name) && parseCertificateName(name) !== undefined);
}
