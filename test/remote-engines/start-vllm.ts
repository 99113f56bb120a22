// Starts vLLM on the CPU.

import { once } from 'node:events';
import { freePort } from '../support/free-port.ts';
import { pause } from '../support/processes.ts';
import { killGroup, spawnGuarded } from '../support/spawn-guarded.ts';

export interface VllmServer {
  readonly url: string;
  signal(name: NodeJS.Signals): void;
  /** The sum of a metric over its series. */
  metric(name: string): Promise<number>;
  stop(): Promise<void>;
}

export interface VllmOptions {
  /** The folder of the checkpoint. */
  readonly model: string;
  readonly servedModel: string;
  readonly contextLength: number;
  /** Bound to one processor. */
  readonly processor: number;
  readonly key: string;
  /** The ports of its cache events. Absent: it has none. */
  readonly events?: readonly [port: number, replayPort: number];
}

export async function startVllm(options: VllmOptions): Promise<VllmServer> {
  const { model, servedModel, contextLength, processor, key, events } = options;
  const port = await freePort();
  const flags = `--host 127.0.0.1 --port ${port} --served-model-name ${servedModel} --max-model-len ${contextLength}
    --dtype float32 --enforce-eager --max-num-seqs 8 --enable-prompt-tokens-details --enable-auto-tool-choice
    --tool-call-parser hermes --api-key ${key}`.split(/\s+/);
  const child = spawnGuarded(process.env['HEARTH_VLLM'] ?? 'vllm', ['serve', model, ...flags, ...eventFlags(events)], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      VLLM_CPU_KVCACHE_SPACE: '1',
      VLLM_CPU_OMP_THREADS_BIND: String(processor),
      // Has the routes for sleeping. On the CPU, nothing but the scheduler sleeps.
      VLLM_SERVER_DEV_MODE: '1',
      VLLM_NO_USAGE_STATS: '1',
      HF_HUB_OFFLINE: '1',
      // Otherwise the first request with log probabilities waits for a compiler.
      TORCH_COMPILE_DISABLE: '1',
    },
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      log = `${log}${chunk}`.slice(-20_000);
    });
  const exit = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  while (!(await isReady(url))) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`vLLM ended:\n${log}`);
    await pause(500);
  }
  return {
    url,
    signal: (name) => void child.kill(name),
    async metric(name) {
      const text = await (await fetch(`${url}/metrics`)).text();
      const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`));
      return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    },
    async stop() {
      killGroup(child);
      await exit;
    },
  };
}

function eventFlags(ports: VllmOptions['events']): string[] {
  if (ports === undefined) return [];
  const [endpoint, replay_endpoint] = ports.map((port) => `tcp://127.0.0.1:${port}`);
  const config = { enable_kv_cache_events: true, publisher: 'zmq', endpoint, replay_endpoint };
  return ['--kv-events-config', JSON.stringify(config)];
}

function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}
