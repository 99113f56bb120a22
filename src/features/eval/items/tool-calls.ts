// Tool calls: a question, the call that it needs, and none for questions that no tool answers.

import type { ExpectedCall } from '../item.ts';

interface ToolSpec {
  readonly description: string;
  readonly parameters: Readonly<
    Record<string, { readonly type: string; readonly description?: string; readonly enum?: readonly string[] }>
  >;
}

const city = { type: 'string', description: 'Name of the city' };
const text = { type: 'string' };
const integer = { type: 'integer' };
const number = { type: 'number' };
// Otherwise both orders of the numbers are right.
const numbers = {
  a: { ...number, description: 'The first number' },
  b: { ...number, description: 'The second number' },
};

export const tools = {
  get_weather: { description: 'Get the current weather of a city', parameters: { city } },
  get_time: { description: 'Get the current time in a city', parameters: { city } },
  add: { description: 'Add two numbers', parameters: numbers },
  multiply: { description: 'Multiply two numbers', parameters: numbers },
  convert_currency: {
    description: 'Convert an amount of money. Currencies have three letters, such as EUR',
    parameters: { amount: number, from: text, to: text },
  },
  set_alarm: {
    description: 'Set an alarm at a time of today',
    parameters: { time: { type: 'string', description: 'HH:MM with 24 hours' } },
  },
  set_timer: { description: 'Start a timer', parameters: { minutes: integer } },
  switch_light: {
    description: 'Switch the light of a room on or off',
    parameters: { room: text, state: { type: 'string', enum: ['on', 'off'] } },
  },
  send_message: { description: 'Send a text message to a person', parameters: { recipient: text, text } },
  delete_file: { description: 'Delete a file', parameters: { path: text } },
  read_file: { description: 'Read a file', parameters: { path: text } },
  play_song: { description: 'Play a song', parameters: { title: text } },
} satisfies Readonly<Record<string, ToolSpec>>;

type ToolName = keyof typeof tools;
type CallRow = readonly [prompt: string, offered: readonly ToolName[], call: ExpectedCall | null];

const call = (name: ToolName, args: ExpectedCall['arguments']): ExpectedCall => ({ name, arguments: args });

export const callQuestions: readonly CallRow[] = [
  ['What is the weather in Oslo?', ['get_weather'], call('get_weather', { city: 'Oslo' })],
  ['How is the weather in Lima right now?', ['get_weather'], call('get_weather', { city: 'Lima' })],
  ['Tell me the weather of Nairobi.', ['get_weather'], call('get_weather', { city: 'Nairobi' })],
  ['Do I need an umbrella in Bergen now?', ['get_weather'], call('get_weather', { city: 'Bergen' })],
  ['What time is it in Tokyo?', ['get_time'], call('get_time', { city: 'Tokyo' })],
  ['Tell me the current time in Cairo.', ['get_time'], call('get_time', { city: 'Cairo' })],
  ['Add 17 and 25 with the tool.', ['add'], call('add', { a: 17, b: 25 })],
  ['Use the tool to add 3.5 and 4.25.', ['add'], call('add', { a: 3.5, b: 4.25 })],
  ['Multiply 12 by 13 with the tool.', ['multiply'], call('multiply', { a: 12, b: 13 })],
  ['Use the tool to multiply 99 by 101.', ['multiply'], call('multiply', { a: 99, b: 101 })],
  ['Convert 50 EUR to USD.', ['convert_currency'], call('convert_currency', { amount: 50, from: 'EUR', to: 'USD' })],
  [
    'Convert 1200 JPY to GBP.',
    ['convert_currency'],
    call('convert_currency', { amount: 1200, from: 'JPY', to: 'GBP' }),
  ],
  ['Set an alarm at 06:30.', ['set_alarm'], call('set_alarm', { time: '06:30' })],
  ['Wake me at 22:15 tonight.', ['set_alarm'], call('set_alarm', { time: '22:15' })],
  ['Start a timer of 10 minutes.', ['set_timer'], call('set_timer', { minutes: 10 })],
  ['The eggs need 7 minutes. Start a timer.', ['set_timer'], call('set_timer', { minutes: 7 })],
  ['Switch on the light in the kitchen.', ['switch_light'], call('switch_light', { room: 'kitchen', state: 'on' })],
  ['Switch off the light in the garage.', ['switch_light'], call('switch_light', { room: 'garage', state: 'off' })],
  ['Delete the file notes.txt.', ['delete_file'], call('delete_file', { path: 'notes.txt' })],
  ['Read the file report.md.', ['read_file'], call('read_file', { path: 'report.md' })],
  ['Play the song Yesterday.', ['play_song'], call('play_song', { title: 'Yesterday' })],
  ['What is the weather in Rome?', ['get_time', 'get_weather'], call('get_weather', { city: 'Rome' })],
  ['What time is it in Rome?', ['get_time', 'get_weather'], call('get_time', { city: 'Rome' })],
  ['Is it raining in Quito?', ['get_time', 'get_weather'], call('get_weather', { city: 'Quito' })],
  ['Is it already midnight in Delhi?', ['get_weather', 'get_time'], call('get_time', { city: 'Delhi' })],
  ['Use a tool: what is 6 times 9?', ['add', 'multiply'], call('multiply', { a: 6, b: 9 })],
  ['Use a tool: what is 640 plus 360?', ['multiply', 'add'], call('add', { a: 640, b: 360 })],
  ['Use a tool: what is the sum of 8 and 15?', ['multiply', 'add'], call('add', { a: 8, b: 15 })],
  ['Use a tool: what is the product of 21 and 4?', ['add', 'multiply'], call('multiply', { a: 21, b: 4 })],
  ['Remind me in 25 minutes with a timer.', ['set_alarm', 'set_timer'], call('set_timer', { minutes: 25 })],
  ['Set an alarm for 14:00.', ['set_timer', 'set_alarm'], call('set_alarm', { time: '14:00' })],
  ['Show me what is in config.json.', ['delete_file', 'read_file'], call('read_file', { path: 'config.json' })],
  ['Remove the file old.log.', ['read_file', 'delete_file'], call('delete_file', { path: 'old.log' })],
  [
    'I want to hear the song Imagine.',
    ['read_file', 'play_song', 'set_timer'],
    call('play_song', { title: 'Imagine' }),
  ],
  [
    'It is too dark in the bedroom. Switch the light on.',
    ['switch_light', 'set_timer'],
    call('switch_light', { room: 'bedroom', state: 'on' }),
  ],
  [
    'Change 80 CHF to EUR.',
    ['convert_currency', 'add'],
    call('convert_currency', { amount: 80, from: 'CHF', to: 'EUR' }),
  ],
  [
    'How much is 15 USD in CAD?',
    ['multiply', 'convert_currency'],
    call('convert_currency', { amount: 15, from: 'USD', to: 'CAD' }),
  ],
  [
    'Text Maria: dinner is ready',
    ['send_message', 'read_file'],
    call('send_message', { recipient: 'Maria', text: 'dinner is ready' }),
  ],
  [
    'Send Tom the message: call me',
    ['send_message', 'play_song'],
    call('send_message', { recipient: 'Tom', text: 'call me' }),
  ],
  [
    'What is the weather in Vienna?',
    ['get_time', 'add', 'read_file', 'get_weather', 'play_song'],
    call('get_weather', { city: 'Vienna' }),
  ],
  [
    'Start a timer of 3 minutes.',
    ['get_weather', 'set_alarm', 'set_timer', 'play_song'],
    call('set_timer', { minutes: 3 }),
  ],
  [
    'Read the file todo.txt.',
    ['send_message', 'delete_file', 'play_song', 'read_file'],
    call('read_file', { path: 'todo.txt' }),
  ],
  ['Hello! How are you?', ['get_weather'], null],
  ['Write a short poem about a lake.', ['set_timer', 'convert_currency'], null],
  ['Who wrote the play Hamlet?', ['get_weather', 'get_time'], null],
  ['Thank you, that was all.', ['send_message', 'delete_file'], null],
  ['What does the word "brief" mean?', ['convert_currency', 'switch_light'], null],
  ['Translate "cat" into Spanish.', ['set_alarm', 'get_weather'], null],
  ['Give me a name for a hamster.', ['add', 'multiply'], null],
  ['Explain what a rainbow is in one sentence.', ['delete_file', 'read_file'], null],
];
