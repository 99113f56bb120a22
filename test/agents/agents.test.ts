// npm run test:agents: real agents finish a task that needs a shell command. The model asks for the command and reports
// its output; everything between is the agent, the server and the API that they share.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import { postMessages } from '../support/anthropic.ts';
import { post } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { type Agent, agents } from './agent-table.ts';
import { writeReportingModel } from './model/write-reporting-model.ts';
import { cachedShare } from './read-usage.ts';
import { type Exchange, recordExchanges } from './record-exchanges.ts';
import { type AgentResult, runAgent } from './run-agent.ts';

const contextLength = 32_768;
const command = 'tee copy.txt < word.txt';
const report = 'The command printed: ';
// No agent has these in its instructions.
const words = ['ochre-falcon', 'teal-heron', 'umber-plover', 'cobalt-wren'];

let server: TestServer;
const folder = mkdtempSync(join(tmpdir(), 'hearth-agents-'));

beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function createModel(name: string, { shellCall }: Agent): Promise<void> {
  const call = shellCall(command);
  const path = join(folder, 'model.gguf');
  await writeReportingModel(path, {
    // As the template of Ember describes calls.
    call: `<tool_call>\n{"name": "${call.name}", "arguments": ${JSON.stringify(call.arguments)}}\n</tool_call>`,
    report,
    words,
    contextLength,
  });
  const weights = readFileSync(path);
  const digest = digestOf(weights);
  await fetch(`${server.url}/api/blobs/${digest}`, { method: 'POST', body: weights });
  const files = { 'model.gguf': digest };
  const parameters = { num_ctx: contextLength };
  const { status, text } = await post(server.url, '/api/create', { model: name, files, parameters, stream: false });
  if (status !== 200) throw new Error(text);
}

interface Task {
  readonly model: string;
  /** Below the folder of these tests. */
  readonly home: string;
  readonly word: string;
}

interface Outcome {
  readonly result: AgentResult;
  readonly exchanges: readonly Exchange[];
  /** The requests for answers with tools. Some agents ask for a title too. */
  readonly turns: readonly Exchange[];
}

const workIn = (home: string): string => join(folder, home, 'work');

async function perform(agent: Agent, { model, home, word }: Task): Promise<Outcome> {
  const work = workIn(home);
  mkdirSync(work, { recursive: true });
  writeFileSync(join(work, 'word.txt'), `${word}\n`);
  const recorder = await recordExchanges(server.url);
  const { url, exchanges } = recorder;
  try {
    const start = agent.start({ url, model, contextLength, question: 'Which word is in word.txt?' });
    const result = await runAgent(start, { home: join(folder, home), work });
    return { result, exchanges, turns: exchanges.filter((exchange) => isTurn(agent, exchange)) };
  } finally {
    await recorder.stop();
  }
}

const isTurn = (agent: Agent, { method, path, requestBody }: Exchange): boolean =>
  method === 'POST' && path.split('?')[0] === agent.path && JSON.parse(requestBody).tools !== undefined;

describe.each(agents.map((agent, index) => [agent.name, agent, index] as const))('%s', (_, agent, index) => {
  // With its tag: Codex looks for this name in the list of models.
  const model = `reporting-${index}:latest`;
  const word = words[index % words.length] as string;
  const home = `agent-${index}`;
  let outcome: Outcome;

  beforeAll(async () => {
    await createModel(model, agent);
    outcome = await perform(agent, { model, home, word });
  });

  test('ends without an error and prints the report of the model', () => {
    const { result } = outcome;
    expect(result, result.stderr).toMatchObject({ end: 0, stdout: expect.stringContaining(`${report}${word}`) });
  });

  test('gets no error from the server', () => {
    expect(outcome.exchanges.filter(({ status }) => status !== 200)).toEqual([]);
  });

  test('runs the command that the model asked for and sends its output', () => {
    expect(readFileSync(join(workIn(home), 'copy.txt'), 'utf8')).toBe(`${word}\n`);
    expect(outcome.turns.map(({ requestBody }) => requestBody.includes(word))).toEqual([false, true]);
  });

  test('its second request is read from the prefix cache, except for what is new', () => {
    const [first, second] = outcome.turns.map(({ responseBody }) => cachedShare(agent.path, responseBody));
    expect(first).toBeLessThan(0.5);
    expect(second).toBeGreaterThan(0.95);
  });

  const { tooLong } = agent;
  if (tooLong !== undefined) {
    test('says that its prompt does not fit into a small context, and does not repeat it', async () => {
      // The embedded model has a context of 4096 tokens.
      const { result, turns } = await perform(agent, { model: 'ember:latest', home: `${home}-small`, word });
      expect([result.end, turns.length]).toEqual([1, 1]);
      expect(result.stdout + result.stderr).toMatch(tooLong);
    });
  }

  // Claude Code writes a hash into its first block for some servers.
  if (agent.path === '/v1/messages') {
    test('a hash that changes with every request does not change the prompt', async () => {
      const body = JSON.parse(outcome.turns.at(-1)?.requestBody ?? '{}');
      const [billing, ...others] = body.system;
      expect(billing.text).toMatch(/^x-anthropic-billing-header: /);
      const shares: number[] = [];
      for (const hash of ['0a1b2', 'c3d4e']) {
        const system = [{ ...billing, text: `${billing.text} cch=${hash};` }, ...others];
        const { text } = await postMessages(server.url, JSON.stringify({ ...body, system }));
        shares.push(cachedShare(agent.path, text));
      }
      expect(Math.min(...shares)).toBeGreaterThan(0.95);
    });
  }
});
