// The families that write an element for each argument.

import {
  anywhere,
  functionElements,
  hunyuanElements,
  invokeElements,
  markedElements,
  minimaxMark,
  nothing,
  pairElements,
  quotedElements,
  typedElements,
} from './call-layouts.ts';
import type { CallFamily, CallLayout } from './call-syntax.ts';

export const elementFamilies: readonly CallFamily[] = [
  {
    name: 'qwen3-coder',
    marks: ['<tool_call>', '<function=', '<parameter='],
    layout: {
      ...nothing,
      before: '<tool_call>\n<function=',
      after: '\n</tool_call>',
      between: '\n',
      form: functionElements,
      triggers: anywhere('<tool_call>'),
    },
  },
  {
    name: 'seed-oss',
    marks: ['<seed:tool_call>', '<function=', '<parameter='],
    layout: {
      ...nothing,
      before: '<seed:tool_call>\n<function=',
      after: '\n</seed:tool_call>',
      between: '\n',
      form: functionElements,
      triggers: anywhere('<seed:tool_call>'),
    },
  },
  {
    name: 'glm-4.5',
    marks: ['<tool_call>', '<arg_key>', '<arg_value>'],
    layout: {
      ...nothing,
      before: '<tool_call>',
      after: '</tool_call>',
      between: '\n',
      form: pairElements,
      triggers: anywhere('<tool_call>'),
    },
  },
  {
    name: 'minimax-m2',
    marks: ['<minimax:tool_call>', '<invoke name='],
    layout: {
      ...nothing,
      open: '<minimax:tool_call>\n',
      close: '\n</minimax:tool_call>',
      before: '<invoke name="',
      between: '\n',
      form: invokeElements,
      triggers: anywhere('<minimax:tool_call>'),
    },
  },
  {
    name: 'minimax-m3',
    marks: [minimaxMark, '<invoke name='],
    layout: {
      ...nothing,
      open: `${minimaxMark}<tool_call>\n`,
      close: `\n${minimaxMark}</tool_call>`,
      before: `${minimaxMark}<invoke name="`,
      between: '\n',
      form: { kind: 'tree', mark: minimaxMark },
      triggers: anywhere(`${minimaxMark}<tool_call>`),
    },
  },
  {
    name: 'minicpm5',
    marks: ['<function name="', '<param name="'],
    layout: {
      ...nothing,
      before: '<function name="',
      between: '\n',
      form: quotedElements,
      triggers: anywhere('<function name="'),
    },
  },
  {
    name: 'kimi-k3',
    marks: ['<|open|>', '<|close|>', '<|end_of_msg|>'],
    layout: {
      ...nothing,
      lead: ['<|open|>response<|sep|>', '<|close|>response<|sep|>'],
      open: '<|open|>tools<|sep|>',
      close: '<|close|>tools<|sep|>',
      before: '<|open|>call tool="',
      between: '',
      form: typedElements,
      triggers: anywhere('<|open|>tools<|sep|>'),
    },
  },
  { name: 'deepseek-v3.2', marks: ['｜DSML｜', 'function_calls>'], layout: dsmlLayout('function_calls') },
  { name: 'deepseek-v4', marks: ['｜DSML｜', 'tool_calls>'], layout: dsmlLayout('tool_calls') },
  {
    name: 'hunyuan-3',
    // The template adds the word to each tag when it is rendered.
    marks: [':opensource', '<tool_sep'],
    layout: {
      ...nothing,
      open: '<tool_calls:opensource>\n',
      close: '\n</tool_calls:opensource>',
      before: '<tool_call:opensource>',
      after: '</tool_call:opensource>',
      between: '\n',
      form: hunyuanElements,
      triggers: anywhere('<tool_calls:opensource>'),
    },
  },
];

function dsmlLayout(tag: string): CallLayout {
  return {
    ...nothing,
    open: `<｜DSML｜${tag}>\n`,
    close: `\n</｜DSML｜${tag}>`,
    before: '<｜DSML｜invoke name="',
    between: '\n',
    form: markedElements,
    triggers: anywhere(`<｜DSML｜${tag}>`),
  };
}
