// npm run bench ollama: the same requests to Hearth and to a real Ollama (HEARTH_OLLAMA), in turn: the speed of one stream
// and of eight, and the first token of eight requests that repeat a short prompt.

import { repository } from '../test/support/repository.ts';
import { startServer } from '../test/support/server.ts';
import { addModel } from './add-model.ts';
import { prompt } from './bare-loop.ts';
import { emberModel } from './ember-model.ts';
import { findOllama, startOllama } from './ollama.ts';
import { billionModel } from './random-model.ts';
import { median, report, rounds, settle } from './report.ts';
import { type StreamTiming, throughput, timeStream, warmUp } from './server-load.ts';

interface Comparison {
  readonly model: string;
  readonly tokens: number;
  readonly streams: number;
  readonly hearth: string;
  readonly ollama: string;
}

const parallel = 8;
const contextLength = 2048;
const folder = repository('build/models');
const template = '{{ .System }}\n{{ .Prompt }}\n{{ .Response }}';

export async function measureOllama(): Promise<void> {
  const program = findOllama();
  if (program === undefined) {
    console.log('      set HEARTH_OLLAMA to the program of an Ollama to compare with it');
    return;
  }
  const ollama = await startOllama({ program, parallel, contextLength });
  const environment = {
    HEARTH_NUM_PARALLEL: String(parallel),
    HEARTH_CONTEXT_LENGTH: String(contextLength),
    HEARTH_MAX_LOADED_MODELS: '1',
  };
  const hearth = await startServer({ environment });
  console.log(`      Ollama ${ollama.version}`);
  try {
    const models = [
      { name: 'ember', path: emberModel(folder), tokens: 256 },
      { name: 'random-1b', path: billionModel(folder), tokens: 64 },
    ];
    for (const { name, path, tokens } of models) {
      await addModel(hearth, { name, path, template });
      await ollama.addModel({ name, path, template });
      for (const { url } of [hearth, ollama]) await warmUp({ url, model: name, prompt, tokens: 1, seed: 0 });
      for (const streams of [1, parallel])
        await compare({ model: name, tokens, streams, hearth: hearth.url, ollama: ollama.url });
    }
  } finally {
    await hearth.stop();
    ollama.stop();
  }
}

async function compare({ model, tokens, streams, hearth, ollama }: Comparison): Promise<void> {
  const send = async (url: string): Promise<StreamTiming[]> => {
    await settle();
    const all = Array.from({ length: streams }, (_, seed) => timeStream({ url, model, prompt, tokens, seed }));
    return Promise.all(all);
  };
  for (const url of [hearth, ollama]) await send(url);
  const pairs: { readonly hearth: readonly StreamTiming[]; readonly ollama: readonly StreamTiming[] }[] = [];
  for (let round = 0; round < rounds; round++) {
    const [first, second] = round % 2 === 0 ? [hearth, ollama] : [ollama, hearth];
    const timings = { [first]: await send(first), [second]: await send(second) };
    pairs.push({ hearth: timings[hearth] ?? [], ollama: timings[ollama] ?? [] });
  }
  const what = `${model}, ${streams === 1 ? 'one stream' : `${streams} streams`}`;
  const speed = median(pairs.map((pair) => throughput(pair.hearth) / throughput(pair.ollama)));
  const speeds = [pairs.map((pair) => pair.hearth), pairs.map((pair) => pair.ollama)]
    .map((all) => median(all.map(throughput)).toFixed(1))
    .join(' and ');
  report({
    what: `${what}, speed`,
    value: `${speed.toFixed(3)} of Ollama (${speeds} tokens/s)`,
    goal: '≥ 1',
    met: speed >= 1,
  });
  const first = median(pairs.map((pair) => firstTextOf(pair.hearth) / firstTextOf(pair.ollama)));
  const times = [pairs.map((pair) => pair.hearth), pairs.map((pair) => pair.ollama)]
    .map((all) => median(all.map(firstTextOf)).toFixed(0))
    .join(' and ');
  report({
    what: `${what}, first text of the slowest`,
    value: `${first.toFixed(2)} of Ollama (${times} ms)`,
    goal: '≤ 1',
    met: first <= 1,
  });
}

/** Milliseconds to the first text, of the request that waited longest. */
function firstTextOf(timings: readonly StreamTiming[]): number {
  return Math.max(...timings.map(({ sent, firstText }) => firstText - sent));
}
