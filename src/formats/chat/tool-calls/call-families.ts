// How the known families of models write tool calls. A family is recognized by texts in the template of a model, which
// writes earlier calls in the same way.

import { anywhere, atStart, bareLayout, listLayout, named, nothing, object, toCallSyntax } from './call-layouts.ts';
import type { CallFamily, CallSyntax } from './call-syntax.ts';
import { elementFamilies } from './element-families.ts';

const lfm2Layout = listLayout('<|tool_call_start|>', '<|tool_call_end|>', { kind: 'python' });

/** In the order in which they are tried: the marks of later families can be part of earlier templates. */
export const callFamilies: readonly CallFamily[] = [
  {
    name: 'gpt-oss',
    marks: ['<|start|>', '<|channel|>', '<|message|>'],
    layout: {
      ...nothing,
      form: { kind: 'harmony' },
      triggers: [
        ...anywhere('<|channel|>commentary to=', '<|channel|>analysis to=', '<|start|>assistant to='),
        ...atStart('to=functions.'),
      ],
    },
  },
  ...elementFamilies,
  {
    name: 'deepseek-r1',
    marks: ['<｜tool▁calls▁begin｜>', '```json'],
    layout: {
      open: '<｜tool▁calls▁begin｜>',
      close: '<｜tool▁calls▁end｜>',
      before: '<｜tool▁call▁begin｜>function<｜tool▁sep｜>',
      after: '<｜tool▁call▁end｜>',
      between: '\n',
      form: named('\n```json\n', '\n```'),
      triggers: anywhere('<｜tool▁calls▁begin｜>'),
    },
  },
  {
    name: 'deepseek-v3.1',
    marks: ['<｜tool▁calls▁begin｜>'],
    layout: {
      open: '<｜tool▁calls▁begin｜>',
      close: '<｜tool▁calls▁end｜>',
      before: '<｜tool▁call▁begin｜>',
      after: '<｜tool▁call▁end｜>',
      between: '',
      form: named('<｜tool▁sep｜>'),
      triggers: anywhere('<｜tool▁calls▁begin｜>'),
    },
  },
  {
    name: 'kimi-k2',
    marks: ['<|tool_calls_section_begin|>'],
    layout: {
      open: '<|tool_calls_section_begin|>',
      close: '<|tool_calls_section_end|>',
      before: '<|tool_call_begin|>functions.',
      after: '<|tool_call_end|>',
      between: '',
      form: { ...named('<|tool_call_argument_begin|>'), isNumbered: true },
      triggers: anywhere('<|tool_calls_section_begin|>'),
    },
  },
  {
    name: 'solar',
    marks: ['<|tool_call:begin|>', '<|tool_call:args|>'],
    layout: {
      lead: ['<|begin|>assistant'],
      open: '<|tool_calls|>',
      close: '<|calls|>',
      before: '<|tool_call:begin|>',
      after: '<|tool_call:end|>',
      between: '',
      form: { ...named('<|tool_call:args|>'), afterId: '<|tool_call:name|>' },
      triggers: anywhere('<|tool_calls|>'),
    },
  },
  {
    name: 'gigachat-3.1',
    marks: ['<|role_sep|>', '<|function_call|>'],
    layout: {
      ...nothing,
      before: '<|function_call|>',
      form: object('name', 'arguments'),
      triggers: anywhere('<|function_call|>'),
    },
  },
  {
    name: 'gigachat-3',
    // A call is a message of a role of its own.
    marks: ['<|role_sep|>', '<|message_sep|>'],
    layout: {
      ...nothing,
      before: '<|message_sep|>\n\nfunction call<|role_sep|>\n',
      form: object('name', 'arguments'),
      triggers: anywhere('<|message_sep|>\n\nfunction call<|role_sep|>'),
    },
  },
  {
    name: 'functiongemma',
    marks: ['<start_function_call>'],
    layout: {
      ...nothing,
      before: '<start_function_call>call:',
      after: '<end_function_call>',
      between: '',
      form: { kind: 'bare-keys', quote: '<escape>' },
      triggers: anywhere('<start_function_call>'),
    },
  },
  {
    name: 'gemma4',
    marks: ['<|tool_call>'],
    layout: {
      ...nothing,
      before: '<|tool_call>call:',
      after: '<tool_call|>',
      between: '',
      form: { kind: 'bare-keys', quote: '<|"|>' },
      triggers: anywhere('<|tool_call>'),
    },
  },
  {
    name: 'olmo3',
    marks: ['<function_calls>'],
    layout: {
      ...nothing,
      open: '<function_calls>\n',
      close: '\n</function_calls>',
      between: '\n',
      form: { kind: 'python' },
      triggers: anywhere('<function_calls>'),
    },
  },
  {
    name: 'lfm2',
    marks: ['<|tool_call_start|>'],
    layout: lfm2Layout,
  },
  // These templates write tools, but no calls.
  { name: 'lfm2-tools', marks: ['<|im_start|>', 'List of tools: '], layout: lfm2Layout },
  {
    name: 'gemma3',
    marks: ['```tool_code'],
    layout: {
      ...nothing,
      open: '```tool_code\n',
      close: '\n```',
      between: '\n',
      form: { kind: 'python' },
      triggers: anywhere('```tool_code'),
    },
  },
  {
    name: 'command-r7b',
    marks: ['<|START_ACTION|>'],
    layout: listLayout('<|START_ACTION|>', '<|END_ACTION|>', {
      ...object('tool_name', 'parameters'),
      idKey: { name: 'tool_call_id', first: true },
    }),
  },
  {
    name: 'command-r',
    marks: ['Action:', '"tool_name"', '```json'],
    layout: {
      ...listLayout('Action:', '```', object('tool_name', 'parameters')),
      open: 'Action: ```json\n[\n',
      triggers: anywhere('Action: ```json', 'Action:\n```json'),
    },
  },
  {
    name: 'mistral-arguments',
    marks: ['[TOOL_CALLS]', '[ARGS]'],
    layout: {
      ...nothing,
      before: '[TOOL_CALLS]',
      between: '',
      form: named('[ARGS]'),
      triggers: anywhere('[TOOL_CALLS]'),
    },
  },
  {
    name: 'mistral',
    marks: ['[TOOL_CALLS]'],
    layout: listLayout('[TOOL_CALLS]', '', { ...object('name', 'arguments'), idKey: { name: 'id', first: false } }),
  },
  {
    name: 'apertus',
    marks: ['<|tools_prefix|>'],
    layout: listLayout('<|tools_prefix|>', '<|tools_suffix|>', { kind: 'keyed' }),
  },
  {
    name: 'nemotron-nano-v2',
    marks: ['<TOOLCALL>'],
    layout: listLayout('<TOOLCALL>', '</TOOLCALL>', object('name', 'arguments')),
  },
  {
    name: 'hermes',
    marks: ['<tool_call>'],
    layout: {
      ...nothing,
      before: '<tool_call>\n',
      after: '\n</tool_call>',
      between: '\n',
      form: object('name', 'arguments'),
      triggers: anywhere('<tool_call>'),
    },
  },
  {
    name: 'hunyuan-a13b',
    marks: ['<tool_calls>['],
    layout: listLayout('<tool_calls>', '</tool_calls>', object('name', 'arguments')),
  },
  {
    name: 'minimax-m1',
    marks: ['<tool_calls>'],
    layout: {
      ...nothing,
      open: '<tool_calls>\n',
      close: '\n</tool_calls>',
      between: '\n',
      form: object('name', 'arguments'),
      triggers: anywhere('<tool_calls>'),
    },
  },
  {
    name: 'functionary-3.2',
    // Each part of an answer begins with its recipient. The prompt has the first mark.
    marks: ['>>>all'],
    layout: {
      ...nothing,
      between: '>>>',
      form: { ...named('\n'), isExact: true },
      triggers: [],
      triggerAfterName: '\n',
    },
  },
  {
    name: 'firefunction',
    marks: ['functools['],
    // Without the bracket, it is a module of Python.
    layout: {
      ...listLayout('functools', '', object('name', 'arguments')),
      open: 'functools[',
      triggers: anywhere('functools['),
    },
  },
  {
    name: 'functionary',
    marks: ['<function='],
    lacks: ['<parameter='],
    layout: {
      ...nothing,
      before: '<function=',
      after: '</function>',
      between: '\n',
      form: named('>'),
      triggers: anywhere('<function='),
    },
  },
  {
    name: 'phi-4-mini',
    marks: ['<|tool_call|>', '<|/tool_call|>'],
    layout: listLayout('<|tool_call|>', '<|/tool_call|>', object('name', 'arguments')),
  },
  {
    name: 'granite',
    marks: ['<|tool_call|>'],
    layout: listLayout('<|tool_call|>', '', object('name', 'arguments')),
  },
  {
    name: 'llama3',
    marks: ['<|start_header_id|>', '"parameters": '],
    layout: bareLayout('name', 'parameters'),
  },
  {
    name: 'llama4-python',
    marks: ['<|header_start|>', '[func_name1('],
    // A list at the start of an answer can be anything.
    layout: { ...listLayout('', '', { kind: 'python' }), triggers: [] },
  },
  {
    name: 'llama4',
    marks: ['<|header_start|>', '"parameters": '],
    layout: { ...bareLayout('name', 'parameters'), between: '\n' },
  },
];

/** For parsers that know their family. */
export function callSyntaxOfFamily(name: string): CallSyntax {
  const family = callFamilies.find((candidate) => candidate.name === name);
  if (family === undefined) throw new Error(`there is no call family "${name}"`);
  return toCallSyntax(family.layout);
}

export function recognizeFamily(template: string): CallFamily | undefined {
  const has = (mark: string): boolean => template.includes(mark);
  return callFamilies.find(({ marks, lacks = [] }) => marks.every(has) && !lacks.some(has));
}
