// npm run bench agents: the conversation of a coding agent. How long do later turns take to their first token, compared
// with the first one: in the same runner, after the model was unloaded, after another model took its place, after a
// restart of the server, and with four agents at once. A full run takes long on a small machine. BENCH_AGENT_TOKENS,
// BENCH_AGENT_TURNS, BENCH_AGENT_RESULT and BENCH_AGENT_TOGETHER (tokens of each of four agents; 0: not measured) set
// other sizes, BENCH_AGENT_MODELS selects models.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '../test/support/processes.ts';
import { repository } from '../test/support/repository.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { addModel } from './add-model.ts';
import {
  type AgentSizes,
  createConversation,
  type SendTurn,
  sendToHearth,
  sendToLlamaServer,
} from './agent-conversation.ts';
import { hybridModel } from './hybrid-model.ts';
import { findLlamaServer, startLlamaServer } from './llama-server.ts';
import { countingModel } from './random-model.ts';
import { median, report } from './report.ts';

interface AgentModel {
  readonly name: string;
  readonly path: () => string;
  readonly template: string;
}

const agents = 4;
const sizes: AgentSizes = {
  prompt: Number(process.env['BENCH_AGENT_TOKENS'] ?? 20_000),
  result: Number(process.env['BENCH_AGENT_RESULT'] ?? 300),
  answer: 32,
};
const turns = Number(process.env['BENCH_AGENT_TURNS'] ?? 10);
const togetherTokens = Number(process.env['BENCH_AGENT_TOGETHER'] ?? sizes.prompt);
const longest = Math.max(sizes.prompt, togetherTokens);
const contextLength = Math.max(4096, longest + (turns + 5) * (sizes.result + sizes.answer + 64) + 1024);

const folder = repository('build/models');
const models: readonly AgentModel[] = [
  {
    name: 'counting-500m',
    path: () => countingModel(folder),
    template:
      '{{ .System }}\n{{ range .Tools }}{{ . }}\n{{ end }}{{ range .Messages }}{{ if ne .Role "system" }}{{ .Role }}: {{ .Content }}\n{{ end }}{{ end }}assistant: ',
  },
  {
    name: 'hybrid',
    path: () => hybridModel(folder),
    template:
      '<|im_start|>system\n{{ .System }}\n{{ range .Tools }}{{ . }}\n{{ end }}<|im_end|>\n{{ range .Messages }}{{ if ne .Role "system" }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}{{ end }}<|im_start|>assistant\n',
  },
];

export async function measureAgents(): Promise<void> {
  const chosen = process.env['BENCH_AGENT_MODELS']?.split(',');
  for (const model of models.filter(({ name }) => chosen?.includes(name) ?? true)) {
    await measureModel(model);
    await measureLlamaServer(model);
  }
}

async function measureModel({ name, path, template }: AgentModel): Promise<void> {
  const store = mkdtempSync(join(tmpdir(), 'hearth-agents-'));
  let server = await start(store);
  const restart = async (): Promise<void> => {
    await server.stop();
    server = await start(store);
  };
  try {
    await addModel(server, { name, path: path(), template });
    const send = sendToHearth(() => server.url, name);
    await measureOneAgent({ name, send, restart, current: () => server });
    if (togetherTokens > 0) await measureTogether(name, send);
  } finally {
    await server.stop();
    rmSync(store, { recursive: true, force: true });
  }
}

function start(store: string): Promise<TestServer> {
  return startServer({
    store,
    environment: {
      HEARTH_NUM_PARALLEL: String(agents),
      HEARTH_CONTEXT_LENGTH: String(contextLength),
      HEARTH_MAX_LOADED_MODELS: '1',
      HEARTH_PREFIX_CACHE: '4GiB',
    },
  });
}

interface OneAgent {
  readonly name: string;
  readonly send: SendTurn;
  readonly restart: () => Promise<void>;
  readonly current: () => TestServer;
}

async function measureOneAgent({ name, send, restart, current }: OneAgent): Promise<void> {
  const conversation = createConversation(sizes, send);
  // Loads the model, so that the first turn measures the prompt alone.
  await load(current(), name);
  const { first, later } = await timeTurns(conversation.turn, turns);
  const reportOne = (what: string, time: number, limit: number): void =>
    reportTurn({ model: name, promptTokens: sizes.prompt, what, time, first, limit });
  reportOne('later turns', median(later), 0.05);
  reportOne('the slowest later turn', Math.max(...later), 0.05);
  await unload(current(), name);
  reportOne('the turn after an unload', await conversation.turn(), 0.1);
  await load(current(), 'ember');
  reportOne('the turn after another model', await conversation.turn(), 0.1);
  await restart();
  reportOne('the turn after a restart', await conversation.turn(), 0.1);
}

async function measureTogether(name: string, send: SendTurn): Promise<void> {
  const together = { ...sizes, prompt: togetherTokens };
  const conversations = Array.from({ length: agents }, () => createConversation(together, send));
  const turnOfAll = (): Promise<number[]> => Promise.all(conversations.map(({ turn }) => turn()));
  const first = Math.max(...(await turnOfAll()));
  const later: number[] = [];
  for (let turn = 1; turn < Math.min(turns, 4); turn++) later.push(...(await turnOfAll()));
  const what = `later turns of ${agents} agents at once`;
  reportTurn({ model: name, promptTokens: togetherTokens, what, time: median(later), first, limit: 0.05 });
}

async function timeTurns(
  turn: () => Promise<number>,
  count: number,
): Promise<{ readonly first: number; readonly later: readonly number[] }> {
  const first = await turn();
  const later: number[] = [];
  for (let index = 1; index < count; index++) later.push(await turn());
  return { first, later };
}

/** The same conversation with llama-server, which has neither an unload nor a cache on disk. */
async function measureLlamaServer({ name, path }: AgentModel): Promise<void> {
  const program = findLlamaServer();
  if (program === undefined) {
    console.log('      no llama-server found: set HEARTH_LLAMA_SERVER to compare with it');
    return;
  }
  try {
    const server = await startLlamaServer({ program, model: path(), contextLength, parallel: agents });
    try {
      const { turn } = createConversation(sizes, sendToLlamaServer(server.url));
      const { first, later } = await timeTurns(turn, turns);
      reportTurn({
        model: `${name} in llama-server`,
        promptTokens: sizes.prompt,
        what: 'later turns',
        time: median(later),
        first,
      });
    } finally {
      await server.stop();
    }
  } catch (error) {
    console.log(`      llama-server was not measured: ${error instanceof Error ? error.message : error}`);
  }
}

interface TurnTime {
  readonly model: string;
  readonly promptTokens: number;
  readonly what: string;
  /** Milliseconds to the first text. */
  readonly time: number;
  readonly first: number;
  /** The goal. */
  readonly limit?: number;
}

function reportTurn({ model, promptTokens, what, time, first, limit }: TurnTime): void {
  report({
    what: `${model}, an agent with a prompt of ${promptTokens} tokens, first token of ${what}`,
    value: `${((100 * time) / first).toFixed(1)} % of the first turn (${time.toFixed(0)} after ${first.toFixed(0)} ms)`,
    ...(limit === undefined ? {} : { goal: `≤ ${100 * limit} %`, met: time <= limit * first }),
  });
}

async function load({ url }: TestServer, name: string): Promise<void> {
  const body = JSON.stringify({ model: name, stream: false });
  const answer = (await (await fetch(`${url}/api/generate`, { method: 'POST', body })).json()) as { error?: string };
  if (answer.error !== undefined) throw new Error(answer.error);
}

async function unload(server: TestServer, model: string): Promise<void> {
  await fetch(`${server.url}/api/generate`, { method: 'POST', body: JSON.stringify({ model, keep_alive: 0 }) });
  while (server.runners().length > 0) await pause(20);
}
