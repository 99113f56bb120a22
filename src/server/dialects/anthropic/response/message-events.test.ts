import { describe, expect, test } from 'vitest';
import { collect } from '../../../../../test/support/service-fixture.ts';
import { pipe } from '../../../../base/pipe.ts';
import type { AnswerDone, AnswerEvent } from '../../../../inference/model/answer-event.ts';
import { foldMessage } from './fold-message.ts';
import { createToMessageEvents, type MessageShape } from './message-events.ts';
import type { MessageEvent } from './messages-response-schema.ts';

const started = {
  type: 'started',
  promptTokens: 12,
  cachedTokens: 8,
  droppedTokens: 0,
  droppedMessages: 0,
} as const;
const done = (end: Partial<AnswerDone> = {}): AnswerDone => ({
  type: 'done',
  reason: 'stop',
  promptTokens: 12,
  cachedTokens: 8,
  generatedTokens: 5,
  thinkingTokens: 2,
  promptNanoseconds: 1,
  generateNanoseconds: 1,
  totalNanoseconds: 1,
  loadNanoseconds: 1,
  ...end,
});
const thinking = (text: string): AnswerEvent => ({ type: 'thinking', text });
const text = (content: string): AnswerEvent => ({ type: 'text', text: content });
const calls = (...names: string[]): AnswerEvent => ({
  type: 'tool-calls',
  calls: names.map((name) => ({ name, arguments: { at: name } })),
});

async function* from(outputs: readonly AnswerEvent[]) {
  yield started;
  yield* outputs;
}

function eventsOf(outputs: readonly AnswerEvent[], shape: Partial<MessageShape> = {}): AsyncGenerator<MessageEvent> {
  let ids = 0;
  const shaped = createToMessageEvents({
    id: 'msg_1',
    model: 'ember',
    maxTokens: 100,
    stopSequences: [],
    omitThinking: false,
    newToolUseId: () => `toolu_${++ids}`,
    ...shape,
  });
  return pipe(from(outputs), shaped);
}

const brief = (event: MessageEvent): string => {
  switch (event.type) {
    case 'content_block_start':
      return `+${event.index} ${event.content_block.type}`;
    case 'content_block_delta':
      return `${event.index} ${event.delta.type} ${Object.values(event.delta)[1]}`;
    case 'content_block_stop':
      return `-${event.index}`;
    case 'message_delta':
      return `end ${event.delta.stop_reason}`;
    default:
      return event.type;
  }
};
const briefOf = async (...input: Parameters<typeof eventsOf>) => (await collect(eventsOf(...input))).map(brief);
const inside = async (...input: Parameters<typeof eventsOf>) => (await briefOf(...input)).slice(1, -2);

describe('blocks', () => {
  test('do not overlap', async () => {
    const outputs = [thinking('H'), thinking('m.'), text('Yes'), text('.'), calls('a', 'b'), text('So.'), done()];
    expect(await briefOf(outputs)).toEqual([
      'message_start',
      ...['+0 thinking', '0 thinking_delta H', '0 thinking_delta m.', '0 signature_delta ', '-0'],
      ...['+1 text', '1 text_delta Yes', '1 text_delta .', '-1'],
      ...['+2 tool_use', '2 input_json_delta {"at":"a"}', '-2'],
      ...['+3 tool_use', '3 input_json_delta {"at":"b"}', '-3'],
      ...['+4 text', '4 text_delta So.', '-4'],
      'end tool_use',
      'message_stop',
    ]);
  });

  test('an answer without text has none', async () => {
    expect(await inside([done()])).toEqual([]);
  });

  test('thinking can be sent without its text', async () => {
    const outputs = [thinking('Hm.'), text('Yes.'), done()];
    expect(await inside(outputs, { omitThinking: true })).toEqual([
      ...['+0 thinking', '0 signature_delta ', '-0'],
      ...['+1 text', '1 text_delta Yes.', '-1'],
    ]);
  });
});

describe('the stop reason', () => {
  const reasonOf = async (outputs: readonly AnswerEvent[], shape: Partial<MessageShape> = {}) => {
    const { stop_reason, stop_sequence } = await foldMessage(eventsOf(outputs, shape));
    return [stop_reason, stop_sequence];
  };

  test.each<[string, readonly AnswerEvent[], Partial<MessageShape>, unknown[]]>([
    ['the end of the turn', [text('x'), done()], {}, ['end_turn', null]],
    ['a requested stop sequence', [done({ stopSequence: 'E' })], { stopSequences: ['E'] }, ['stop_sequence', 'E']],
    ['a stop sequence of the model', [done({ stopSequence: '<end>' })], { stopSequences: ['E'] }, ['end_turn', null]],
    ['tool calls', [calls('a'), done()], {}, ['tool_use', null]],
    ['the limit of tokens', [done({ reason: 'length' })], { maxTokens: 5 }, ['max_tokens', null]],
    ['the limit within a call', [calls('a'), done({ reason: 'length' })], { maxTokens: 5 }, ['max_tokens', null]],
    ['a full context', [done({ reason: 'length' })], {}, ['model_context_window_exceeded', null]],
    [
      'without a limit',
      [done({ reason: 'length' })],
      { maxTokens: undefined },
      ['model_context_window_exceeded', null],
    ],
  ])('%s', async (_, outputs, shape, expected) => {
    expect(await reasonOf(outputs, shape)).toEqual(expected);
  });
});

test('all events as one message', async () => {
  const outputs = [thinking('Hm.'), text('Y'), text('es.'), calls('a'), done()];
  expect(await foldMessage(eventsOf(outputs))).toEqual({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'ember',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: '' },
      { type: 'text', text: 'Yes.', citations: [] },
      { type: 'tool_use', id: 'toolu_1', name: 'a', input: { at: 'a' }, caller: { type: 'direct' } },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: {
      input_tokens: 4,
      cache_read_input_tokens: 8,
      cache_creation_input_tokens: 0,
      output_tokens: 5,
      output_tokens_details: { thinking_tokens: 2 },
      server_tool_use: null,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      inference_geo: null,
      service_tier: null,
      speed: null,
    },
  });
});

test('events that end early are an error', async () => {
  const cut = async function* () {
    for await (const event of eventsOf([text('x'), done()])) if (event.type !== 'message_stop') yield event;
  };
  await expect(foldMessage(cut())).rejects.toThrow('without its last event');
});
