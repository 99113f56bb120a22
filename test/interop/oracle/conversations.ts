// Our conversations for renderers. Each is rendered with every `think` value.

import type { RecordedCall, RecordedMessage, RecordedTool } from './recording.ts';

interface Conversation {
  readonly messages: readonly RecordedMessage[];
  readonly tools?: readonly RecordedTool[];
}

const user = (content: string, fields: Partial<RecordedMessage> = {}): RecordedMessage => ({
  role: 'user',
  content,
  ...fields,
});
const system = (content: string): RecordedMessage => ({ role: 'system', content });
const assistant = (content: string, fields: Partial<RecordedMessage> = {}): RecordedMessage => ({
  role: 'assistant',
  content,
  ...fields,
});
const result = (content: string, fields: Partial<RecordedMessage> = {}): RecordedMessage => ({
  role: 'tool',
  content,
  ...fields,
});
const call = (name: string, args: RecordedCall['function']['arguments'], id = ''): RecordedCall => ({
  ...(id === '' ? {} : { id }),
  function: { name, arguments: args },
});
const tool = (name: string, description: string, parameters: unknown): RecordedTool => ({
  type: 'function',
  function: { name, description, parameters },
});

const weather = tool('weather', 'The weather in a city', {
  type: 'object',
  required: ['city'],
  properties: {
    city: { type: 'string', description: 'Name of the city' },
    unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
    days: { type: 'integer', description: 'How many days' },
  },
});
const clock = tool('clock', 'Tells the time', { type: 'object', properties: {} });
const plan = tool('plan', 'Plans <steps> & more: "quoted", Zürich 🌍', {
  type: 'object',
  $defs: { step: { type: 'object' } },
  required: ['steps', 'options'],
  properties: {
    steps: { type: 'array', items: { type: 'object', properties: { z: { type: 'string' }, a: { type: 'number' } } } },
    options: {
      type: 'object',
      description: 'Options',
      properties: { zone: { type: 'string', description: 'Zone' }, at: { type: ['string', 'null'] } },
      required: ['zone'],
    },
    limit: { anyOf: [{ type: 'integer' }, { type: 'string', description: 'As text' }] },
    flags: { type: ['boolean', 'null'], description: 'Line one\nline two' },
    kind: { enum: [1, 'two', null, true] },
    anything: {},
  },
});
const tools = [weather, clock];

const image = Buffer.from('first image').toString('base64');
const otherImage = Buffer.from('second image').toString('base64');

const question = user('What is the weather in Paris?');
const asked = assistant('', { tool_calls: [call('weather', { city: 'Paris', days: 2 }, 'call_1')] });
const answered = result('18 degrees', { tool_name: 'weather', tool_call_id: 'call_1' });

export const conversations: readonly Conversation[] = [
  { messages: [user('Hello')] },
  { messages: [system('Be brief.'), user('Hello')] },
  { messages: [system(''), user('Hello')] },
  { messages: [user('')] },
  { messages: [user('  Hello \n\n')] },
  { messages: [user('Hello'), assistant('Hi!'), user('How are you?')] },
  { messages: [system('Be brief.'), user('A'), assistant('B'), user('C'), assistant('D'), user('E')] },
  { messages: [user('A'), user('B'), assistant('C'), assistant('D'), user('E')] },
  { messages: [system('One.'), system('Two.'), user('Hello')] },
  { messages: [user('Hello'), system('Now speak French.'), user('Go on')] },
  { messages: [assistant('I begin.'), user('Go on')] },
  { messages: [user('Ünïcödé 🌍 日本語 <b>&amp;</b> "quotes" \\ \u2028 \u0001 [img-7]')] },
  { messages: [user('What is <think> or </think>?'), assistant('A <think>tag</think> it is.'), user('Thanks')] },
  // Thinking in earlier answers.
  { messages: [user('A'), assistant('B', { thinking: 'About B.' }), user('C')] },
  {
    messages: [
      user('A'),
      assistant('B', { thinking: ' \nAbout B.\n ' }),
      user('C'),
      assistant('D', { thinking: 'D?' }),
      user('E'),
    ],
  },
  { messages: [user('A'), assistant('', { thinking: 'Nothing to say.' }), user('C')] },
  { messages: [user('A'), assistant('<think>\nInside.\n</think>\n\nB'), user('C')] },
  { messages: [user('A /no_think'), assistant('B'), user('C /think')] },
  { messages: [user('A /nothink')] },
  // The last message is the assistant's.
  { messages: [user('Count'), assistant('One, two,')] },
  { messages: [user('Count'), assistant('One, two, ', { thinking: 'I count.' })] },
  { messages: [user('Count'), assistant('', { thinking: 'I begin to' })] },
  { messages: [user('Count'), assistant('')] },
  { messages: [question, asked], tools },
  // Tools.
  { messages: [question], tools },
  { messages: [question], tools: [clock] },
  { messages: [system('Be brief.'), question], tools },
  { messages: [system('Be brief.'), question], tools: [plan, weather] },
  { messages: [question], tools: [tool('bare', '', { type: 'object', properties: { x: { type: 'string' } } })] },
  { messages: [question], tools: [tool('empty', 'Has no parameters', { type: 'object' })] },
  { messages: [question, asked, answered], tools },
  { messages: [question, asked, answered] },
  { messages: [system('Be brief.'), question, asked, answered, assistant('It is 18 degrees.'), user('Thanks')], tools },
  {
    messages: [
      question,
      assistant('I look.', { thinking: 'Which tool?', tool_calls: [call('weather', { city: 'Paris' })] }),
      result('18 degrees'),
    ],
    tools,
  },
  {
    messages: [
      user('Paris and Rome?'),
      assistant('', {
        tool_calls: [call('weather', { city: 'Paris' }, 'a'), call('weather', { city: 'Rome', unit: 'celsius' }, 'b')],
      }),
      result('18', { tool_name: 'weather', tool_call_id: 'a' }),
      result('24', { tool_name: 'weather', tool_call_id: 'b' }),
      assistant('18 and 24.'),
      user('And now?'),
    ],
    tools,
  },
  {
    messages: [
      question,
      assistant('', { thinking: 'First the weather.', tool_calls: [call('weather', { city: 'Paris' }, 'a')] }),
      result('18', { tool_name: 'weather', tool_call_id: 'a' }),
      assistant('', { thinking: 'Then the time.', tool_calls: [call('clock', {}, 'b')] }),
      result('12:00', { tool_name: 'clock', tool_call_id: 'b' }),
    ],
    tools,
  },
  {
    messages: [
      user('Plan'),
      assistant('', {
        tool_calls: [
          call('plan', {
            text: 'a "quoted" <b> & \n line ü 🌍',
            whole: 3,
            part: 0.5,
            large: 1e21,
            small: 1e-7,
            negative: -12.75,
            yes: true,
            no: false,
            nothing: null,
            list: [1, 'two', null, { z: 1, a: [] }],
            object: { z: 'last', a: { nested: ["it's", 'x'] } },
            empty: '',
          }),
        ],
      }),
      result('{"ok": true, "text": "<done>"}'),
    ],
    tools: [plan],
  },
  { messages: [question, asked, result(''), user('So?')], tools },
  { messages: [result('Nobody asked'), user('So?')], tools },
  { messages: [question, asked, answered, user('Thanks'), assistant('You are'), user('?')], tools },
  // Images.
  { messages: [user('What is this?', { images: [image] })] },
  { messages: [user('', { images: [image] })] },
  { messages: [system('Look.'), user('Compare them.', { images: [image, otherImage] })] },
  { messages: [user('First [img] then [img].', { images: [image, otherImage] })] },
  { messages: [user('A', { images: [image] }), assistant('B'), user('\nC', { images: [otherImage] })] },
  { messages: [question, asked, result('A picture', { images: [image] })], tools },
];

export const thinkValues = [null, true, false, 'low', 'medium', 'high', 'max'] as const;
export const answerTools: readonly RecordedTool[] = [weather, clock, plan];
