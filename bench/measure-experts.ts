// Measures a mixture of experts that does not fit into a GPU: whole layers in main memory, experts in main memory, and
// what llama-server chooses with the same room. The room is what HEARTH_GPU_OVERHEAD and --fit-target leave. Without a
// GPU there is nothing to measure. BENCH_EXPERT_MODEL is the path of another model.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from '../test/support/repository.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { addModel } from './add-model.ts';
import { expertModel } from './expert-model.ts';
import { gpuEnvironment } from './gpu-environment.ts';
import { startLlamaServer } from './llama-server.ts';
import { askLlamaServer, findTool } from './llama-tools.ts';
import { median, report, rounds, settle } from './report.ts';
import { freshText, type StreamTiming, timeStream } from './server-load.ts';

const gibibyte = 2 ** 30;
const mebibyte = 2 ** 20;
const model = 'experts';
const contextLength = 16_384;
// The long one is first: it uses every expert, so that no later pass waits for pages of the file.
const longPrompt = '12,000 tokens';
const prompts = new Map([
  [longPrompt, freshText(6000)],
  ['64 tokens', freshText(32)],
]);
const tokens = 128;
const roomsInGibibytes = [8, 12, 16];
/** Of whole layers in main memory, with the smallest room, after the long prompt. */
const wholeLayersGoal = 2;

interface Device {
  readonly kind: string;
  readonly name: string;
  readonly backend?: string;
  readonly free: number;
}

export async function measureExperts(): Promise<void> {
  const gpu = await findGpu(gpuEnvironment);
  if (gpu === undefined) {
    console.log('      no GPU that a backend serves: nothing to measure (see docs/gpu.md)');
    return;
  }
  const path = process.env['BENCH_EXPERT_MODEL'] ?? expertModel(repository('build/models'));
  const folder = mkdtempSync(join(tmpdir(), 'hearth-experts-'));
  try {
    await addModel({ store: join(folder, 'models') }, { name: model, path, template: '{{ .Prompt }}' });
    for (const room of roomsInGibibytes) await measureRoom(room, { gpu, path, folder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface RoomSubject {
  readonly gpu: Device;
  readonly path: string;
  /** Has the store with the model. */
  readonly folder: string;
}

async function measureRoom(room: number, { gpu, path, folder }: RoomSubject): Promise<void> {
  const overhead = gpu.free - room * gibibyte;
  const environment = { ...gpuEnvironment, HEARTH_GPU_OVERHEAD: String(overhead), HEARTH_NUM_PARALLEL: '1' };
  const server = await startServer({ environment, store: folder });
  const measureHere = async (options: Readonly<Record<string, unknown>>) => {
    const speeds = await measure((prompt, seed) => ask(server, prompt, seed, options));
    return { speeds, places: await describePlaces(server) };
  };
  const [whole, experts] = await (async () => {
    try {
      return [await measureHere({ num_cpu_moe: 0 }), await measureHere({})] as const;
    } finally {
      await server.stop();
    }
  })();
  const peer = await measureLlamaServer(path, overhead);
  const what = `${gpu.name}, ${room} GiB`;
  console.log(`      ${what}: whole layers ${whole.places}; experts ${experts.places}`);
  for (const [prompt, speed] of experts.speeds) {
    const [before = 0, other] = [whole.speeds.get(prompt), peer?.get(prompt)];
    const isJudged = room === roomsInGibibytes[0] && prompt === longPrompt;
    report({
      what: `${what}, after ${prompt}, of whole layers (${before.toFixed(1)} tokens/s)`,
      value: `${(speed / before).toFixed(2)} (${speed.toFixed(1)} tokens/s)`,
      ...(isJudged ? { goal: `≥ ${wholeLayersGoal}`, met: speed >= wholeLayersGoal * before } : {}),
    });
    if (other === undefined) continue;
    report({
      what: `${what}, after ${prompt}, of llama-server (${other.toFixed(1)} tokens/s)`,
      value: (speed / other).toFixed(2),
      goal: '≥ 1',
      met: speed >= other,
    });
  }
}

/** The first GPU that a backend serves. */
async function findGpu(environment: Readonly<Record<string, string>>): Promise<Device | undefined> {
  const server = await startServer({ environment });
  try {
    const body = (await (await fetch(`${server.url}/api/devices`)).json()) as { readonly devices: readonly Device[] };
    return body.devices.find(({ kind, backend }) => kind === 'gpu' && backend !== undefined);
  } finally {
    await server.stop();
  }
}

function ask(
  { url }: TestServer,
  prompt: string,
  seed: number,
  options: Readonly<Record<string, unknown>>,
): Promise<StreamTiming> {
  return timeStream({ url, model, prompt, tokens, seed, options: { num_ctx: contextLength, ...options } });
}

/** Tokens per second after the first one, for each prompt. Medians of the rounds. */
async function measure(
  generate: (prompt: string, seed: number) => Promise<StreamTiming>,
): Promise<ReadonlyMap<string, number>> {
  const medians = new Map<string, number>();
  for (const [name, prompt] of prompts) {
    const speeds: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      await settle();
      const { firstText, ended, tokens: count } = await generate(prompt, round);
      // The first one has the time of the load, and evaluates the prompt for the others.
      if (round > 0) speeds.push(((count - 1) / (ended - firstText)) * 1000);
    }
    medians.set(name, median(speeds));
  }
  return medians;
}

async function describePlaces({ url }: TestServer): Promise<string> {
  const { models } = (await (await fetch(`${url}/api/ps`)).json()) as {
    readonly models: readonly {
      readonly size_vram: number;
      readonly gpu?: { readonly layers?: number; readonly expert_layers_in_memory?: number };
    }[];
  };
  const loaded = models[0];
  const vram = ((loaded?.size_vram ?? 0) / gibibyte).toFixed(1);
  return `${JSON.stringify(loaded?.gpu ?? {})}, ${vram} GiB on the GPU`;
}

async function measureLlamaServer(path: string, overhead: number): Promise<ReadonlyMap<string, number> | undefined> {
  const program = findTool('llama-server');
  if (program === undefined) return undefined;
  const extra = ['--fit', 'on', '--fit-target', String(Math.ceil(overhead / mebibyte))];
  const server = await startLlamaServer({ program, model: path, contextLength, parallel: 1, extra });
  try {
    return await measure((prompt, seed) => askLlamaServer(server, prompt, tokens, seed));
  } finally {
    await server.stop();
  }
}
