// Conversations as templates get them, with the variables that apply_chat_template passes.

export interface JinjaConversation {
  readonly name: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const user = (content: unknown) => ({ role: 'user', content });
const system = (content: unknown) => ({ role: 'system', content });
const assistant = <More extends object>(content: unknown, more?: More) => ({
  role: 'assistant',
  content,
  ...(more as More),
});
const call = (name: string, args: object, id: string) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const result = (content: string, id: string, name = 'get_weather') => ({
  role: 'tool',
  content,
  tool_call_id: id,
  name,
});

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Get the weather of a "city" & more',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string', description: "The city's name" },
        days: { type: 'integer', minimum: 1, maximum: 7.5 },
        unit: { type: 'string', enum: ['celsius', 'fahrenheit'], default: 'celsius' },
      },
      required: ['city'],
    },
  },
};
const search = {
  type: 'function',
  function: {
    name: 'search',
    description: 'Sucht nach <b>Wörtern</b>',
    parameters: {
      type: 'object',
      properties: { words: { type: 'array', items: { type: 'string' } }, exact: { type: 'boolean' } },
    },
  },
};
const tools = [weather, search];
const question = user('How is the weather in Köln?');
const called = assistant('', { tool_calls: [call('get_weather', { city: 'Köln', days: 2 }, 'call00001')] });
const calledTwice = assistant('Let me look.', {
  tool_calls: [
    call('get_weather', { city: 'Köln' }, 'call00001'),
    call('search', { words: ['a', 'b"c'], exact: true }, 'call00002'),
  ],
});
const picture = [{ type: 'image' }, { type: 'text', text: 'What is this?' }];

const rows: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'one question': { messages: [question] },
  'system and turns': { messages: [system('Be brief.'), user('Hi'), assistant('Hello!'), user('Bye')] },
  'the last turn is complete': { messages: [user('Hi'), assistant('Hello!')], add_generation_prompt: false },
  tools: { messages: [system('Help.'), question], tools },
  'tools without a system message': { messages: [question], tools },
  'a call and its result': { messages: [question, called, result('{"temp": 21.5}', 'call00001')], tools },
  'parallel calls': {
    messages: [question, calledTwice, result('21', 'call00001'), result('[]', 'call00002', 'search'), user('Thanks')],
    tools,
  },
  'a call without tools': { messages: [question, called, result('rain', 'call00001'), assistant('Rain.'), user('Oh')] },
  'thinking in the past': {
    messages: [user('1+1?'), assistant('2', { reasoning_content: 'One and one.' }), user('2+2?')],
  },
  'thinking on': { messages: [user('1+1?')], enable_thinking: true, thinking: true },
  'thinking off': { messages: [user('1+1?')], enable_thinking: false, thinking: false },
  'thinking at a level': { messages: [user('1+1?')], reasoning_effort: 'high', enable_thinking: true },
  'thinking and tools': {
    messages: [question, { ...called, reasoning_content: 'I should look.' }, result('rain', 'call00001')],
    tools,
    enable_thinking: true,
  },
  'an image': { messages: [user(picture)] },
  'parts of text': { messages: [system([{ type: 'text', text: 'Be brief.' }]), user([{ type: 'text', text: 'Hi' }])] },
  'empty content': { messages: [user(''), assistant(''), user(' \n ')] },
  'no content': {
    messages: [user('Hi'), assistant(null, { tool_calls: called.tool_calls }), result('', 'call00001')],
    tools,
  },
  Unicode: { messages: [system('日本語で。'), user('Ünï "quoted" \\ 🎉\u2028</s>')] },
  documents: { messages: [question], documents: [{ title: 'A', text: 'It rains.', contents: 'It rains.' }] },
  'roles out of order': { messages: [assistant('Hello!'), user('Hi'), user('Again'), system('Late.')] },
  'an unknown role': { messages: [{ role: 'narrator', content: 'Once' }, user('Hi')] },
  'no messages': { messages: [] },
};

export const conversations: readonly JinjaConversation[] = Object.entries(rows).map(([name, variables]) => ({
  name,
  variables,
}));
