import { describe, expect, test } from 'vitest';
import type { Message, Tool } from '../message.ts';
import { findRenderer } from './find-renderer.ts';
import { createGlimmerRenderer } from './glimmer.ts';
import type { RendererInput } from './renderer.ts';

const weather: Tool = {
  name: 'weather',
  description: 'Weather of a city',
  parameters: {
    type: 'object',
    required: ['city'],
    properties: {
      unit: { type: 'string', enum: ['C', 'F'] },
      city: { type: 'string', description: 'A <city>' },
      days: { type: ['integer', 'null'] },
    },
  },
};

const question: Message = { role: 'user', content: 'Weather in Rome?' };
const call: Message = {
  role: 'assistant',
  content: '',
  thinking: 'I ask.',
  toolCalls: [{ id: 'a', name: 'weather', arguments: { days: 2, city: 'Rome', far: [true, null, 1.5] } }],
};
const result: Message = { role: 'tool', content: 'sunny', toolCallId: 'a' };
const asked = [question, call, result];
const answered = [...asked, { role: 'assistant', content: ' It is sunny. ', thinking: 'Done.' }];

function prompt(name: string, input: Partial<RendererInput>): string {
  const renderer = findRenderer(name);
  if (renderer === undefined) throw new Error(`there is no renderer ${name}`);
  return renderer.render({ messages: [question], tools: [], think: undefined, ...input });
}

describe('gemma4', () => {
  test('a call, its result and the answer are one turn', () => {
    const messages = [...answered, { role: 'user', content: ' Thanks ' }];
    expect(prompt('gemma4', { messages })).toBe(
      '<bos><|turn>user\nWeather in Rome?<turn|>\n' +
        '<|turn>model\n<|tool_call>call:weather{city:<|"|>Rome<|"|>,days:2,far:[true,null,1.5]}<tool_call|>' +
        '<|tool_response>response:weather{value:<|"|>sunny<|"|>}<tool_response|>It is sunny.<turn|>\n' +
        '<|turn>user\nThanks<turn|>\n<|turn>model\n',
    );
  });

  test('after a result, the model thinks within its turn', () => {
    expect(prompt('gemma4', { messages: asked, think: true })).toMatch(
      /^<bos><\|turn>system\n<\|think\|>\n<turn\|>\n.*<\|channel>thought\nI ask\.\n<channel\|>.*<tool_response\|><\|channel>thought\n$/s,
    );
  });

  test('only the large models get an empty thought', () => {
    expect(prompt('gemma4-large', {})).toMatch(/<\|turn>model\n<\|channel>thought\n<channel\|>$/);
    expect(prompt('gemma4-large', { think: true })).toMatch(/<\|turn>model\n$/);
    expect(prompt('gemma4-small', {})).toMatch(/<\|turn>model\n$/);
  });

  test('tools are declared with sorted properties', () => {
    expect(prompt('gemma4', { tools: [weather] })).toContain(
      '<|tool>declaration:weather{description:<|"|>Weather of a city<|"|>,parameters:{properties:{' +
        'city:{description:<|"|>A <city><|"|>,type:<|"|>STRING<|"|>},' +
        `days:{type:<|"|>['INTEGER', 'NULL']<|"|>},` +
        'unit:{enum:[<|"|>C<|"|>,<|"|>F<|"|>],type:<|"|>STRING<|"|>}},' +
        'required:[<|"|>city<|"|>],type:<|"|>OBJECT<|"|>}}<tool|>',
    );
  });

  test('schemas in lists and objects are declared, too', () => {
    const point = { type: 'object', properties: { x: { type: 'number', nullable: true } }, required: ['x'] };
    const properties = { path: { type: 'array', items: { ...point, minItems: 2 } }, at: point };
    const declared = prompt('gemma4', {
      tools: [{ name: 'draw', description: '', parameters: { type: 'object', properties } }],
    });
    const number = 'type:<|"|>NUMBER<|"|>}},required:[<|"|>x<|"|>],type:<|"|>OBJECT<|"|>';
    expect(declared).toContain(`at:{properties:{x:{${number}}`);
    expect(declared).toContain(`path:{items:{minItems:2,properties:{x:{nullable:true,${number}},type:<|"|>ARRAY<|"|>}`);
  });

  test('a thought in the content of an answer is left out', () => {
    const messages = [question, { role: 'assistant', content: '<|channel>thought\nhm<channel|>Yes.' }, question];
    expect(prompt('gemma4', { messages })).toContain('<|turn>model\nYes.<turn|>');
  });
});

describe('functiongemma', () => {
  test('results belong to the calls in their order', () => {
    const calls = ['weather', 'time'].map((name) => ({ name, arguments: { city: 'Rome', days: 2 } }));
    const results = ['sunny', 'noon'].map((content) => ({ role: 'tool', content }));
    const messages = [question, { role: 'assistant', content: '', toolCalls: calls }, ...results];
    const text = '{city:<escape>Rome<escape>,days:2}<end_function_call>';
    expect(prompt('functiongemma', { messages })).toBe(
      '<bos><start_of_turn>user\nWeather in Rome?<end_of_turn>\n<start_of_turn>model\n' +
        `<start_function_call>call:weather${text}<start_function_call>call:time${text}` +
        '<start_function_response>response:weather{<escape>sunny<escape>}<end_function_response>' +
        '<start_function_response>response:time{<escape>noon<escape>}<end_function_response>',
    );
  });

  test('the instruction is not repeated', () => {
    const instruction = 'You can do function calling with the following functions:';
    const system = { role: 'system', content: instruction };
    expect(prompt('functiongemma', { messages: [system, question], tools: [weather] })).toMatch(
      /^<bos><start_of_turn>developer\nYou can do [^:]+:\n<start_function_declaration>declaration:weather\{description:<escape>/,
    );
    expect(prompt('functiongemma', { tools: [weather] })).toContain(`developer\n${instruction}<start_function`);
  });
});

describe('nemotron', () => {
  test('calls are elements, and texts of Python', () => {
    expect(prompt('nemotron-3-nano', { messages: asked })).toBe(
      '<|im_start|>system\n<|im_end|>\n<|im_start|>user\nWeather in Rome?<|im_end|>\n' +
        '<|im_start|>assistant\n<think>\nI ask.\n</think>\n<tool_call>\n<function=weather>\n' +
        '<parameter=days>\n2\n</parameter>\n<parameter=city>\nRome\n</parameter>\n' +
        '<parameter=far>\n[true, null, 1.5]\n</parameter>\n</function>\n</tool_call>\n<|im_end|>\n' +
        '<|im_start|>user\n<tool_response>\nsunny\n</tool_response>\n<|im_end|>\n<|im_start|>assistant\n<think>\n',
    );
  });

  test('thoughts before the last question are empty', () => {
    const messages = [...answered, question];
    const written = prompt('nemotron-3-nano', { messages, think: false });
    expect(written).toContain('<|im_start|>assistant\n<think></think>\n<tool_call>');
    expect(written).toContain('<|im_start|>assistant\n<think></think>\n It is sunny.<|im_end|>');
    expect(written).toMatch(/<think><\/think>$/);
  });

  test('version 3 has switches in messages, version 3.5 has an effort', () => {
    const messages = [{ role: 'user', content: 'Hi /no_think' }];
    expect(prompt('nemotron-3-nano', { messages })).toMatch(/user\nHi<\|im_end\|>\n.*<think><\/think>$/s);
    expect(prompt('nemotron-3.5-nano', { messages, think: 'medium' })).toMatch(
      /user\nHi \/no_think\n\n\{reasoning effort: efficient\}<\|im_end\|>\n.*<think>\n$/s,
    );
  });

  test('tools are elements', () => {
    const written = prompt('nemotron-3-nano', { tools: [weather] });
    expect(written).toContain(
      '<parameter>\n<name>unit</name>\n<type>string</type>\n<enum>["C", "F"]</enum>\n</parameter>\n' +
        '<parameter>\n<name>city</name>\n<type>string</type>\n<description>A <city></description>\n</parameter>\n' +
        "<parameter>\n<name>days</name>\n<type>['integer', 'null']</type>\n</parameter>\n" +
        '<required>["city"]</required>\n</parameters>\n</function>\n</tools>',
    );
  });
});

describe('lfm2', () => {
  test('calls are written as in Python, with sorted arguments', () => {
    expect(prompt('lfm2', { messages: asked })).toBe(
      '<|startoftext|><|im_start|>user\nWeather in Rome?<|im_end|>\n<|im_start|>assistant\n' +
        '<|tool_call_start|>[weather(city="Rome",days=2,far=[true, null, 1.5])]<|tool_call_end|><|im_end|>\n' +
        '<|im_start|>tool\n<|tool_response_start|>sunny<|tool_response_end|><|im_end|>\n<|im_start|>assistant\n',
    );
  });

  test('the thinking model is told its last thought, and all while it thinks', () => {
    const messages = [...answered, question];
    const last = prompt('lfm2-thinking', { messages });
    expect(last).toContain('assistant\n<|tool_call_start|>');
    expect(last).toContain('assistant\n<think>Done.</think> It is sunny. <|im_end|>');
    expect(prompt('lfm2-thinking', { messages, think: true })).toContain('<think>I ask.</think><|tool_call_start|>');
    expect(prompt('lfm2', { messages, think: true })).not.toContain('think');
  });

  test('tools are a list after the system message', () => {
    const messages = [{ role: 'system', content: 'Be brief.' }, question];
    expect(prompt('lfm2', { messages, tools: [{ ...weather, description: 'a < b' }] })).toContain(
      'system\nBe brief.\nList of tools: <|tool_list_start|>[{"name": "weather", "description": "a < b", ' +
        '"parameters": {"type": "object", "required": ["city"], "properties": {"unit": {"type": "string", "enum": ["C", "F"]}, ',
    );
  });

  test('an answer at the end is continued', () => {
    const messages = [question, { role: 'assistant', content: 'It is' }];
    expect(prompt('lfm2', { messages })).toMatch(/assistant\nIt is$/);
  });
});

describe('laguna', () => {
  test('has a system message of its own', () => {
    expect(prompt('laguna', {})).toMatch(
      /^〈\|EOS\|〉<system>\n\nYou are a helpful.*\n<\/system>\n<user>\nWeather in Rome\?\n<\/user>\n<assistant>\n<\/think>$/s,
    );
    expect(prompt('laguna', { messages: [{ role: 'system', content: ' ' }, question] })).toMatch(/^〈\|EOS\|〉<user>/);
  });

  test('calls are pairs of elements', () => {
    expect(prompt('laguna', { messages: asked, think: true })).toContain(
      '<assistant>\n<think>\nI ask.\n</think>\n<tool_call>weather\n<arg_key>days</arg_key>\n<arg_value>2</arg_value>\n' +
        '<arg_key>city</arg_key>\n<arg_value>Rome</arg_value>\n<arg_key>far</arg_key>\n' +
        '<arg_value>[true, null, 1.5]</arg_value>\n</tool_call>\n</assistant>\n' +
        '<tool_response>\nsunny\n</tool_response>\n<assistant>\n<think>',
    );
  });

  test('finds a thought in the content, and continues an answer at the end', () => {
    const messages = [question, { role: 'assistant', content: '<think>\nhm\n</think>\nIt is' }];
    expect(prompt('laguna', { messages })).toMatch(/<assistant>\n<think>\nhm\n<\/think>\nIt is\n$/);
  });

  test('poolside-v1 writes no line breaks between parts', () => {
    expect(prompt('poolside-v1', { messages: answered, think: true })).toContain(
      '<user>Weather in Rome?</user>\n<assistant><think>I ask.</think><tool_call>weather<arg_key>days</arg_key>' +
        '<arg_value>2</arg_value><arg_key>city</arg_key><arg_value>Rome</arg_value><arg_key>far</arg_key>' +
        '<arg_value>[true, null, 1.5]</arg_value></tool_call></assistant>\n<tool_response>sunny</tool_response>\n' +
        '<assistant><think>Done.</think> It is sunny. </assistant>\n<assistant><think>',
    );
  });
});

describe('cohere', () => {
  test('calls are numbered, and results refer to the numbers', () => {
    const second = { ...call, thinking: '', toolCalls: [{ id: 'b', name: 'time', arguments: {} }] };
    const messages = [...asked, second, { ...result, toolCallId: 'b' }, { ...result, toolCallId: 'a' }];
    const written = prompt('cohere', { messages, think: false });
    expect(written).toContain('{"tool_call_id": "1", "tool_name": "time", "parameters": {}}\n\n]<|END_ACTION|>');
    expect(written.match(/"tool_call_id": "\d",/g)).toEqual(
      ['0', '0', '1', '1', '0'].map((id) => `"tool_call_id": "${id}",`),
    );
    expect(written).toMatch(/<\|CHATBOT_TOKEN\|><\|START_THINKING\|><\|END_THINKING\|>$/);
  });

  test('an answer at the end is continued', () => {
    expect(prompt('cohere', { messages: answered })).toMatch(
      /<\|START_THINKING\|>Done\.<\|END_THINKING\|><\|START_TEXT\|> It is sunny\. $/,
    );
  });

  test('there is always a list of tools', () => {
    expect(prompt('cohere', {})).toContain('<|START_TEXT|># Available Tools\n```json\n[\n\n\n\n]\n```<|END_TEXT|>');
    expect(prompt('cohere', { tools: [weather] })).toContain('"A \\u003ccity\\u003e"}');
  });
});

describe('glimmer', () => {
  test('the default system message has the date', () => {
    const noon = 1_767_528_000_000;
    const written = createGlimmerRenderer({ now: () => noon }).render({
      messages: [question],
      tools: [],
      think: 'low',
    });
    expect(written).toMatch(
      /^<\|begin_of_text\|><\|start\|>system<\|message\|>You are a helpful AI assistant\.\nKnowledge cutoff: 2026-01-04\.\nCurrent date: 2026-01-04\.\n\nReasoning strength: low\.\n\n# Valid recipients: "self", "user"\.<\|eot\|>/,
    );
  });

  test('every message has a recipient', () => {
    const messages = [{ role: 'system', content: 'Reasoning Effort: low' }, ...answered];
    expect(prompt('glimmer', { messages })).toBe(
      '<|begin_of_text|><|start|>system<|message|>Reasoning Strength: low\n\n# Valid recipients: "self", "user".<|eot|>' +
        '<|start|>user<|message|>Weather in Rome?<|eot|><|start|>assistant to=self<|message|>I ask.<|eom|>' +
        '<|start|>assistant to=weather<|message|><atem:function_calls>\n<atem:invoke name="weather">\n' +
        '<atem:parameter name="days">2</atem:parameter>\n<atem:parameter name="city">Rome</atem:parameter>\n' +
        '<atem:parameter name="far">[true, null, 1.5]</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eot|>' +
        '<|start|>tool weather<|message|><tool_output name="weather">\nsunny\n</tool_output><|eot|>' +
        '<|start|>assistant to=self<|message|>Done.<|eom|>' +
        '<|start|>assistant to=user<|message|> It is sunny. <|eot|><|start|>assistant',
    );
  });
});

test('a value that is nested without end is refused', () => {
  let deep: Record<string, unknown> = {};
  for (let level = 0; level < 100_000; level++) deep = { deep };
  const messages = [question, { role: 'assistant', content: '', toolCalls: [{ name: 'f', arguments: deep }] }];
  const names = ['gemma4', 'functiongemma', 'nemotron-3-nano', 'lfm2', 'laguna', 'poolside-v1', 'cohere', 'glimmer'];
  for (const name of names) expect(() => prompt(name, { messages }), name).toThrow('nested');
});
