// npm run bench: the server over HTTP beside a bare loop over the same library, in one run, as ratios. Absolute numbers
// depend on the machine and on what else it does; ratios of short runs that take turns hardly do. With an argument, only
// the models whose names contain it; `list` is the list of a thousand models, `pull` a model from a registry.

import { cpus, totalmem } from 'node:os';
import { digestOfFile } from '../src/kernel/digest.ts';
import { parseModelName } from '../src/model/name.ts';
import { mediaTypes } from '../src/store/manifest.ts';
import { createStore } from '../src/store/store.ts';
import { addModel, endlessEmber } from '../test/support/endless-ember.ts';
import { isAlive, pause, residentBytes } from '../test/support/processes.ts';
import { repository } from '../test/support/repository.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { prompt as shortPrompt } from './bare-loop.ts';
import { startBareLoop } from './bare-process.ts';
import { embedOverHttp, embedThroughLease } from './embed-load.ts';
import { measureList } from './list-models.ts';
import { measurePull } from './pull-speed.ts';
import { randomModel } from './random-model.ts';
import { freshText, throughput, timeStream } from './server-load.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 11);

interface Subject {
  readonly name: string;
  readonly path: string;
  /** To generate in one measurement. */
  readonly tokens: number;
  /** How many words of freshText make a thousand tokens. */
  readonly thousand: number;
  /** To embed in one measurement. */
  readonly texts: number;
  /** The least ratios to the bare loop. */
  readonly goals: { readonly one?: number; readonly eight?: number; readonly embed?: number };
}

interface Result {
  readonly what: string;
  readonly value: string;
  readonly goal?: string;
  readonly met?: boolean;
}

const results: Result[] = [];

function report(result: Result): void {
  results.push(result);
  const mark = { true: '  ok ', false: ' MISS', undefined: '     ' }[String(result.met)];
  console.log(`${mark} ${result.what}: ${result.value}${result.goal ? ` (goal: ${result.goal})` : ''}`);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

/** Threads go on spinning for a moment after a run; the next one must have the cores to itself. */
const settle = (): Promise<void> => pause(400);

async function measureSpeed(server: TestServer, subject: Subject): Promise<void> {
  const { name: model, path, tokens, goals } = subject;
  const bare = await startBareLoop(path);
  const served = async (streams: number): Promise<number> => {
    const request = { url: server.url, model, prompt: shortPrompt, tokens };
    return throughput(
      await Promise.all(Array.from({ length: streams }, (_, seed) => timeStream({ ...request, seed }))),
    );
  };
  for (const streams of [1, 8] as const) {
    await bare.run(streams, 8);
    await served(1);
    const pairs: { readonly bare: number; readonly served: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      await settle();
      const limit = await bare.run(streams, tokens);
      await settle();
      pairs.push({ bare: limit, served: await served(streams) });
    }
    const ratio = median(pairs.map((pair) => pair.served / pair.bare));
    const speeds = `${median(pairs.map((pair) => pair.served)).toFixed(1)} and ${median(pairs.map((pair) => pair.bare)).toFixed(1)} tokens/s`;
    const goal = streams === 1 ? goals.one : goals.eight;
    report({
      what: `${model}, ${streams === 1 ? 'one stream' : 'eight at once'}`,
      value: `${ratio.toFixed(3)} of the bare loop (${speeds})`,
      ...(goal === undefined ? {} : { goal: `≥ ${goal}`, met: ratio >= goal }),
    });
  }
  bare.stop();
}

async function measureRepeatedPrompt(server: TestServer, { name: model, thousand }: Subject): Promise<void> {
  const pairs: { readonly first: number; readonly second: number }[] = [];
  for (let round = 0; round < 3; round++) {
    const request = { url: server.url, model, prompt: freshText(thousand), tokens: 4, seed: 1 };
    const timeToText = async (): Promise<number> => {
      const { sent, firstText } = await timeStream(request);
      return firstText - sent;
    };
    pairs.push({ first: await timeToText(), second: await timeToText() });
  }
  const ratio = median(pairs.map(({ first, second }) => second / first));
  report({
    what: `${model}, a repeated prompt of 1,000 tokens to its first token`,
    value: `${(100 * ratio).toFixed(1)} % of the first time (ms: ${pairs.map(({ first, second }) => `${second.toFixed(0)} after ${first.toFixed(0)}`).join(', ')})`,
    goal: '≤ 10 %',
    met: ratio <= 0.1,
  });
}

async function measureSharedPrefix(server: TestServer, { name: model, thousand }: Subject): Promise<void> {
  const prefix = freshText(thousand);
  const logged = server.log().length;
  const requests = Array.from({ length: 8 }, (_, seed) => ({
    url: server.url,
    model,
    prompt: `${prefix} ${seed}`,
    tokens: 4,
    seed,
  }));
  await Promise.all(requests.map(timeStream));
  await settle();
  const answers = [
    ...server
      .log()
      .slice(logged)
      .matchAll(/answered .*prompt=(\d+) reused=(\d+)/g),
  ];
  const prompts = answers.map(([, tokens]) => Number(tokens));
  const total = prompts.reduce((sum, tokens) => sum + tokens, 0);
  const evaluated = total - answers.reduce((sum, [, , reused]) => sum + Number(reused), 0);
  report({
    what: `${model}, eight requests that share a prefix of 1,000 tokens`,
    value: `${evaluated} of ${total} prompt tokens were evaluated, by the engine's own count`,
    goal: 'the prefix once',
    met: answers.length === 8 && evaluated < Math.max(...prompts) + 8 * 16,
  });
}

async function measureEmbeddings(server: TestServer, { name: model, path, texts, goals }: Subject): Promise<void> {
  const bare = await startBareLoop(path, 'bare-embed');
  const ways = [
    { what: 'through a lease', load: await embedThroughLease(path), goal: undefined },
    { what: 'over HTTP', load: embedOverHttp(server.url, model), goal: goals.embed },
  ];
  for (const { what, load, goal } of ways) {
    const ratios: number[] = [];
    await bare.run(8, 0);
    await load.run(8, 0);
    for (let round = 0; round < rounds; round++) {
      await settle();
      const limit = await bare.run(texts, round);
      await settle();
      ratios.push((await load.run(texts, round)) / limit);
    }
    await load.stop();
    report({
      what: `${model}, ${texts} embeddings of mixed length ${what}`,
      value: `${median(ratios).toFixed(3)} of a bare batched loop`,
      ...(goal === undefined ? {} : { goal: `≥ ${goal}`, met: median(ratios) >= goal }),
    });
  }
  bare.stop();
}

async function measureMemory(server: TestServer, { name: model }: Subject): Promise<void> {
  const mib = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
  const [runner = 0] = server.runners();
  const loaded = residentBytes(runner);
  const before = residentBytes(server.pid);
  await fetch(`${server.url}/api/generate`, { method: 'POST', body: JSON.stringify({ model, keep_alive: 0 }) });
  while (server.runners().length > 0) await pause(20);
  const after = residentBytes(server.pid);
  report({
    what: `${model}, unloaded`,
    value: `the runner with its ${mib(loaded)} is gone; the server itself has ${mib(after)}, before ${mib(before)}`,
    goal: 'the memory is given back',
    met: !isAlive(runner) && after < before + 50 * 2 ** 20,
  });
}

async function reportList(): Promise<void> {
  const { cold, warm } = await measureList();
  const line = (what: string, milliseconds: number, most: number): void =>
    report({
      what: `a list of 1,000 models, ${what}`,
      value: `${milliseconds.toFixed(0)} ms`,
      goal: `< ${most} ms`,
      met: milliseconds < most,
    });
  line('by a server that has just started', cold, 500);
  line('after that', warm, 50);
}

async function reportPull(): Promise<void> {
  const { size, turns } = await measurePull(rounds);
  const speed = (seconds: number): string => `${(size / 1e6 / seconds).toFixed(0)} MB/s`;
  const ratio = median(turns.map(({ curl, pull }) => curl / pull));
  const flushed = median(turns.map(({ curlFlushed, pull }) => curlFlushed / pull));
  const speeds = [turns.map(({ pull }) => pull), turns.map(({ curl }) => curl)].map((times) => speed(median(times)));
  report({
    what: `a blob of ${Math.round(size / 2 ** 20)} MiB from a registry on this machine, with its digest`,
    value: `${ratio.toFixed(3)} of curl (${speeds.join(' and ')})`,
    goal: '≥ 0.8',
    met: ratio >= 0.8,
  });
  report({
    what: 'the same, beside curl and a flush to the disk',
    value: `${flushed.toFixed(3)}`,
  });
}

/** Puts a file into the server's store, without a template. */
async function addFile(server: TestServer, name: string, path: string): Promise<void> {
  const store = createStore(server.store);
  await store.putManifest(parseModelName(name), {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: await store.putBlob(Buffer.from('{}'), mediaTypes.config),
    layers: [await store.adoptBlob(path, await digestOfFile(path), mediaTypes.model)],
  });
}

async function measureModels(only: string): Promise<void> {
  const path = randomModel(repository('build/models'));
  const server = await startServer({ environment: { HEARTH_NUM_PARALLEL: '8', HEARTH_CONTEXT_LENGTH: '2048' } });
  try {
    await addFile(server, 'random-500m', path);
    const ember = await addModel(server.store, 'ember-endless', endlessEmber());
    const emberPath = createStore(server.store).blobPath(ember.digest);
    const subjects: Subject[] = [
      { name: 'random-500m', path, tokens: 192, thousand: 500, texts: 64, goals: { one: 0.97, eight: 0.95 } },
      {
        name: 'ember-endless',
        path: emberPath,
        tokens: 256,
        thousand: 1000,
        texts: 512,
        goals: { one: 0.8, embed: 0.9 },
      },
    ];
    for (const subject of subjects.filter(({ name }) => name.includes(only))) {
      await measureSpeed(server, subject);
      await measureRepeatedPrompt(server, subject);
      await measureSharedPrefix(server, subject);
      await measureEmbeddings(server, subject);
      await measureMemory(server, subject);
    }
  } finally {
    await server.stop();
  }
}

async function main(): Promise<void> {
  const [cpu] = cpus();
  const machine = `${cpu?.model ?? 'unknown processor'} × ${cpus().length}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  console.log(`${machine}, ${process.platform} ${process.arch}, Node ${process.version}; medians of ${rounds} turns\n`);
  const [only = ''] = process.argv.slice(2);
  if (!['list', 'pull'].includes(only)) await measureModels(only);
  if ('list'.includes(only)) await reportList();
  if ('pull'.includes(only)) await reportPull();
  const judged = results.filter(({ met }) => met !== undefined);
  console.log(`\n${judged.filter(({ met }) => met).length} of ${judged.length} goals met`);
}

await main();
