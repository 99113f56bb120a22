// The registry. A machine without a network is not a problem: models that are there work.

import type { RegistryAnswer } from '../ask-registry.ts';
import { type CheckFinding, defineCheck, ok, warning } from '../check.ts';

export const registryCheck = defineCheck<RegistryAnswer>({
  name: 'registry',
  timeLimit: 15_000,
  gather: ({ askRegistry }) => askRegistry(),
  judge: judgeRegistry,
});

export function judgeRegistry({ host, isProxied, status, failure }: RegistryAnswer): CheckFinding[] {
  const through = isProxied ? ' through the proxy' : '';
  if (status === undefined)
    return [
      warning(
        `${host} cannot be reached${through}: ${failure ?? 'it does not answer'}`,
        'models can be used, but not pulled; check the network, the proxy and HEARTH_REGISTRY',
      ),
    ];
  if (status >= 500) return [warning(`${host} answers with status ${status}${through}`, 'try again later')];
  return [ok(`${host} answers${through}`)];
}
