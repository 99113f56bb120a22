// A real vLLM that Hearth starts itself (`ENGINE vllm`), and models of random weights. The tests are in the order of one life:
// each start takes a minute.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PsResponseBody } from '../../src/server/dialects/ollama/status/ps-schema.ts';
import { endlessLlama, writeFiles } from '../support/checkpoints/checkpoints.ts';
import { type Body, post } from '../support/client.ts';
import { childrenOf, commandOf, isAlive } from '../support/processes.ts';
import { createRemoteFixture, type RemoteFixture } from './remote-fixture.ts';
import { describeAnswers, short } from './vllm-answers.ts';

const contextLength = 1024;
const parameters = {
  dtype: 'float32',
  enforce_eager: true,
  max_model_len: contextLength,
  max_num_seqs: 8,
  tool_call_parser: 'hermes',
};

let fixture: RemoteFixture;
let url: string;

/** Creates a model of a checkpoint in a folder of the test. */
async function createHosted(model: string, config: Body = {}, more: Body = {}): Promise<void> {
  const folder = join(fixture.folder, model);
  const files = endlessLlama();
  const given = JSON.parse(files['config.json']?.toString() ?? '') as Body;
  writeFiles(folder, { ...files, 'config.json': Buffer.from(JSON.stringify({ ...given, ...config })) });
  const body = { model, from: folder, engine: 'vllm', parameters: { ...parameters, ...more }, stream: false };
  const { status, text } = await post(url, '/api/create', body);
  expect(status, text).toBe(200);
}

beforeAll(async () => {
  const environment = {
    HEARTH_VLLM: process.env['HEARTH_VLLM'] ?? 'vllm',
    // Room for one vLLM, which takes 3.5 GiB here, and not for two.
    HEARTH_MEMORY_BUDGET: '6GiB',
    VLLM_CPU_KVCACHE_SPACE: '1',
    // Otherwise the first request with log probabilities waits for a compiler.
    TORCH_COMPILE_DISABLE: '1',
  };
  fixture = await createRemoteFixture({ key: '', servedModel: '', timeout: '120s', environment });
  url = fixture.server.url;
  await createHosted('one');
});
afterAll(() => fixture?.close());

const loaded = async (): Promise<PsResponseBody['models']> =>
  ((await (await fetch(`${url}/api/ps`)).json()) as PsResponseBody).models;

/** The processes that the server has started for vLLM, with their descendants. */
function vllmProcesses(): number[] {
  const guards = childrenOf(fixture.server.pid).filter((pid) => commandOf(pid).includes('guard-program'));
  const below = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(below)];
  return guards.flatMap(below);
}

test('the first request starts it, and `ps` says what the start does', async () => {
  const steps = new Set<string>();
  const answer = fixture.ask({ model: 'one', options: short });
  const watch = setInterval(async () => {
    for (const { progress } of await loaded()) if (progress !== undefined) steps.add(progress);
  }, 500);
  const { status, text } = await answer.finally(() => clearInterval(watch));
  expect(status, `${text}\n${fixture.server.log()}`).toBe(200);
  expect([...steps].join('; ')).toMatch(/weights|KV cache|API/);
  expect(await loaded()).toMatchObject([{ name: 'one:latest', context_length: contextLength, state: 'idle' }]);
  expect((await loaded())[0]?.size).toBeGreaterThan(2 ** 30);
});

describeAnswers({ model: 'one', contextLength, fixture: () => fixture });

describe('the process', () => {
  test('a caller that leaves ends the work', async () => {
    const controller = new AbortController();
    const events = { onBegin: () => controller.abort(), signal: controller.signal };
    const long = { num_predict: 900, temperature: 0 };
    await expect(fixture.stream({ model: 'one', options: long }, events)).rejects.toThrow();
    await expect.poll(async () => (await loaded())[0]?.state).toBe('idle');
  });

  test('it does not see the settings of Hearth, and its key is no argument', () => {
    const { 2: program = 0 } = vllmProcesses();
    const words = vllmProcesses().map(commandOf).join('\n');
    expect(words).toContain('--served-model-name=one');
    expect(words).not.toMatch(/api-key/);
    expect(program).toBeGreaterThan(0);
  });

  test('if it is killed in the middle of an answer, that has an error, and a request in the next moment gets an answer of the next start', async () => {
    const [, main = 0] = vllmProcesses();
    const before = vllmProcesses();
    let next: ReturnType<typeof fixture.ask> | undefined;
    const onBegin = () => {
      process.kill(main, 'SIGKILL');
      next = fixture.ask({ model: 'one', options: short });
    };
    const end = (await fixture.stream({ model: 'one', options: { num_predict: 900, temperature: 0 } }, { onBegin })).at(
      -1,
    );
    expect(end?.error, JSON.stringify(end)).toBeTypeOf('string');
    const answered = await next;
    expect(answered?.status, answered?.text).toBe(200);
    expect(before.filter(isAlive)).toEqual([]);
  });

  test('if only its engine is killed, a request in the next moment gets an answer of the next start', async () => {
    const before = vllmProcesses();
    const engine = before.find((pid) => commandOf(pid).includes('EngineCore')) ?? 0;
    expect(engine).toBeGreaterThan(0);
    process.kill(engine, 'SIGKILL');
    const { status, text } = await fixture.ask({ model: 'one', options: short });
    expect(status, `${text}\n${fixture.server.log()}`).toBe(200);
    expect(before.filter(isAlive)).toEqual([]);
  });

  test('a second model that does not fit takes the place of the idle one; without a GPU it cannot sleep', async () => {
    await createHosted('two', {}, { enable_sleep_mode: true });
    const before = vllmProcesses();
    expect(before.length).toBeGreaterThan(1);
    const { status, text } = await fixture.ask({ model: 'two', options: short });
    expect(status, text).toBe(200);
    expect((await loaded()).map(({ name }) => name)).toEqual(['two:latest']);
    expect(before.filter(isAlive)).toEqual([]);
    expect(fixture.server.log()).toMatch(/vLLM cannot sleep here.*Sleep mode is not supported on current platform/);
  });

  test('Ember and vLLM answer next to each other', async () => {
    const [ember, two] = await Promise.all(['ember', 'two'].map((model) => fixture.ask({ model, options: short })));
    expect([ember?.status, two?.status], `${ember?.text} ${two?.text}`).toEqual([200, 200]);
    expect((await loaded()).map(({ name }) => name).sort()).toEqual(['ember:latest', 'two:latest']);
  });

  test('a model that is unloaded leaves no process', async () => {
    const before = vllmProcesses();
    expect(before.length).toBeGreaterThan(1);
    await post(url, '/api/generate', { model: 'two', keep_alive: 0 });
    await expect.poll(() => before.filter(isAlive)).toEqual([]);
  });

  test('a checkpoint that vLLM refuses is an error with the reason', async () => {
    await createHosted('nonsense', { architectures: ['NonsenseForCausalLM'], model_type: 'llama' });
    const { status, objects, text } = await fixture.ask({ model: 'nonsense', options: short });
    expect(status).toBe(500);
    expect(objects[0]?.error, text).toMatch(/vLLM has terminated: exit code 1: .*NonsenseForCausalLM/);
  });

  test('it ends with a server that is killed, also while it loads', async () => {
    const answer = fixture.ask({ model: 'one', options: short }).catch(() => undefined);
    await expect.poll(() => vllmProcesses().length).toBeGreaterThan(1);
    const before = vllmProcesses();
    fixture.server.signal('SIGKILL');
    await answer;
    await expect.poll(() => before.filter(isAlive)).toEqual([]);
    const left = readdirSync('/proc').filter((pid) => commandOf(Number(pid)).includes('--served-model-name=one'));
    expect(left).toEqual([]);
  });
});
