import { afterEach, describe, expect, test } from 'vitest';
import { formatAgo, formatDate, formatShare, formatSize } from '../ui/format.ts';
import { chooseLanguage, currentLanguage, elements, matchLanguage, plural, t } from './language.ts';

afterEach(() => chooseLanguage('en'));

test.each([
  ['', ['en-GB', 'de'], 'en'],
  ['', ['sv', 'de-AT', 'en'], 'de'],
  ['', ['pt-PT'], 'pt-BR'],
  ['', ['zh-Hant-TW'], 'zh-CN'],
  ['ja', ['de'], 'ja'],
  ['xx', ['FR-ca'], 'fr'],
  ['', ['sv'], 'en'],
  ['', [], 'en'],
])('the choice %j and the browser %j give %s', (choice, preferred, tag) => {
  expect(matchLanguage(choice, preferred)).toBe(tag);
});

test('texts, numbers and dates change with the language', async () => {
  expect(t('{model} cannot see images. Choose a model with vision.', { model: 'ember' })).toMatch(/^ember cannot/);
  await chooseLanguage('de');
  expect(currentLanguage()).toBe('de');
  expect(t('{model} cannot see images. Choose a model with vision.', { model: 'ember' })).toMatch(/^ember kann/);
  expect(t('{used} of {total} context tokens used', { used: 1234, total: 8192 })).toMatch(/^1\.234 von 8\.192 /);
  expect(formatSize(1500)).toBe('1,5 KB');
  expect(formatShare(0.5)).toBe('50\u00a0%');
  expect(formatDate('2026-04-30')).toBe('30.04.2026');
  expect(formatAgo('2026-01-01T00:00:00Z', Date.parse('2026-01-01T03:00:00Z'))).toBe('vor 3 Stunden');
});

describe('forms for numbers', () => {
  const deleted = (count: number): string => plural(count, 'Chat deleted.', '{count} chats deleted.');
  const tokens = (count: number): string => plural(count, '{count} token', '{count} tokens');

  test.each([
    ['en', ['0 tokens', '1 token', '2 tokens'], '1,000 chats deleted.'],
    ['de', ['0 Tokens', '1 Token', '2 Tokens'], '1.000 Chats gelöscht.'],
    ['fr', ['0 token', '1 token', '2 tokens'], '1\u202f000 conversations supprimées.'],
    ['ja', ['0 トークン', '1 トークン', '2 トークン'], '1,000 件のチャットを削除しました。'],
  ] as const)('%s', async (tag, forms, thousand) => {
    await chooseLanguage(tag);
    expect([0, 1, 2].map(tokens)).toEqual(forms);
    expect(deleted(1000)).toBe(thousand);
  });
});

test('elements take the places that the language has for them', async () => {
  const values = { link: 'LINK', placeholder: 'MODEL' };
  expect(elements('{link}, or replace {placeholder} with its name.', values).join('')).toBe(
    'LINK, or replace MODEL with its name.',
  );
  await chooseLanguage('ja');
  await expect
    .poll(() => elements('{link}, or replace {placeholder} with its name.', values).join(''))
    .toBe('LINKか、MODEL をモデルの名前に置き換えてください。');
});

test('the last choice counts, whichever language is loaded first', async () => {
  await Promise.all([chooseLanguage('es'), chooseLanguage('fr')]);
  expect(currentLanguage()).toBe('fr');
});
