import { expect, test } from 'vitest';
import { mergeConfigText } from './merge-config.ts';
import type { LaunchTarget, Program, RunConfig } from './program.ts';
import { programTable } from './program-table.ts';

const target: LaunchTarget = {
  url: 'http://127.0.0.1:11434',
  model: 'qwen3:8b',
  capabilities: ['completion', 'tools', 'thinking'],
  context: 65_536,
};
const withoutContext: LaunchTarget = { ...target, context: undefined };
const key = 'hearth_0123456789abcdef_secret';
const rowOf = (name: string): Program => programTable.find((program) => program.name === name) as Program;
const configure = (name: string): RunConfig => rowOf(name).configure(target);
const valuesOf = ({ saved }: Program, each: LaunchTarget) => saved?.values(each) ?? [];
const fileOf = (name: string, each = target) => valuesOf(rowOf(name), each);
const writing = programTable.flatMap(({ name, needsFile, saved }) => (needsFile && saved ? [{ ...saved, name }] : []));

test('names and aliases are unique', () => {
  const words = programTable.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  expect(new Set(words).size).toBe(words.length);
});

test('every program of Ollama that has a command is here, with its aliases', () => {
  const words = new Set(programTable.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  const expected =
    'claude cline codex kimi muse muse-code copilot copilot-cli droid dsh deepseek-harness opencode omp openclaw clawdbot moltbot pi pool hermes hermes-desktop vscode code qwen';
  expect(expected.split(' ').filter((word) => !words.has(word))).toEqual([]);
});

test.each(programTable)('$name learns the address and the model, also if the context is unknown', (program) => {
  for (const each of [target, withoutContext]) {
    const text = JSON.stringify([program.configure(each), program.needsFile ? valuesOf(program, each) : []]);
    expect(text).toContain(target.url);
    expect(text).toContain(target.model);
    expect(text).not.toMatch(/undefined|NaN|null/);
  }
});

test.each(programTable)('$name gets the key in its environment, not in arguments or files', (program) => {
  const withKey = { ...target, key };
  const { environment, args = [] } = program.configure(withKey);
  // VS Code asks for the key itself.
  if (!program.sendsNoKey && program.name !== 'vscode') expect(Object.values(environment)).toContain(key);
  expect(args.join(' ')).not.toContain(key);
  expect(JSON.stringify(valuesOf(program, withKey))).not.toContain(key);
  expect(program.saved?.usage(withKey) ?? '').not.toContain(key);
});

test.each(writing)('what $name writes is the same the second time, and other entries stay', (file) => {
  const values = file.values(target);
  const text = mergeConfigText('', file.format, values) as string;
  expect(mergeConfigText(text, file.format, values)).toBe(undefined);
  const other = { ...target, model: 'other', url: 'http://10.0.0.1:11434' };
  const changed = mergeConfigText(text, file.format, file.values(other)) as string;
  expect(changed).toContain('http://10.0.0.1:11434/v1');
  expect(changed).not.toContain('127.0.0.1');
});

test('Claude Code gets the same variables from its settings flag, which wins over its files', () => {
  const { environment, args = [] } = configure('claude');
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
  expect(JSON.parse(environment['OPENCODE_CONFIG_CONTENT'] as string)).toEqual(fileOf('opencode'));
});

test('Copilot gets limits of prompt and answer that fill the context', () => {
  expect(configure('copilot').environment).toMatchObject({
    COPILOT_PROVIDER_BASE_URL: 'http://127.0.0.1:11434/v1',
    COPILOT_MODEL: 'qwen3:8b',
    COPILOT_PROVIDER_MAX_PROMPT_TOKENS: '49152',
    COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: '16384',
  });
});

test('a program that reads the key from a variable is told its name', () => {
  const saved = (name: string) => JSON.stringify(fileOf(name, { ...target, key }));
  expect(saved('codex')).toContain('"env_key":"HEARTH_API_KEY"');
  expect(saved('opencode')).toContain('"apiKey":"{env:HEARTH_API_KEY}"');
  expect(saved('pi')).toContain('"apiKey":"$HEARTH_API_KEY"');
  expect(saved('omp')).toContain('"apiKey":"HEARTH_API_KEY"');
  expect(saved('droid')).toMatch(/"apiKey":"\$\{HEARTH_API_KEY\}"/);
  expect(saved('openclaw')).toContain('"apiKey":{"source":"env","provider":"default","id":"HEARTH_API_KEY"}');
  expect(saved('hermes')).toContain('"key_env":"HEARTH_API_KEY"');
  expect(saved('dsh')).toContain('"apiKeyEnv":"HEARTH_API_KEY"');
  expect(saved('vscode')).toMatch(/"apiKey":"\$\{input:hearth-key\}"/);
});

test('Pi gets a provider in its file, and the model as an argument', () => {
  expect(configure('pi')).toEqual({ environment: {}, args: ['--model', 'hearth/qwen3:8b'] });
  expect(fileOf('pi')).toEqual({
    providers: {
      hearth: {
        baseUrl: 'http://127.0.0.1:11434/v1',
        api: 'openai-completions',
        apiKey: 'hearth',
        models: [
          {
            id: 'qwen3:8b',
            name: 'qwen3:8b',
            input: ['text'],
            reasoning: true,
            contextWindow: 65_536,
            maxTokens: 16_384,
          },
        ],
      },
    },
  });
});

test('Cline does not send the key that the user has for another server', () => {
  expect(configure('cline').environment).toEqual({ OPENAI_API_KEY: 'hearth' });
  const former = JSON.stringify({
    lastUsedProvider: 'cline',
    providers: { cline: { settings: { apiKey: 'mine' } }, 'openai-compatible': { settings: { apiKey: 'theirs' } } },
  });
  const merged = JSON.parse(mergeConfigText(former, 'json', fileOf('cline')) as string);
  expect(merged).toMatchObject({
    lastUsedProvider: 'openai-compatible',
    providers: {
      cline: { settings: { apiKey: 'mine' } },
      'openai-compatible': {
        settings: { apiKey: 'hearth', model: 'qwen3:8b', baseUrl: 'http://127.0.0.1:11434/v1' },
      },
    },
  });
});

test('the date of an entry of Cline is its own', () => {
  const file = rowOf('cline').saved;
  const merge = (text: string) => mergeConfigText(text, 'json', file?.values(target), file?.defaults);
  const dated = (merge('') as string).replace(/"updatedAt": "\S+"/, '"updatedAt": "today"');
  expect(merge(dated)).toBe(undefined);
});

test('Droid has one entry for Hearth, before those of the user', () => {
  const mine = { id: 'custom:Mine-0', model: 'mine' };
  const before = JSON.stringify({ customModels: [mine], sessionDefaultSettings: { autonomyMode: 'normal' } });
  const once = mergeConfigText(before, 'json', fileOf('droid')) as string;
  const twice = JSON.parse(
    mergeConfigText(once, 'json', fileOf('droid', { ...target, model: 'gemma', capabilities: ['vision'] })) as string,
  );
  expect(twice.customModels).toEqual([
    expect.objectContaining({ id: 'custom:Hearth-0', model: 'gemma', maxOutputTokens: 16_384, noImageSupport: false }),
    mine,
  ]);
  expect(twice.sessionDefaultSettings).toEqual({ autonomyMode: 'normal', model: 'custom:Hearth-0' });
});

test('VS Code has a list of providers; those of the user stay', () => {
  const mine = { name: 'Mine', vendor: 'ollama', url: 'http://10.0.0.1:11434' };
  const merged = JSON.parse(mergeConfigText(JSON.stringify([mine]), 'json', fileOf('vscode')) as string);
  expect(merged).toEqual([
    expect.objectContaining({
      name: 'Hearth',
      vendor: 'customendpoint',
      models: [
        expect.objectContaining({
          id: 'qwen3:8b',
          url: 'http://127.0.0.1:11434/v1/chat/completions',
          toolCalling: true,
          vision: false,
          maxInputTokens: 49_152,
        }),
      ],
    }),
    mine,
  ]);
});

test('OpenClaw and Hermes Desktop get the model as the default, Hermes as an argument', () => {
  expect(fileOf('openclaw')).toMatchObject({ agents: { defaults: { model: { primary: 'hearth/qwen3:8b' } } } });
  expect(fileOf('hermes-desktop')).toMatchObject({ model: { provider: 'hearth', default: 'qwen3:8b' } });
  expect(fileOf('hermes')).not.toHaveProperty('model');
  expect(configure('hermes').args).toEqual(['--provider', 'hearth', '--model', 'qwen3:8b']);
});

test('Kimi is told what the model can do', () => {
  expect(configure('kimi').environment).toMatchObject({
    KIMI_MODEL_NAME: 'qwen3:8b',
    KIMI_MODEL_BASE_URL: 'http://127.0.0.1:11434/v1',
    KIMI_MODEL_CAPABILITIES: 'thinking,tool_use',
    KIMI_MODEL_MAX_CONTEXT_SIZE: '65536',
  });
});
