import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planCommand } from './plan-command.ts';

const order = {
  source: { checkpoint: '/models/x', parameters: { tensor_parallel_size: 2, enforce_eager: false } },
  servedModel: 'x:latest',
  port: 4711,
  key: 'secret',
  usesGpus: true,
  setting: '',
  environment: { PATH: '/usr/bin' },
};

test('parameters become arguments, and the key a variable', () => {
  const { program, args, environment } = planCommand(order);
  expect(program).toBe('vllm');
  expect(args.slice(0, 5)).toEqual([
    'serve',
    '/models/x',
    '--host=127.0.0.1',
    '--port=4711',
    '--served-model-name=x:latest',
  ]);
  expect(args).toEqual(expect.arrayContaining(['--tensor-parallel-size=2', '--no-enforce-eager']));
  expect(args.join(' ')).not.toContain('secret');
  expect(environment).toMatchObject({ VLLM_API_KEY: 'secret', HF_HUB_OFFLINE: '1', PATH: '/usr/bin' });
});

test('the routes to put it to sleep exist only if it can sleep', () => {
  const commandWith = (enable_sleep_mode: boolean) =>
    planCommand({ ...order, source: { ...order.source, parameters: { enable_sleep_mode } } });
  const [on, off] = [commandWith(true), commandWith(false)];
  expect([on.args.at(-1), on.environment['VLLM_SERVER_DEV_MODE']]).toEqual(['--enable-sleep-mode', '1']);
  expect([off.args.at(-1), off.environment['VLLM_SERVER_DEV_MODE']]).toEqual(['--no-enable-sleep-mode', undefined]);
});

test('a parser of tool calls turns them on', () => {
  const parameters = { tool_call_parser: 'hermes' };
  const { args } = planCommand({ ...order, source: { ...order.source, parameters } });
  expect(args).toEqual(expect.arrayContaining(['--tool-call-parser=hermes', '--enable-auto-tool-choice']));
});

test('a name is resolved by vLLM, and without a GPU the KV cache has a size', () => {
  const source = { checkpoint: 'Qwen/Qwen3-8B', parameters: {} };
  const { environment } = planCommand({ ...order, source, usesGpus: false });
  expect(environment['HF_HUB_OFFLINE']).toBeUndefined();
  expect(environment['VLLM_CPU_KVCACHE_SPACE']).toBe('4');
  const given = planCommand({ ...order, usesGpus: false, environment: { VLLM_CPU_KVCACHE_SPACE: '9' } });
  expect(given.environment['VLLM_CPU_KVCACHE_SPACE']).toBe('9');
});

test('the setting is a program, the folder of a virtual environment, or a command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-vllm-'));
  mkdirSync(join(folder, 'bin'));
  const program = join(folder, 'bin', 'vllm');
  writeFileSync(program, '');
  for (const setting of [folder, program]) {
    const found = planCommand({ ...order, setting });
    expect(found.program).toBe(program);
    expect(found.environment['PATH']).toBe(`${join(folder, 'bin')}:/usr/bin`);
  }
  const { program: first, args } = planCommand({ ...order, setting: 'docker run --rm  vllm/vllm-openai' });
  expect([first, ...args.slice(0, 4)]).toEqual(['docker', 'run', '--rm', 'vllm/vllm-openai', 'serve']);
});
