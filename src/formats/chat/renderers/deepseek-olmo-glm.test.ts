import { describe, expect, test } from 'vitest';
import type { Message, Tool } from '../message.ts';
import { findRenderer } from './find-renderer.ts';
import type { RendererInput } from './renderer.ts';

const clock: Tool = {
  name: 'clock',
  description: 'Tells <time>',
  parameters: { type: 'object', properties: { zone: { type: 'string' }, at: {} }, required: ['zone'] },
};
const call: Message = {
  role: 'assistant',
  content: 'Wait.',
  thinking: 'I ask.',
  toolCalls: [
    { name: 'clock', arguments: { zone: 'UTC', at: { z: 1, a: '&' } } },
    { name: 'clock', arguments: {} },
  ],
};
const question: Message = { role: 'user', content: 'Time?' };
const results: readonly Message[] = ['12:00', '13:00'].map((content) => ({ role: 'tool', content }));
const system: Message = { role: 'system', content: 'Be brief.' };

function prompt(name: string, input: Partial<RendererInput>): string {
  return findRenderer(name)?.render({ messages: [question], tools: [], think: undefined, ...input }) ?? '';
}

describe('deepseek3.1', () => {
  test('system messages come first, and the answer is opened with or without thinking', () => {
    const messages = [question, system, { role: 'system', content: 'Be kind.' }];
    const start = '<｜begin▁of▁sentence｜>Be brief.\n\nBe kind.<｜User｜>Time?<｜Assistant｜>';
    expect(prompt('deepseek3.1', { messages })).toBe(`${start}</think>`);
    expect(prompt('deepseek3.1', { messages, think: 'high' })).toBe(`${start}<think>`);
  });

  test('tools, calls and results', () => {
    expect(prompt('deepseek3.1', { messages: [question, call, ...results], tools: [clock] })).toMatch(
      /^<｜begin▁of▁sentence｜>\n\n## Tools\nYou have access to the following tools:\n\n### clock\nDescription: Tells <time>\n\nParameters: \{"type":"object","required":\["zone"\],"properties":\{"zone":\{"type":"string"\},"at":\{\}\}\}\n\nIMPORTANT: .*spaces\n<｜User｜>Time\?<｜Assistant｜><\/think>Wait\.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>clock<｜tool▁sep｜>\{"zone":"UTC","at":\{"a":"\\u0026","z":1\}\}<｜tool▁call▁end｜><｜tool▁call▁begin｜>clock<｜tool▁sep｜>\{\}<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜><｜tool▁output▁begin｜>12:00<｜tool▁output▁end｜><｜tool▁output▁begin｜>13:00<｜tool▁output▁end｜>$/s,
    );
  });

  test('thinking in earlier answers is left out', () => {
    const messages = [question, { role: 'assistant', content: 'I see.</think>Noon.' }, question];
    expect(prompt('deepseek3.1', { messages })).toContain(
      '<｜Assistant｜></think>Noon.<｜end▁of▁sentence｜><｜User｜>',
    );
  });
});

describe('cogito', () => {
  const intro = /You are Cogito, [^\n<]*/.source;

  test('thinking is a sentence of the system message', () => {
    const messages = [system, question];
    expect(prompt('cogito', { messages })).toMatch(
      new RegExp(`^<｜begin▁of▁sentence｜>${intro}\n\nBe brief\\.<｜User｜>Time\\?<｜Assistant｜>$`),
    );
    expect(prompt('cogito', { messages, think: true })).toMatch(
      new RegExp(
        `^<｜begin▁of▁sentence｜>Enable deep thinking subroutine\\.\n\n${intro}\n\nBe brief\\.\n\n<｜User｜>Time\\?<｜Assistant｜><think>\n$`,
      ),
    );
  });

  test('tools are indented JSON', () => {
    const text = prompt('cogito', { tools: [clock] });
    const [, json = ''] = /```json\n(.*?)\n```/s.exec(text) ?? [];
    const { description, parameters } = clock;
    const tool = { type: 'function', function: { name: 'clock', description, parameters } };
    expect(JSON.parse(json)).toEqual(tool);
    expect(json).toContain('\n        "description": "Tells \\u003ctime\\u003e",\n');
    expect(json).toContain('\n                "at": {}\n');
  });

  test('calls and results', () => {
    expect(prompt('cogito', { messages: [question, call, ...results] })).toMatch(
      /<｜User｜>Time\?<｜Assistant｜>Wait\.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>clock\n```json\n\{"zone":.*\}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>clock\n```json\n\{\}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜><｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>12:00<｜tool▁output▁end｜>\n<｜tool▁output▁begin｜>13:00<｜tool▁output▁end｜><｜tool▁outputs▁end｜><｜Assistant｜>$/,
    );
  });
});

describe('olmo3', () => {
  test.each([
    ['olmo3', 'You are a helpful function-calling AI assistant. '],
    ['olmo3.1', 'You are Olmo, '],
  ])('%s has a system message of its own', (name, start) => {
    expect(prompt(name, {})).toMatch(
      new RegExp(`^<\\|im_start\\|>system\n${start}.*any functions\\. <functions></functions><\\|im_end\\|>\n`),
    );
    expect(prompt(name, { messages: [system, question] })).toBe(
      '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nTime?<|im_end|>\n<|im_start|>assistant\n',
    );
  });

  test('tools are spaced JSON, calls have sorted arguments', () => {
    const text = prompt('olmo3', { messages: [system, question, call, ...results], tools: [clock] });
    expect(text).toContain('Be brief.<functions>[{"type": "function", "function": {"name": "clock", ');
    expect(text).toMatch(
      /<\|im_start\|>assistant\nWait\.<function_calls>clock\(at=\{"a":"\\u0026","z":1\}, zone="UTC"\)\nclock\(\)<\/function_calls><\|im_end\|>\n<\|im_start\|>environment\n12:00<\|im_end\|>\n<\|im_start\|>environment\n13:00<\|im_end\|>\n<\|im_start\|>assistant\n$/,
    );
  });

  test('an answer at the end is continued', () => {
    const messages = [question, { role: 'assistant', content: 'It is' }];
    expect(prompt('olmo3', { messages })).toMatch(/<\|im_start\|>assistant\nIt is$/);
  });

  test.each(['olmo3-think', 'olmo3-32b-think'])('%s always thinks and has no tools', (name) => {
    const text = prompt(name, { messages: [system, question, call, ...results], tools: [clock] });
    expect(text).toBe(
      '<|im_start|>system\nBe brief. You do not currently have access to any functions. <functions></functions><|im_end|>\n' +
        '<|im_start|>user\nTime?<|im_end|>\n<|im_start|>assistant\nWait.<|im_end|>\n<|im_start|>assistant\n<think>',
    );
  });
});

describe('glm', () => {
  const calls =
    '<tool_call>clock<arg_key>zone</arg_key><arg_value>UTC</arg_value><arg_key>at</arg_key><arg_value>{"a":"\\u0026","z":1}</arg_value></tool_call>';

  test('glm-4.7', () => {
    expect(prompt('glm-4.7', { messages: [system, question, call, ...results] })).toBe(
      `[gMASK]<sop><|system|>Be brief.<|user|>Time?<|assistant|><think>I ask.</think>Wait.${calls}<tool_call>clock</tool_call>` +
        '<|observation|><tool_response>12:00</tool_response><tool_response>13:00</tool_response><|assistant|><think>',
    );
    expect(prompt('glm-4.7', { think: false })).toMatch(/<\|assistant\|><\/think>$/);
    expect(prompt('glm-4.7', { tools: [clock] })).toMatch(
      /^\[gMASK\]<sop><\|system\|>\n# Tools\n.*<tools>\n\{"type": "function", "function": \{"name": "clock", [^\n]*\n<\/tools>\n/s,
    );
  });

  test('glm-ocr', () => {
    expect(prompt('glm-ocr', { messages: [system, question, call, ...results] })).toBe(
      `[gMASK]<sop><|system|>\nBe brief.\n<|user|>\nTime?<|assistant|>\n<think>I ask.</think>\nWait.\n${calls}\n<tool_call>clock</tool_call>\n` +
        '<|observation|>\n<tool_response>\n12:00\n</tool_response>\n\n<tool_response>\n13:00\n</tool_response>\n<|assistant|>\n',
    );
    expect(prompt('glm-ocr', { think: false })).toMatch(/Time\?\/nothink<\|assistant\|>\n<think><\/think>\n$/);
  });
});
