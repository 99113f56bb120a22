import { expect, test } from 'vitest';
import type { ConversationMessage } from '../../../inference/model/conversation.ts';
import type { PassageSearch } from '../documents/passage-search.ts';
import { addPassages, CollectionSearch, toQuestion, toSearchTool } from './collection-search.ts';
import { findCitations } from './find-citations.ts';

const never = new AbortController().signal;
const asked: string[] = [];
/** Finds the words of the question as passages. */
const passages: PassageSearch = {
  checkAll: async () => {},
  searchAll: async (_caller, [collection = ''], { text }) => {
    asked.push(text);
    if (text === 'fail') throw new Error('the reranker does not answer');
    return text.split(' ').map((word, index) => ({
      ...{ text: word, collection, fileId: word, fileName: `${word}.pdf`, start: 0, end: word.length },
      ...{ page: index === 0 ? 3 : undefined, score: 1 },
    }));
  },
};
const open = () => new CollectionSearch(passages, { collections: ['c'], client: 'x', limit: 8 });
const user = (content: string): ConversationMessage => ({ role: 'user', content, encodedImages: [] });
const assistant = (content: string): ConversationMessage => ({ role: 'assistant', content, encodedImages: [] });

test('a passage that is found again keeps its number, and others get the next ones', async () => {
  const search = open();
  const numbersOf = async (text: string) => (await search.find(text, never)).map(({ number }) => number);
  expect(await numbersOf('boats piers')).toEqual([1, 2]);
  expect(await numbersOf('boats tickets')).toEqual([1, 3]);
});

test('the tool answers with numbered passages, and what fails is a result', async () => {
  const tool = toSearchTool(open());
  const result = await tool.call('file_search', { query: 'boats piers' }, never);
  expect(result.text).toMatch(/^\[1\] boats\.pdf, page 3:\nboats\n\n\[2\] piers\.pdf:\npiers\n\n.*\[1\]/s);
  expect(result.passages).toHaveLength(2);
  expect(await tool.call('file_search', { query: ['x'] }, never)).toMatchObject({ isError: true });
  expect(await tool.call('file_search', { query: 'fail' }, never)).toMatchObject({
    text: 'Error: the reranker does not answer',
    isError: true,
  });
  asked.length = 0;
  await tool.call('file_search', { query: 'x'.repeat(1e6) }, never);
  expect(asked[0]).toHaveLength(4000);
});

test('a short question is searched with the one before it', () => {
  expect(toQuestion([user('When do ferries leave?'), assistant('At seven.'), user('And back?')])).toBe(
    'And back?\nWhen do ferries leave?',
  );
  const long = 'Which of the piers is used by the ferries to the island?';
  expect(toQuestion([user('Hello'), user(long), assistant('Both.')])).toBe(long);
  expect(toQuestion([])).toBe('');
});

test('passages are put before the last question only', async () => {
  const [first, second] = addPassages(
    [user('Hello'), user('When?'), assistant('I')],
    await open().find('boats', never),
  );
  expect(first?.content).toBe('Hello');
  expect(second?.content).toMatch(/\[1\] boats\.pdf, page 3:\nboats\n\n.*\n\nWhen\?$/s);
  expect(addPassages([user('When?')], [])[0]?.content).toContain('No passage was found.');
});

test('only numbers of passages are citations, and hostile texts take linear time', async () => {
  const found = await open().find('boats piers', never);
  const byNumber = new Map(found.map((passage) => [passage.number, passage]));
  const places = (text: string) => findCitations(text, byNumber).map(({ passage, index }) => [passage.number, index]);
  expect(places('Seven [1]. Four [2,1], five [3], \u30102\u3011, a[0], [x]')).toEqual([
    [1, 6],
    [2, 16],
    [1, 16],
    [2, 33],
  ]);
  expect(places('['.repeat(1e6) + '1, '.repeat(1e5))).toEqual([]);
  expect(findCitations('[1]', new Map())).toEqual([]);
});
