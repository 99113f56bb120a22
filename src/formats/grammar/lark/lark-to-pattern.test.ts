import { expect, test } from 'vitest';
import { schemaToGrammar } from '../schema.ts';
import { larkToPattern } from './lark-to-pattern.ts';

const matches = (grammar: string, text: string): boolean =>
  new RegExp(`^(?:${larkToPattern(grammar)})$`, 'u').test(text);

// The grammar of a patch, as coding agents send it.
const patch = `start: begin_patch hunk+ end_patch
begin_patch: "*** Begin Patch" LF
end_patch: "*** End Patch" LF?

hunk: add_hunk | delete_hunk | update_hunk
add_hunk: "*** Add File: " filename LF add_line+
delete_hunk: "*** Delete File: " filename LF
update_hunk: "*** Update File: " filename LF change_move? change?

filename: /(.+)/
add_line: "+" /(.*)/ LF -> line

change_move: "*** Move to: " filename LF
change: (change_context | change_line)+ eof_line?
change_context: ("@@" | "@@ " /(.+)/) LF
change_line: ("+" | "-" | " ") /(.*)/ LF
eof_line: "*** End of File" LF

%import common.LF
`;

test('the grammar of a patch', () => {
  const good = '*** Begin Patch\n*** Add File: a.txt\n+one\n+\n*** Update File: b\n@@ f\n-x\n+y\n*** End Patch\n';
  expect(matches(patch, good)).toBe(true);
  expect(matches(patch, good.replace('+one', 'one'))).toBe(false);
  expect(matches(patch, '*** Begin Patch\n*** End Patch')).toBe(false);
});

test('the pattern can become a grammar of llama.cpp', () => {
  const schema = {
    type: 'object',
    properties: { input: { type: 'string', pattern: `^(?:${larkToPattern(patch)})$` } },
  };
  expect(schemaToGrammar(schema)).toContain('*** Begin Patch');
});

test.each([
  ['start: "a" | "b" -> c\n  | "d"', ['a', 'b', 'd'], ['ab', '']],
  ['start: A~2..3\nA: "x".."z"', ['xy', 'zzz'], ['x', 'xxxx', 'ab']],
  ['start: ["-"] INT\n%import common.INT', ['-12', '3'], ['-', 'a']],
  ['?start.2: "a.b"i // dots\n', ['a.b', 'A.B'], ['aXb']],
  ['start: (WORD\n | DIGIT)\n%import common (WORD, DIGIT)', ['ab', '7'], ['77']],
  ['start: "\\n" "\\"" /[a-c]+/', ['\n"abc'], ['n"abc']],
])('%s', (grammar, accepted, refused) => {
  expect(accepted.map((text) => matches(grammar, text))).toEqual(accepted.map(() => true));
  expect(refused.map((text) => matches(grammar, text))).toEqual(refused.map(() => false));
});

test.each([
  ['start: start "a" | "b"', /recursive/],
  ['start: a\na: b\nb: a', /recursive/],
  ['start: missing', /does not define missing/],
  ['other: "a"', /does not define start/],
  ['start: "a"\n%ignore " "', /%ignore/],
  ['start: X\n%import python.X', /imports python.X/],
  ['start: /a/i', /flags i/],
  ['start: "\\x41"', /escape/],
  ['start: ("a"', /unclosed/],
  ['start "a"', /definition/],
  ['start: "ab".."c"', /range/],
  ['start: €', /character/],
])('%s is refused', (grammar, reason) => {
  expect(() => larkToPattern(grammar)).toThrow(reason);
});

test('limits', () => {
  expect(() => larkToPattern(`start: ${'('.repeat(100)}`)).toThrow(/nested/);
  expect(() => larkToPattern(`start: "${'a'.repeat(70_000)}"`)).toThrow(/longer/);
});

test('names that double at every level end early', () => {
  const rules = Array.from({ length: 30 }, (_, level) => `r${level}: r${level + 1} r${level + 1}`);
  expect(() => larkToPattern(['start: r0', ...rules, 'r30: "a"'].join('\n'))).toThrow(/more than 2000 characters/);
});
