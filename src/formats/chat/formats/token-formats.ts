// Formats without tools that separate turns by special tokens. `systemInUser` is also set for models that were trained
// without system messages: their own templates reject such messages, these templates accept them.

import { type TurnRow, toFormatRows } from './turn-template.ts';

const rows: readonly TurnRow[] = [
  {
    name: 'chatml',
    marks: ['<|im_start|>', '<|im_end|>'],
    words: ['\n'],
    turns: {
      system: ['<|im_start|>system\n', '<|im_end|>\n'],
      user: ['<|im_start|>user\n', '<|im_end|>\n'],
      assistant: ['<|im_start|>assistant\n', '<|im_end|>\n'],
      ask: '<|im_start|>assistant\n',
    },
    stop: ['<|im_start|>', '<|im_end|>'],
  },
  {
    name: 'llama2-chat',
    marks: ['[INST] ', ' [/INST]', '<<SYS>>\n', '\n<</SYS>>\n\n'],
    words: [' ', '<<SYS>>', 'DEFAULT_SYSTEM_MESSAGE'],
    has: ['bos_token', 'eos_token'],
    turns: {
      system: ['<<SYS>>\n', '\n<</SYS>>\n\n'],
      user: ['[INST] ', ' [/INST]'],
      // In training every pair of turns was a separate text.
      assistant: [' ', ' </s><s>'],
      ask: '',
      systemInUser: true,
    },
    stop: ['[INST]', '[/INST]', '<<SYS>>', '<</SYS>>'],
  },
  {
    name: 'llama3-instruct',
    marks: ['<|start_header_id|>', '<|end_header_id|>', '<|eot_id|>'],
    words: ['\n\n', '<|begin_of_text|>'],
    turns: {
      system: ['<|start_header_id|>system<|end_header_id|>\n\n', '<|eot_id|>'],
      user: ['<|start_header_id|>user<|end_header_id|>\n\n', '<|eot_id|>'],
      assistant: ['<|start_header_id|>assistant<|end_header_id|>\n\n', '<|eot_id|>'],
      ask: '<|start_header_id|>assistant<|end_header_id|>\n\n',
    },
    stop: ['<|start_header_id|>', '<|end_header_id|>', '<|eot_id|>'],
  },
  {
    name: 'mistral-instruct',
    marks: ['[INST] ', ' [/INST]'],
    words: ['\n\n'],
    has: ['eos_token'],
    eos: '</s>',
    turns: {
      system: ['', '\n\n'],
      user: ['[INST] ', ' [/INST]'],
      assistant: ['', '</s>'],
      ask: '',
      systemInUser: true,
    },
    stop: ['[INST]', '[/INST]'],
  },
  {
    // The corrected templates of 2024 for the same models.
    name: 'mistral-instruct-spaced',
    marks: [' [INST] ', ' [/INST]', '\n\n'],
    words: [' '],
    has: ['eos_token'],
    eos: '</s>',
    turns: {
      system: ['', '\n\n'],
      user: [' [INST] ', ' [/INST]'],
      assistant: [' ', '</s>'],
      ask: '',
      systemInUser: true,
    },
    stop: ['[INST]', '[/INST]'],
  },
  {
    name: 'gemma-instruct',
    marks: ['<start_of_turn>', '<end_of_turn>', 'model'],
    words: ['\n', '\n\n', '<start_of_image>', 'image', 'text', 'type', '<bos>'],
    turns: {
      system: ['', '\n\n'],
      user: ['<start_of_turn>user\n', '<end_of_turn>\n'],
      assistant: ['<start_of_turn>model\n', '<end_of_turn>\n'],
      ask: '<start_of_turn>model\n',
      systemInUser: true,
    },
    stop: ['<start_of_turn>', '<end_of_turn>'],
  },
  {
    name: 'phi-3',
    marks: ['<|user|>', '<|assistant|>', '<|end|>'],
    words: ['\n', '<|system|>'],
    turns: {
      system: ['<|system|>\n', '<|end|>\n'],
      user: ['<|user|>\n', '<|end|>\n'],
      assistant: ['<|assistant|>\n', '<|end|>\n'],
      ask: '<|assistant|>\n',
    },
    stop: ['<|end|>', '<|system|>', '<|user|>', '<|assistant|>'],
  },
  {
    name: 'phi-4',
    marks: ['<|im_start|>', '<|im_sep|>', '<|im_end|>'],
    words: [],
    turns: {
      system: ['<|im_start|>system<|im_sep|>', '<|im_end|>'],
      user: ['<|im_start|>user<|im_sep|>', '<|im_end|>'],
      assistant: ['<|im_start|>assistant<|im_sep|>', '<|im_end|>'],
      ask: '<|im_start|>assistant<|im_sep|>',
    },
    stop: ['<|im_start|>', '<|im_sep|>', '<|im_end|>'],
  },
  {
    name: 'zephyr',
    marks: ['<|system|>', '<|user|>', '<|assistant|>'],
    words: ['\n'],
    has: ['eos_token'],
    eos: '</s>',
    turns: {
      system: ['<|system|>\n', '</s>\n'],
      user: ['<|user|>\n', '</s>\n'],
      assistant: ['<|assistant|>\n', '</s>\n'],
      ask: '<|assistant|>\n',
    },
    stop: ['<|system|>', '<|user|>', '<|assistant|>', '</s>'],
  },
  {
    // The template contains a disabled preamble, so any other text is accepted.
    name: 'command-r',
    marks: [
      '<|START_OF_TURN_TOKEN|>',
      '<|SYSTEM_TOKEN|>',
      '<|USER_TOKEN|>',
      '<|CHATBOT_TOKEN|>',
      '<|END_OF_TURN_TOKEN|>',
    ],
    lacks: ['<|START_RESPONSE|>', '<|START_THINKING|>', '# Default Preamble'],
    turns: {
      system: ['<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>', '<|END_OF_TURN_TOKEN|>'],
      user: ['<|START_OF_TURN_TOKEN|><|USER_TOKEN|>', '<|END_OF_TURN_TOKEN|>'],
      assistant: ['<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>', '<|END_OF_TURN_TOKEN|>'],
      ask: '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>',
    },
    stop: ['<|START_OF_TURN_TOKEN|>', '<|END_OF_TURN_TOKEN|>'],
  },
  {
    name: 'openchat',
    marks: ['GPT4 Correct ', '<|end_of_turn|>', 'GPT4 Correct Assistant:'],
    words: [': '],
    has: ['.title()'],
    turns: {
      system: ['GPT4 Correct System: ', '<|end_of_turn|>'],
      user: ['GPT4 Correct User: ', '<|end_of_turn|>'],
      assistant: ['GPT4 Correct Assistant: ', '<|end_of_turn|>'],
      ask: 'GPT4 Correct Assistant:',
    },
    stop: ['<|end_of_turn|>'],
  },
  {
    name: 'alfred',
    marks: ['<start_system>', '<start_user>', '<start_assistant>', '<end_message>'],
    words: [],
    turns: {
      system: ['<start_system>', '<end_message>'],
      user: ['<start_user>', '<end_message>'],
      assistant: ['<start_assistant>', '<end_message>'],
      ask: '<start_assistant>',
    },
    stop: ['<start_system>', '<start_user>', '<start_assistant>', '<end_message>'],
  },
];

export const tokenFormats = toFormatRows(rows);
