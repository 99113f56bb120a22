// vLLM as an engine that this server starts (ADR 62). Nothing of it is loaded until a model needs it.

import { packageEnvironment } from '../../base/config/child-environment.ts';
import { processEnvironment } from '../../base/config/environment.ts';
import { toServerFeature } from '../../server/server-feature.ts';

export const vllmServer = toServerFeature({
  openEngines: ({ settings, scriptOf, clock, logger }) => {
    const environment = packageEnvironment(processEnvironment);
    const sleepSupport = { isRefused: false };
    return {
      vllm: {
        async estimate(source, gpus) {
          const { estimateVllm } = await import('./estimate-vllm.ts');
          return estimateVllm(source, gpus, environment);
        },
        async start(order, signal) {
          const { startVllm } = await import('./start-vllm.ts');
          const script = scriptOf('features/vllm/guard-program');
          const { vllm: setting, loadTimeout, vllmSleep: sleepMs } = settings;
          const parts = { setting, environment, script, loadTimeout, sleepMs, sleepSupport, clock, logger };
          return startVllm({ ...order, ...parts }, signal);
        },
      },
    };
  },
});
