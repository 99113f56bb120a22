import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findImages, removeImages } from './find-images.ts';

const pathsIn = (prompt: string): string[] => findImages(prompt, false).map(({ path }) => path);

describe('an image is found', () => {
  test.each([
    ['by its path', 'What is /tmp/a.png?', ['/tmp/a.png']],
    ['by a relative one', 'see ./a.jpeg and ../b.JPG', [resolve('a.jpeg'), resolve('../b.JPG')]],
    ['by its bare name', 'a.webp', [resolve('a.webp')]],
    ['from the home folder', 'see ~/pics/a.png', [join(homedir(), 'pics/a.png')]],
    ['in quotes', `compare '/tmp/my pic.png' with "/tmp/it's.png"`, ['/tmp/my pic.png', "/tmp/it's.png"]],
    ['with escaped spaces', '/tmp/my\\ pic\\(1\\).png describe', ['/tmp/my pic(1).png']],
    ['as a file URL', 'file:///tmp/my%20pic.png', ['/tmp/my pic.png']],
    ['in wide characters', 'これ /tmp/写真.png は？', ['/tmp/写真.png']],
    ['at the end of a sentence', 'I like (/tmp/a.png).', ['/tmp/a.png']],
  ])('%s', (_, prompt, paths) => {
    expect(pathsIn(prompt)).toEqual(paths);
  });

  test.each(['no image', 'a.png.bak', 'a.pngs', 'the .png format'.replace(' .png', 'png'), 'https', 'x.tiff'])(
    'not in %j',
    (prompt) => {
      expect(pathsIn(prompt)).toEqual([]);
    },
  );

  test('on Windows with backslashes between folders', () => {
    expect(findImages('see C:\\pics\\new.png now', true).map(({ written }) => written)).toEqual(['C:\\pics\\new.png']);
  });
});

test('a path is certain, a bare name is not', () => {
  expect(findImages('a.png ./b.png "c.png"', false).map(({ isCertain }) => isCertain)).toEqual([false, true, true]);
});

test.each([
  ['What is in /tmp/a.png here?', 'What is in here?'],
  ['/tmp/a.png /tmp/b.png', ''],
  ['"/tmp/a b.png" what?', 'what?'],
  ['what is /tmp/a.png?', 'what is ?'],
])('without its images, %j is %j', (prompt, text) => {
  expect(removeImages(prompt, findImages(prompt, false))).toBe(text);
});

test('a long line of quotes and dots is scanned in linear time', () => {
  expect(pathsIn(`"'`.repeat(20_000) + 'a.'.repeat(20_000))).toEqual([]);
});
