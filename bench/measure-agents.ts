// npm run bench agents: the conversation of a coding agent. How long do later turns take to their first token, compared
// with the first one: in the same runner, after the model was unloaded, after another model took its place, after a
// restart of the server, and with four agents at once. A full run takes long on a small machine; BENCH_AGENT_TOKENS,
// BENCH_AGENT_TURNS and BENCH_AGENT_RESULT set other sizes.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '../test/support/processes.ts';
import { repository } from '../test/support/repository.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { addModel } from './add-model.ts';
import { type AgentSizes, createConversation } from './agent-conversation.ts';
import { countingModel } from './random-model.ts';
import { median, report } from './report.ts';

const agents = 4;
const model = 'counting-500m';
const sizes: AgentSizes = {
  prompt: Number(process.env['BENCH_AGENT_TOKENS'] ?? 20_000),
  result: Number(process.env['BENCH_AGENT_RESULT'] ?? 300),
  answer: 32,
};
const turns = Number(process.env['BENCH_AGENT_TURNS'] ?? 10);
const contextLength = Math.max(4096, sizes.prompt + (turns + 5) * (sizes.result + sizes.answer + 64) + 1024);

const template =
  '{{ .System }}\n{{ range .Tools }}{{ . }}\n{{ end }}{{ range .Messages }}{{ if ne .Role "system" }}{{ .Role }}: {{ .Content }}\n{{ end }}{{ end }}assistant: ';

export async function measureAgents(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-agents-'));
  let server = await start(folder);
  try {
    const path = countingModel(repository('build/models'));
    await addModel(server, { name: model, path, template });
    server = await measureOneAgent(server, async () => {
      await server.stop();
      server = await start(folder);
      return server;
    });
    await measureTogether(server);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function start(folder: string): Promise<TestServer> {
  return startServer({
    store: folder,
    environment: {
      HEARTH_NUM_PARALLEL: String(agents),
      HEARTH_CONTEXT_LENGTH: String(contextLength),
      HEARTH_MAX_LOADED_MODELS: '1',
      HEARTH_PREFIX_CACHE: '4GiB',
    },
  });
}

async function measureOneAgent(server: TestServer, restart: () => Promise<TestServer>): Promise<TestServer> {
  const conversation = createConversation(model, sizes);
  // Loads the model, so that the first turn measures the prompt alone.
  await load(server, model);
  const first = await conversation.turn(server.url);
  const later: number[] = [];
  for (let turn = 1; turn < turns; turn++) later.push(await conversation.turn(server.url));
  reportTurn(`later turns`, { time: median(later), first, limit: 0.05 });
  await unload(server);
  reportTurn('the turn after an unload', { time: await conversation.turn(server.url), first, limit: 0.1 });
  await load(server, 'ember');
  reportTurn('the turn after another model', { time: await conversation.turn(server.url), first, limit: 0.1 });
  const restarted = await restart();
  reportTurn('the turn after a restart', { time: await conversation.turn(restarted.url), first, limit: 0.1 });
  return restarted;
}

async function measureTogether(server: TestServer): Promise<void> {
  const conversations = Array.from({ length: agents }, () => createConversation(model, sizes));
  const turnOfAll = (): Promise<number[]> => Promise.all(conversations.map(({ turn }) => turn(server.url)));
  const first = Math.max(...(await turnOfAll()));
  const later: number[] = [];
  for (let turn = 1; turn < Math.min(turns, 4); turn++) later.push(...(await turnOfAll()));
  reportTurn(`later turns of ${agents} agents at once`, { time: median(later), first, limit: 0.05 });
}

interface TurnTime {
  /** Milliseconds to the first text. */
  readonly time: number;
  readonly first: number;
  readonly limit: number;
}

function reportTurn(what: string, { time, first, limit }: TurnTime): void {
  report({
    what: `${model}, an agent with a prompt of ${sizes.prompt} tokens, first token of ${what}`,
    value: `${((100 * time) / first).toFixed(1)} % of the first turn (${time.toFixed(0)} after ${first.toFixed(0)} ms)`,
    goal: `≤ ${100 * limit} %`,
    met: time <= limit * first,
  });
}

async function load({ url }: TestServer, name: string): Promise<void> {
  const body = JSON.stringify({ model: name, stream: false });
  const answer = (await (await fetch(`${url}/api/generate`, { method: 'POST', body })).json()) as { error?: string };
  if (answer.error !== undefined) throw new Error(answer.error);
}

async function unload(server: TestServer): Promise<void> {
  await fetch(`${server.url}/api/generate`, { method: 'POST', body: JSON.stringify({ model, keep_alive: 0 }) });
  while (server.runners().length > 0) await pause(20);
}
