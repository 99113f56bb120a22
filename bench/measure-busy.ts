// Measures one stream while another program uses every second processor: quiet, busy and quiet again in one answer, with
// and without adapting the number of threads. A stream with half of the threads on the quiet machine shows what is possible on
// the busy one: the other program has the other processors, because it has a higher priority than the model.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { cpus } from 'node:os';
import { physicalCores } from '../src/inference/protocol/decide-threads.ts';
import { pause } from '../test/support/processes.ts';
import { repository } from '../test/support/repository.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { addModel } from './add-model.ts';
import { randomModel } from './random-model.ts';
import { median, report, rounds, settle } from './report.ts';

const model = 'random-500m';
const warmUpMs = 3000;
const quietTime = 6000;
const busyTime = 10_000;
const windowLength = 2000;
const windowStep = 250;
/** Threads are given back during this time. */
const returnTime = 1500;

interface Speeds {
  /** Tokens per second of windows. */
  readonly quiet: readonly number[];
  readonly busy: readonly number[];
  readonly quietAgain: readonly number[];
}

interface Turn {
  readonly adapting: Speeds;
  readonly fixed: Speeds;
  /** Tokens per second with half of the threads on the quiet machine. */
  readonly half: number;
}

export async function measureBusy(): Promise<void> {
  const path = randomModel(repository('build/models'));
  const environment = { HEARTH_NUM_PARALLEL: '1', HEARTH_CONTEXT_LENGTH: '4096' };
  const adapting = await startServer({ environment });
  const fixed = await startServer({ environment: { ...environment, HEARTH_ADAPT_THREADS: 'false' } });
  const half = await startServer({ environment: { ...environment, HEARTH_ADAPT_THREADS: 'false' } });
  const turns: Turn[] = [];
  try {
    for (const server of [adapting, fixed, half])
      await addModel(server, { name: model, path, template: '{{ .Prompt }}' });
    // The order alternates, because the machine changes too.
    for (let round = 0; round < Math.min(rounds, 4); round++) {
      const runs = new Map<TestServer, Speeds>();
      for (const server of round % 2 === 0 ? [adapting, fixed] : [fixed, adapting]) {
        await settle();
        runs.set(server, await measureStream(server.url));
      }
      await settle();
      turns.push({
        adapting: runs.get(adapting) as Speeds,
        fixed: runs.get(fixed) as Speeds,
        half: await measureHalf(half.url),
      });
    }
  } finally {
    for (const server of [adapting, fixed, half]) await server.stop();
  }
  reportBusy(turns);
}

function reportBusy(turns: readonly Turn[]): void {
  const worst = ({ quiet, busy }: Speeds): number => Math.min(...busy) / median(quiet);
  const usual = ({ quiet, busy }: Speeds): number => median(busy) / median(quiet);
  const list = (values: readonly number[]): string => values.map((value) => value.toFixed(2)).join(', ');
  const busy = `${model}, ${busyLoops} busy ${busyLoops === 1 ? 'loop' : 'loops'} on ${cpus().length} processors`;
  const slowest = turns.map(({ adapting }) => worst(adapting));
  report({
    what: `${busy}, slowest two seconds, relative to the quiet machine`,
    value: `${list(slowest)}; with a fixed number of threads ${list(turns.map(({ fixed }) => worst(fixed)))}`,
    goal: '≥ 0.5',
    met: Math.min(...slowest) >= 0.5,
  });
  report({
    what: `${busy}, median`,
    value: `${list(turns.map(({ adapting }) => usual(adapting)))}; with a fixed number of threads ${list(turns.map(({ fixed }) => usual(fixed)))}`,
  });
  report({
    what: `${model}, half of the threads on the quiet machine, relative to all of them`,
    value: list(turns.map(({ adapting, half }) => half / median(adapting.quiet))),
  });
  const calm = turns.map(({ adapting, fixed }) => median(adapting.quiet) / median(fixed.quiet));
  report({
    what: `${model}, quiet machine, relative to a fixed number of threads`,
    value: `${list(calm)} (${turns.map(({ adapting }) => median(adapting.quiet).toFixed(1)).join(', ')} tokens/s)`,
    goal: '≥ 0.98',
    met: median(calm) >= 0.98,
  });
  report({
    what: `${model}, quiet again, relative to before`,
    value: `${list(turns.map(({ adapting }) => median(adapting.quietAgain) / median(adapting.quiet)))}; with a fixed number of threads ${list(turns.map(({ fixed }) => median(fixed.quietAgain) / median(fixed.quiet)))}`,
  });
}

const busyLoops = Math.max(1, Math.floor(cpus().length / 2));

async function measureStream(url: string): Promise<Speeds> {
  const stream = await openStream(url);
  await pause(warmUpMs);
  const begun = performance.now();
  await pause(quietTime);
  const loops = startLoops();
  const loaded = performance.now();
  await pause(busyTime);
  for (const loop of loops) loop.kill('SIGKILL');
  const unloaded = performance.now();
  await pause(quietTime);
  const ended = performance.now();
  stream.stop();
  return {
    quiet: speedsBetween(stream.times, begun, loaded),
    busy: speedsBetween(stream.times, loaded, unloaded),
    quietAgain: speedsBetween(stream.times, unloaded + returnTime, ended),
  };
}

async function measureHalf(url: string): Promise<number> {
  const stream = await openStream(url, { num_thread: Math.max(1, Math.floor(physicalCores() / 2)) });
  await pause(warmUpMs);
  const begun = performance.now();
  await pause(quietTime);
  stream.stop();
  return median(speedsBetween(stream.times, begun, begun + quietTime));
}

/** They have the priority of the server, which is above that of the model. */
function startLoops(): ChildProcess[] {
  return Array.from({ length: busyLoops }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
}

/** Tokens per second in all windows of two seconds. */
function speedsBetween(times: readonly number[], from: number, to: number): number[] {
  const speeds: number[] = [];
  for (let start = from; start + windowLength <= to; start += windowStep) {
    const count = times.filter((time) => time >= start && time < start + windowLength).length;
    speeds.push((count / windowLength) * 1000);
  }
  return speeds;
}

interface OpenStream {
  /** When each token came. */
  readonly times: readonly number[];
  stop(): void;
}

/** Resolves when the first text comes. Without a seed, so that threads may adapt in a long context too. */
async function openStream(url: string, options: Readonly<Record<string, number>> = {}): Promise<OpenStream> {
  const call = request(`${url}/api/generate`, { method: 'POST' });
  call.on('error', () => {});
  const all = { num_predict: 4000, repeat_penalty: 1, ...options };
  call.end(JSON.stringify({ model, prompt: 'Once', raw: true, options: all }));
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  const times: number[] = [];
  response.on('data', (chunk: Buffer) => {
    const now = performance.now();
    // A piece may have several tokens. Nearly all tokens of the model are a t and a number.
    for (const _ of chunk.toString('latin1').matchAll(/t\d+/g)) times.push(now);
  });
  response.on('error', () => {});
  await once(response, 'data');
  return { times, stop: () => void call.destroy() };
}
