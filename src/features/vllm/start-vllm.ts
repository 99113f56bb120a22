// Starts vLLM, waits until it answers, and watches it until it ends.

import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { HearthError, messageOf } from '../../base/errors.ts';
import { asObject, parseJson } from '../../base/json-values.ts';
import type { Logger } from '../../base/logger.ts';
import type { Clock } from '../../base/time/clock.ts';
import { pause } from '../../base/time/pause.ts';
import type { EngineProgram, StartedProgram } from '../../inference/engine/hosted/engine-program.ts';
import type { HostedProcess } from '../../inference/engine/process/model-process.ts';
import { askLocal } from './ask-local.ts';
import { estimateSleep } from './estimate-vllm.ts';
import { planCommand } from './plan-command.ts';
import { VllmProcess } from './vllm-process.ts';
import { isSleepRefused } from './vllm-sleep.ts';

type StartOptions = Parameters<EngineProgram['start']>[0] & {
  readonly setting: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The guard. */
  readonly script: string;
  /** Milliseconds without any output while it loads, after which it is killed. */
  readonly loadTimeout: number;
  /** Milliseconds that it may sleep. */
  readonly sleepMs: number;
  /** What was learned from earlier starts. */
  readonly sleepSupport: { isRefused: boolean };
  readonly clock: Clock;
  readonly logger: Logger;
};

const lookIntervalMs = 250;
// The default of vLLM.
const defaultParallel = 256;

/**
 * Rejects with `load_failed` if there is no vLLM, and with `runner_died` if it ends. One that cannot sleep is started
 * without that.
 */
export async function startVllm(options: StartOptions, signal: AbortSignal): Promise<StartedProgram<HostedProcess>> {
  const { name, source, sleepMs, sleepSupport, logger } = options;
  const { enable_sleep_mode: wantsSleep, ...others } = source.parameters;
  const withoutSleep = { ...options, source: { ...source, parameters: others } };
  if (wantsSleep !== true || sleepMs <= 0 || sleepSupport.isRefused) return startOnce(withoutSleep, signal);
  try {
    return await startOnce(options, signal);
  } catch (error) {
    if (signal.aborted || !isSleepRefused(error)) throw error;
    sleepSupport.isRefused = true;
    logger.warn('vLLM cannot sleep here: its models are ended instead', { model: name, reason: messageOf(error) });
    return startOnce(withoutSleep, signal);
  }
}

async function startOnce(options: StartOptions, signal: AbortSignal): Promise<StartedProgram<HostedProcess>> {
  const { name, source, estimated, report, setting, environment, script, loadTimeout, clock, logger } = options;
  const port = await findFreePort();
  const key = randomBytes(32).toString('base64url');
  const usesGpus = (estimated.devices?.size ?? 0) > 0;
  const command = planCommand({ source, servedModel: name, port, key, usesGpus, setting, environment });
  const url = `http://127.0.0.1:${port}`;
  const address = { url, servedModel: name, key };
  const vllm = new VllmProcess({ ...command, address, name, estimated, report, script, loadTimeout, clock, logger });
  const stop = (): void => void vllm.stop();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const contextLength = await whenReady(vllm, clock);
    vllm.watch();
    const canSleep = source.parameters['enable_sleep_mode'] === true;
    const sleepBytes = canSleep ? await estimateSleep(source, environment) : undefined;
    if (sleepBytes !== undefined) vllm.allowSleep({ sleepMs: options.sleepMs, sleepBytes });
    return { process: vllm, contextLength, parallel: Number(source.parameters['max_num_seqs'] ?? defaultParallel) };
  } catch (error) {
    await vllm.stop();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The length of its context. */
async function whenReady(vllm: VllmProcess, clock: Clock): Promise<number> {
  for (;;) {
    const ended = await Promise.race([vllm.exited.then(() => true), pause(clock, lookIntervalMs)]);
    if (ended === true) throw vllm.failure;
    if (!(await vllm.isAnswering())) continue;
    const { body } = await askLocal(`${vllm.url}/v1/models`, vllm.key).catch(() => ({ body: '' }));
    const { data } = asObject(parseJson(body));
    const length = Array.isArray(data) ? asObject(data[0])['max_model_len'] : undefined;
    if (Number.isSafeInteger(length)) return Number(length);
    await vllm.kill('it does not list its model');
    throw vllm.failure;
  }
}

/** Another program may take it before vLLM does. vLLM ends then, and the next attempt has another one. */
function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', (error) => reject(new HearthError('load_failed', `there is no free port: ${error.message}`)));
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
