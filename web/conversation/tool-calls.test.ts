import { expect, test } from 'vitest';
import { addPart, noAnswer } from './answer.ts';
import { newDocument, type TreeMessage } from './chat-document.ts';
import { toConversationRequest } from './to-conversation-request.ts';
import { addCalls, decideCalls, hasUndecided, offerServers, splitAtCalls } from './tool-calls.ts';

const call = (id: string) => ({ id, server: 'files', tool: 'read', arguments: {} });
const part = (content: string, calls: readonly object[] = []) =>
  ({ model: 'ember', created_at: '', done: false, message: { role: 'assistant', content }, mcp_calls: calls }) as const;
const message: TreeMessage = { id: 'a', parent: null, role: 'assistant', content: '', created_at: '' };

test('a call gets its result, and a later call with the same id is another one', () => {
  const begun = addCalls([], [call('x')], 3);
  const run = addCalls(begun, [{ ...call('x'), result: 'yes' }], 3);
  expect(run).toEqual([{ ...call('x'), at: 3, result: 'yes' }]);
  expect(addCalls(run, [call('x')], 9)).toMatchObject([{ at: 3 }, { at: 9 }]);
});

test('an answer is split at its calls, and each part is a message of its own for the model', () => {
  const parts = [
    part('Let me see.'),
    part('', [call('x')]),
    part('', [{ ...call('x'), result: 'yes' }]),
    part('It is.'),
  ];
  const { content, serverCalls } = parts.reduce((answer, each) => addPart(answer, each as never, 0), noAnswer);
  expect(content).toBe('Let me see.\n\nIt is.');
  const answer = { ...message, content, mcp_calls: serverCalls };
  expect(splitAtCalls(answer)).toMatchObject([
    { text: 'Let me see.', calls: [{ id: 'x' }] },
    { text: 'It is.', calls: [] },
  ]);
  const document = newDocument({ id: 'c', model: 'ember', now: '' });
  expect(toConversationRequest(document, [answer]).messages).toMatchObject([
    { role: 'assistant', content: 'Let me see.', mcp_calls: [{ id: 'x', result: 'yes' }] },
    { role: 'assistant', content: 'It is.' },
  ]);
});

test('an answer without calls stays as it is', () => {
  expect(splitAtCalls({ content: '\n text' })).toEqual([{ text: '\n text', calls: [] }]);
});

test('a decision holds for the calls that are meant and not decided yet', () => {
  const waits = { needs_approval: true as const, at: 0 };
  const calls = [
    { ...call('x'), ...waits },
    { ...call('y'), ...waits, approved: false },
    { ...call('z'), ...waits },
  ];
  const decided = decideCalls({ ...message, mcp_calls: calls }, ({ id }) => id !== 'z', true);
  expect(decided.mcp_calls).toMatchObject([{ approved: true }, { approved: false }, { id: 'z' }]);
  expect(hasUndecided(decided)).toBe(true);
  expect(hasUndecided(decideCalls(decided, () => true, false))).toBe(false);
});

test('permissions of other servers and tools do not count', () => {
  const document = { ...newDocument({ id: 'c', model: 'ember', now: '' }), mcp: ['files'] };
  const permissions = { 'files read': 'always', 'files remove all': 'never', 'files2 read': 'always' } as const;
  expect(offerServers(document, permissions)).toEqual([
    { server: 'files', denied_tools: ['remove all'], require_approval: { never: { tool_names: ['read'] } } },
  ]);
  expect(offerServers({ ...document, mcp: [] }, permissions)).toBeUndefined();
});
