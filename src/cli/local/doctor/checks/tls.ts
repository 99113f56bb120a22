// The certificate of the server.

import { messageOf } from '../../../../base/errors.ts';
import { readTlsFiles, toTlsPaths } from '../../../../base/tls/tls-files.ts';
import { type CheckFinding, defineCheck, ok, problem, usualTimeLimit, warning } from '../check.ts';

export type TlsFacts =
  | { readonly used: false }
  | { readonly used: true; readonly warnings: readonly string[]; readonly failure?: string };

export const tlsCheck = defineCheck<TlsFacts>({
  name: 'tls',
  timeLimit: usualTimeLimit,
  async gather({ settings, clock }) {
    try {
      const paths = toTlsPaths(settings);
      if (paths === undefined) return { used: false };
      return { used: true, warnings: (await readTlsFiles(paths, clock.now())).warnings };
    } catch (error) {
      return { used: true, warnings: [], failure: messageOf(error) };
    }
  },
  judge: judgeTls,
});

export function judgeTls(facts: TlsFacts): CheckFinding[] {
  if (!facts.used) return [ok('not used')];
  const nextStep = 'make a new certificate with `hearth cert create`, or correct HEARTH_TLS_CERT and HEARTH_TLS_KEY';
  if (facts.failure !== undefined) return [problem(facts.failure, nextStep)];
  if (facts.warnings.length === 0) return [ok('the certificate and its key can be used')];
  return facts.warnings.map((text) => warning(text, nextStep));
}
