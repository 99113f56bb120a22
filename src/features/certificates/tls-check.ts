// The certificate of the server, as a check of `hearth doctor`.

import { messageOf } from '../../base/errors.ts';
import { readTlsFiles, toTlsPaths } from '../../base/tls/tls-files.ts';
import { type Check, ok, problem, warning } from '../check.ts';

const nextStep = 'make a new certificate with `hearth cert create`, or correct HEARTH_TLS_CERT and HEARTH_TLS_KEY';

export const tlsCheck: Check = {
  name: 'tls',
  async run({ settings, clock }) {
    try {
      const paths = toTlsPaths(settings);
      if (paths === undefined) return [ok('not used')];
      const { warnings } = await readTlsFiles(paths, clock.now());
      if (warnings.length === 0) return [ok('the certificate and its key can be used')];
      return warnings.map((text) => warning(text, nextStep));
    } catch (error) {
      return [problem(messageOf(error), nextStep)];
    }
  },
};
