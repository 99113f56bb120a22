import { describe, expect, test } from 'vitest';
import type { ShowResponseBody } from '../../../server/dialects/ollama/models/show-schema.ts';
import { setFormat, setParameter, setSwitch, setSystem, setThink } from '../commands/set-command.ts';
import { showText } from '../commands/show-command.ts';
import { type PromptSession, startSession, switchModel, toCreateRequest, toSessionRequest } from './session.ts';

const facts: ShowResponseBody = {
  modelfile: 'FROM x\n',
  template: '{{ .Prompt }}',
  details: {
    parent_model: '',
    format: 'gguf',
    family: 'llama',
    families: null,
    parameter_size: '',
    quantization_level: '',
  },
  messages: [{ role: 'user', content: 'hi' }],
  parameters: 'stop "<end>"',
  model_info: {},
  capabilities: ['completion', 'thinking'],
  modified_at: '',
};
const fresh = startSession('ember', facts, { wordWrap: true, verbose: false, hideThinking: false });
const withMessages: PromptSession = {
  ...fresh,
  messages: [
    { role: 'user', content: 'a', images: ['AAAA'] },
    { role: 'assistant', content: 'b' },
  ],
};
const parameter = (name: string, ...values: string[]) => ({ type: 'set-parameter' as const, name, values });

describe('requests', () => {
  test('contain only the messages if nothing was set', () => {
    expect(toSessionRequest(withMessages)).toEqual({ model: 'ember', messages: withMessages.messages });
  });

  test('contain all settings of the session', () => {
    let { session } = setSystem(withMessages, 'Be brief.');
    ({ session } = setParameter(session, parameter('temperature', '0.5')));
    ({ session } = setParameter(session, parameter('stop', 'a b', 'c')));
    ({ session } = setThink(session, 'high'));
    ({ session } = setFormat(session, 'json'));
    session = { ...session, preferences: { ...session.preferences, keepAlive: '5m' } };
    expect(toSessionRequest(session)).toEqual({
      model: 'ember',
      messages: [{ role: 'system', content: 'Be brief.' }, ...withMessages.messages],
      options: { temperature: 0.5, stop: ['a b', 'c'] },
      think: 'high',
      format: 'json',
      keep_alive: '5m',
    });
    expect(toSessionRequest(setFormat(session, undefined).session)).not.toHaveProperty('format');
  });

  test('to create a model contain the messages of the model first, and no images', () => {
    const { session } = setParameter(setSystem(withMessages, 'Be brief.').session, parameter('seed', '7'));
    expect(toCreateRequest(session, 'mine')).toEqual({
      model: 'mine',
      from: 'ember',
      system: 'Be brief.',
      parameters: { seed: 7 },
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
      ],
    });
    expect(toCreateRequest(fresh, 'mine')).toEqual({ model: 'mine', from: 'ember' });
  });
});

describe('replies', () => {
  test.each([
    [setParameter(fresh, parameter('num_ctx', '4096')), "Set parameter 'num_ctx' to '4096'"],
    [setParameter(fresh, parameter('stop', 'a', 'b')), "Set parameter 'stop' to 'a, b'"],
    [setSystem(fresh, 'x'), 'Set system message.'],
    [setSwitch(fresh, { type: 'set-switch', switch: 'verbose', on: true }), "Set 'verbose' mode."],
    [setSwitch(fresh, { type: 'set-switch', switch: 'verbose', on: false }), "Set 'quiet' mode."],
    [setSwitch(fresh, { type: 'set-switch', switch: 'history', on: false }), "Set 'nohistory' mode."],
    [setSwitch(fresh, { type: 'set-switch', switch: 'wordwrap', on: false }), "Set 'nowordwrap' mode."],
    [setThink(fresh, false), "Set 'nothink' mode."],
    [setThink(fresh, true), "Set 'think' mode."],
    [setFormat(fresh, 'json'), "Set format to 'json' mode."],
    [setFormat(fresh, undefined), 'Disabled format.'],
  ])('%#', ({ reply }, expected) => {
    expect(reply).toBe(expected);
  });

  test.each([
    [parameter('temprature', '1'), "unknown parameter 'temprature'. Did you mean 'temperature'?"],
    [parameter('color', 'red'), "unknown parameter 'color'. Type /? set for a list"],
    [parameter('num_ctx', 'many'), "num_ctx must be an integer, not 'many'"],
    [parameter('temperature', 'hot'), "temperature must be a number, not 'hot'"],
    [parameter('low_vram', 'perhaps'), "low_vram must be true or false, not 'perhaps'"],
  ])('%j is rejected', (command, message) => {
    expect(() => setParameter(fresh, command)).toThrow(message);
  });
});

test('switching the model clears the session but keeps the preferences', () => {
  const { session } = setSwitch(setSystem(withMessages, 'x').session, {
    type: 'set-switch',
    switch: 'verbose',
    on: true,
  });
  expect(switchModel(session, 'other', facts)).toEqual({
    ...fresh,
    model: 'other',
    preferences: { ...fresh.preferences, verbose: true },
  });
});

const plain = { ...facts, capabilities: ['completion' as const] };

test('a model that cannot think is not asked to', () => {
  const session = startSession('ember', plain, fresh.preferences);
  expect(() => setThink(session, true)).toThrow(
    "'ember' cannot think: switch to a model that can, such as /load ember-thinks",
  );
  expect(setThink(session, false).reply).toBe("Set 'nothink' mode.");
  const thinking = setThink(fresh, 'high').session;
  expect(switchModel(thinking, 'other', facts).preferences.think).toBe('high');
  expect(switchModel(thinking, 'other', plain).preferences).not.toHaveProperty('think');
});

test.each([
  ['license', 'No license was specified for this model.\n'],
  ['system', 'Be brief.\n'],
  ['template', '{{ .Prompt }}\n'],
  ['modelfile', 'FROM x\n'],
  ['parameters', `User defined parameters:\n  seed${' '.repeat(26)} 7\n\nModel defined parameters:\n  stop "<end>"\n`],
] as const)('/show %s', (topic, expected) => {
  const { session } = setParameter(setSystem(fresh, 'Be brief.').session, parameter('seed', '7'));
  expect(showText(session, topic)).toBe(expected);
});
