// Formats without tools that separate turns by plain words.

import { type TurnRow, toFormatRows } from './turn-template.ts';

const coderPreamble =
  'You are an exceptionally intelligent coding assistant that consistently delivers accurate and reliable responses to user instructions.\n\n';

const rows: readonly TurnRow[] = [
  {
    name: 'vicuna',
    marks: ['USER: ', 'ASSISTANT: ', 'ASSISTANT:'],
    words: [' '],
    has: ['eos_token'],
    eos: '</s>',
    turns: {
      system: ['', ' '],
      user: ['USER: ', ' '],
      assistant: ['ASSISTANT: ', '</s>'],
      ask: 'ASSISTANT:',
    },
    stop: ['USER:', 'ASSISTANT:'],
  },
  {
    name: 'alpaca',
    marks: ['### Instruction:\n', '### Response:\n', '\n\n'],
    words: [],
    turns: {
      system: ['', '\n\n'],
      user: ['### Instruction:\n', '\n\n'],
      assistant: ['### Response:\n', '\n\n'],
      ask: '### Response:\n',
    },
    stop: ['### Instruction:', '### Response:'],
  },
  {
    name: 'deepseek-chat',
    marks: ['User: ', 'Assistant: ', 'Assistant:', '\n\n'],
    words: [],
    has: ['eos_token'],
    eos: '<｜end▁of▁sentence｜>',
    turns: {
      system: ['', '\n\n'],
      user: ['User: ', '\n\n'],
      assistant: ['Assistant: ', '<｜end▁of▁sentence｜>'],
      ask: 'Assistant:',
    },
    stop: ['User:', 'Assistant:'],
  },
  {
    name: 'chatqa',
    marks: ['System: ', 'User: ', 'Assistant: ', 'Assistant:', '\n\n'],
    words: [],
    lacks: ['eos_token'],
    turns: {
      system: ['System: ', '\n\n'],
      user: ['User: ', '\n\n'],
      assistant: ['Assistant: ', '\n\n'],
      ask: 'Assistant:',
    },
    stop: ['System:', 'User:', 'Assistant:'],
  },
  {
    // The code models. Later Granite models have tools.
    name: 'granite-instruct',
    marks: ['System:\n', 'Question:\n', 'Answer:\n', '\n\n'],
    words: [],
    turns: {
      system: ['System:\n', '\n\n'],
      user: ['Question:\n', '\n\n'],
      assistant: ['Answer:\n', '\n\n'],
      ask: 'Answer:\n',
    },
    stop: ['System:\n', 'Question:\n', 'Answer:\n'],
  },
  {
    name: 'falcon-instruct',
    marks: ['System: ', 'User: ', 'Falcon: ', 'Falcon:'],
    words: ['\n'],
    turns: {
      system: ['System: ', '\n'],
      user: ['User: ', '\n'],
      assistant: ['Falcon: ', '\n'],
      ask: 'Falcon:',
    },
    stop: ['User:', 'Falcon:'],
  },
  {
    // Made for a single question: nothing separates an answer from the next question.
    name: 'solar-instruct',
    marks: ['### System:\n', '### User:\n', '### Assistant:\n', '\n\n'],
    words: [],
    turns: {
      system: ['### System:\n', '\n\n'],
      user: ['### User:\n', '\n\n'],
      assistant: ['### Assistant:\n', ''],
      ask: '### Assistant:\n',
    },
    stop: ['### System:', '### User:', '### Assistant:'],
  },
  {
    name: 'starcoder2-instruct',
    marks: [coderPreamble, '### Instruction\n', '### Response\n'],
    words: ['\n\n'],
    has: ['eos_token'],
    eos: '<|endoftext|>',
    turns: {
      system: ['', '\n\n'],
      user: ['### Instruction\n', '\n\n'],
      assistant: ['### Response\n', '<|endoftext|>\n\n'],
      ask: '### Response\n',
      withoutSystem: coderPreamble,
    },
    stop: ['### Instruction', '### Response', '<|endoftext|>'],
  },
  {
    name: 'magicoder',
    marks: [coderPreamble, '@@ Instruction\n', '@@ Response\n'],
    words: ['\n\n'],
    has: ['eos_token'],
    eos: '<｜end▁of▁sentence｜>',
    turns: {
      system: ['', '\n\n'],
      user: ['@@ Instruction\n', '\n\n'],
      assistant: ['@@ Response\n', '<｜end▁of▁sentence｜>\n\n'],
      ask: '@@ Response\n',
      withoutSystem: coderPreamble,
    },
    stop: ['@@ Instruction', '@@ Response'],
  },
  {
    name: 'codellama-70b-instruct',
    marks: ['Source: ', '\n\n ', ' <step> ', 'Source: assistant\nDestination: user\n\n '],
    words: ['<s>'],
    turns: {
      system: ['Source: system\n\n ', ' <step> '],
      user: ['Source: user\n\n ', ' <step> '],
      assistant: ['Source: assistant\n\n ', ' <step> '],
      ask: 'Source: assistant\nDestination: user\n\n ',
    },
    stop: ['<step>', 'Source:'],
  },
];

export const wordFormats = toFormatRows(rows);
