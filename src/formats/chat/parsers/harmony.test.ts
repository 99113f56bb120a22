import { expect, test } from 'vitest';
import { readAnswer } from '../../../../test/support/read-answer.ts';

const empty = { thinking: '', content: '', calls: [] };

test('channels are thinking, content and calls of any tool', () => {
  const text =
    '<|channel|>analysis<|message|>I see.<|end|><|start|>assistant<|channel|>commentary to=functions.clock <|constrain|>json<|message|>{"zone": "UTC"}';
  const calls = [{ name: 'clock', arguments: { zone: 'UTC' } }];
  expect(readAnswer('harmony', text)).toEqual({ ...empty, thinking: 'I see.', calls });
});

test('the answer continues the part of the last message', () => {
  const text = 'assistant of the day.<|end|>';
  const read = (content: string, thinking: string) =>
    readAnswer('harmony', text, { lastMessage: { role: 'assistant', content, thinking } });
  expect(read('I am the', 'I see.')).toEqual({ ...empty, content: 'assistant of the day.' });
  expect(read('', 'I am the')).toEqual({ ...empty, thinking: 'assistant of the day.' });
});

test('the role of a message is not content', () => {
  expect(readAnswer('harmony', '<|start|>user<|message|>Hi<|end|>')).toEqual({ ...empty, content: 'Hi' });
});

test('passthrough: all is content', () => {
  const text = ' <think>a</think> <tool_call>{}</tool_call>\n';
  expect(readAnswer('passthrough', text, { think: true })).toEqual({ ...empty, content: text });
});
