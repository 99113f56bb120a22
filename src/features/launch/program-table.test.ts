import { expect, test } from 'vitest';
import type { LaunchTarget, Program, RunConfig } from './program.ts';
import { programTable } from './program-table.ts';

const target: LaunchTarget = { url: 'http://127.0.0.1:11434', model: 'qwen3:8b', context: 65_536 };
const withoutContext: LaunchTarget = { url: target.url, model: target.model };
const rowOf = (name: string): Program => programTable.find((program) => program.name === name) as Program;
const configure = (name: string): RunConfig => rowOf(name).configure(target);

test('names are unique', () => {
  expect(new Set(programTable.map(({ name }) => name)).size).toBe(programTable.length);
});

test.each(programTable)('$name learns the address and the model, also if the context is unknown', (program) => {
  for (const each of [target, withoutContext]) {
    const text = JSON.stringify(program.configure(each));
    expect(text).toContain(target.url);
    expect(text).toContain(target.model);
    expect(text).not.toMatch(/undefined|NaN/);
  }
});

test('Claude Code gets the same variables from its settings flag, which wins over its files', () => {
  const { environment, args } = configure('claude');
  expect(environment).toMatchObject({
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:11434',
    ANTHROPIC_API_KEY: '',
    ANTHROPIC_DEFAULT_HAIKU_MODEL: 'qwen3:8b',
    CLAUDE_CODE_AUTO_COMPACT_WINDOW: '65536',
  });
  expect(args).toEqual(['--settings', expect.any(String), '--model', 'qwen3:8b']);
  expect(JSON.parse(args[1] as string)).toEqual({ env: environment });
});

test('Codex gets its profile as overrides', () => {
  expect(configure('codex')).toEqual({
    environment: {},
    args: [
      ['-c', 'model="qwen3:8b"'],
      ['-c', 'model_provider="hearth"'],
      ['-c', 'model_context_window=65536'],
      ['-c', 'model_providers.hearth.name="Hearth"'],
      ['-c', 'model_providers.hearth.base_url="http://127.0.0.1:11434/v1"'],
      ['-c', 'model_providers.hearth.wire_api="responses"'],
    ].flat(),
  });
});

test('OpenCode gets its configuration file in a variable', () => {
  const { environment } = configure('opencode');
  expect(JSON.parse(environment['OPENCODE_CONFIG_CONTENT'] as string)).toEqual(rowOf('opencode').save?.(target).values);
});

test('Copilot gets limits of prompt and answer that fill the context', () => {
  expect(configure('copilot').environment).toMatchObject({
    COPILOT_PROVIDER_BASE_URL: 'http://127.0.0.1:11434/v1',
    COPILOT_MODEL: 'qwen3:8b',
    COPILOT_PROVIDER_MAX_PROMPT_TOKENS: '49152',
    COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: '16384',
  });
});

test.each(programTable)('$name gets the key in its environment, not in arguments or files', (program) => {
  const key = 'hearth_0123456789abcdef_secret';
  const { environment, args } = program.configure({ ...target, key });
  expect(Object.values(environment)).toContain(key);
  expect(args.join(' ')).not.toContain(key);
  expect(JSON.stringify(program.save?.({ ...target, key }) ?? {})).not.toContain(key);
});

test('a program that reads the key from a variable is told its name', () => {
  const saved = (name: string) => JSON.stringify(rowOf(name).save?.({ ...target, key: 'k' }).values);
  expect(saved('codex')).toContain('"env_key":"HEARTH_API_KEY"');
  expect(saved('opencode')).toContain('"apiKey":"{env:HEARTH_API_KEY}"');
});
