// Stands for the certificates of a machine in tests that only parse command lines.

import type { CertificatePorts } from '../../src/cli/certificates/cert-command.ts';

export const noCertificates: CertificatePorts = {
  async create() {
    throw new Error('not expected');
  },
  async show() {
    return undefined;
  },
};
