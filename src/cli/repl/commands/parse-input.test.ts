import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Input, parseInput } from './parse-input.ts';

const text = (input: Input): string => ('text' in input ? input.text : '');

describe('valid input', () => {
  test.each([
    ['', { type: 'nothing' }],
    ['   ', { type: 'nothing' }],
    ['hello there', { type: 'message', text: 'hello there' }],
    ['"""a\nb"""', { type: 'message', text: 'a\nb' }],
    ['/tmp/a.png what is it?', { type: 'message', text: '/tmp/a.png what is it?' }],
    ['/a.png', { type: 'message', text: '/a.png' }],
    ['/bye', { type: 'exit' }],
    [' /exit ', { type: 'exit' }],
    ['/clear', { type: 'clear' }],
    ['/list', { type: 'list' }],
    ['/?', { type: 'help', topic: 'commands' }],
    ['/help', { type: 'help', topic: 'commands' }],
    ['/? set', { type: 'help', topic: 'set' }],
    ['/? /show', { type: 'help', topic: 'show' }],
    ['/help shortcuts', { type: 'help', topic: 'shortcuts' }],
    ['/set', { type: 'help', topic: 'set' }],
    ['/show', { type: 'help', topic: 'show' }],
    ['/show system', { type: 'show', topic: 'system' }],
    ['/load ember:latest', { type: 'load', model: 'ember:latest' }],
    ['/save mine', { type: 'save', model: 'mine' }],
    ['/set parameter num_ctx 4096', { type: 'set-parameter', name: 'num_ctx', values: ['4096'] }],
    ['/set parameter stop "a b" c', { type: 'set-parameter', name: 'stop', values: ['a b', 'c'] }],
    ['/set system You are a poet.', { type: 'set-system', text: 'You are a poet.' }],
    ['/set system """You\nrhyme"""', { type: 'set-system', text: 'You\nrhyme' }],
    ['/set verbose', { type: 'set-switch', switch: 'verbose', on: true }],
    ['/set quiet', { type: 'set-switch', switch: 'verbose', on: false }],
    ['/set nohistory', { type: 'set-switch', switch: 'history', on: false }],
    ['/set wordwrap', { type: 'set-switch', switch: 'wordwrap', on: true }],
    ['/set format json', { type: 'set-format', format: 'json' }],
    ['/set noformat', { type: 'set-format', format: undefined }],
    ['/set think', { type: 'set-think', think: true }],
    ['/set think high', { type: 'set-think', think: 'high' }],
    ['/set nothink', { type: 'set-think', think: false }],
  ])('%j', (line, input) => {
    expect(parseInput(line)).toEqual(input);
  });
});

describe('invalid input', () => {
  test.each([
    ['/sohw', "Unknown command '/sohw'. Did you mean /show? Type /? for help"],
    ['/nonsense', "Unknown command '/nonsense'. Type /? for help"],
    ['/set verbsoe', "Unknown command '/set verbsoe'. Did you mean '/set verbose'? Type /? set for help"],
    ['/show sytem', "Unknown command '/show sytem'. Did you mean '/show system'? Type /? show for help"],
    ['/set think hihg', "Unknown command '/set think hihg'. Did you mean '/set think high'? Type /? set for help"],
    ['/load', 'Usage:\n  /load <modelname>'],
    ['/save two words', 'Usage:\n  /save <modelname>'],
    ['/set parameter temperature', 'Usage:\n  /set parameter <name> <value>\nType /? set for a list of parameters'],
  ])('%j', (line, message) => {
    expect(text(parseInput(line))).toBe(message);
  });
});

test('any line can be parsed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom('', '/', '/set ', '/show '), (rest, start) => {
      expect(parseInput(start + rest).type).toBeTypeOf('string');
    }),
  );
  expect(parseInput('/__proto__').type).toBe('error');
  expect(parseInput('/set constructor').type).toBe('error');
});
