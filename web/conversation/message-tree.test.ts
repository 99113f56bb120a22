import { expect, test } from 'vitest';
import type { TreeMessage } from './chat-document.ts';
import {
  findUnfinished,
  groupByParent,
  mergeDocuments,
  newestLeaf,
  pathTo,
  putMessage,
  withoutMessages,
} from './message-tree.ts';

const message = (id: string, parent: string | null, content = id): TreeMessage => ({
  id,
  parent,
  role: id.startsWith('q') ? 'user' : 'assistant',
  content,
  created_at: '',
});

// q1 ─ a1 ─ q2 ─ a2
//    └ a3 ─ q3 (edited: q4)
const tree = [
  message('q1', null),
  message('a1', 'q1'),
  message('q2', 'a1'),
  message('a2', 'q2'),
  message('a3', 'q1'),
  message('q3', 'a3'),
  message('q4', 'a3'),
];
const ids = (messages: readonly TreeMessage[]) => messages.map(({ id }) => id);

test('a path leads from the first message to a leaf', () => {
  expect(ids(pathTo(tree, 'a2'))).toEqual(['q1', 'a1', 'q2', 'a2']);
  expect(ids(pathTo(tree, 'q4'))).toEqual(['q1', 'a3', 'q4']);
  expect(pathTo(tree, undefined)).toEqual([]);
  expect(pathTo(tree, 'nothing')).toEqual([]);
});

test('a path ends in a cycle, and at a parent that is missing', () => {
  expect(pathTo([message('a', 'b'), message('b', 'a')], 'a')).toHaveLength(2);
  expect(ids(pathTo([message('a', 'gone')], 'a'))).toEqual(['a']);
});

test('messages with one parent are alternatives, in the order in which they were added', () => {
  const groups = groupByParent(tree);
  expect(ids(groups.get('q1') ?? [])).toEqual(['a1', 'a3']);
  expect(ids(groups.get('a3') ?? [])).toEqual(['q3', 'q4']);
  expect(ids(groups.get(null) ?? [])).toEqual(['q1']);
});

test('the newest branch of a message', () => {
  expect(newestLeaf(tree, 'a1')).toBe('a2');
  expect(newestLeaf(tree, 'q1')).toBe('q4');
  expect(newestLeaf(tree, 'q3')).toBe('q3');
  expect(newestLeaf([message('a', 'b'), message('b', 'a')], 'a')).toBeDefined();
});

test('a message is replaced in its place or added', () => {
  expect(putMessage(tree, message('a1', 'q1', 'new')).at(1)?.content).toBe('new');
  expect(ids(putMessage(tree, message('a9', 'q4'))).at(-1)).toBe('a9');
});

test('merging prefers an answer that is complete to one that is not', () => {
  const begun = { ...message('a1', 'q1', ''), request: { id: 'r', received: 0 } };
  const complete = message('a1', 'q1');
  const merge = (theirs: TreeMessage, ours: TreeMessage) =>
    mergeDocuments({ messages: [theirs] }, { messages: [ours] }).messages;
  expect(merge(complete, begun)).toEqual([complete]);
  expect(merge(begun, complete)).toEqual([complete]);
  expect(findUnfinished([complete, begun, message('q2', 'a1')])).toBe(begun);
});

test('merging keeps the messages of both copies', () => {
  const theirs = [message('q1', null), message('a1', 'q1', 'theirs'), message('a5', 'q1')];
  const ours = [message('q1', null), message('a1', 'q1', 'ours'), message('a6', 'q1')];
  const { messages: merged, leaf } = mergeDocuments({ messages: theirs, leaf: 'a5' }, { messages: ours, leaf: 'a6' });
  expect(ids(merged)).toEqual(['q1', 'a1', 'a5', 'a6']);
  expect([merged.at(1)?.content, leaf]).toEqual(['ours', 'a6']);
});

test('a message is deleted with all that follow it, and the newest branch that is left is shown', () => {
  const left = withoutMessages({ messages: tree, leaf: 'q4' }, new Set(['a3']));
  expect([ids(left.messages), left.leaf]).toEqual([['q1', 'a1', 'q2', 'a2'], 'a2']);
  expect(left.deleted).toEqual(['a3', 'q3', 'q4']);
  expect(withoutMessages({ messages: tree, leaf: 'a2' }, new Set(['q3'])).leaf).toBe('a2');
  expect(withoutMessages({ messages: tree, leaf: 'a2' }, new Set(['q1']))).toMatchObject({
    messages: [],
    leaf: undefined,
  });
});

test('what one copy has deleted is deleted in the other, with what was added to it', () => {
  const ours = withoutMessages({ messages: tree, leaf: 'q4' }, new Set(['a3']));
  const theirs = { messages: [...tree, message('a4', 'q4')], leaf: 'a4' };
  for (const merged of [mergeDocuments(theirs, ours), mergeDocuments(ours, theirs)])
    expect([ids(merged.messages), merged.leaf]).toEqual([['q1', 'a1', 'q2', 'a2'], 'a2']);
});
