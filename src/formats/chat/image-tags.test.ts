import { expect, test } from 'vitest';
import { tagImages } from './message.ts';

const image = (name: string): Buffer => Buffer.from(name);
const user = (content: string, ...images: Buffer[]) => ({ role: 'user', content, images });
const contentsOf = (...messages: ReturnType<typeof user>[]): string[] =>
  tagImages(messages).messages.map(({ content }) => content);

test('images precede the text of their message and are counted over all messages', () => {
  const { messages, images } = tagImages([user('a', image('x'), image('y')), user('b'), user('c', image('z'))]);
  expect(messages.map(({ content }) => content)).toEqual(['[img-0][img-1]a', 'b', '[img-2]c']);
  expect(images.map(String)).toEqual(['x', 'y', 'z']);
});

test('images replace [img] in the text', () => {
  expect(contentsOf(user('this [img] or $& that [img]?', image('x'), image('y'), image('z')))).toEqual([
    '[img-2]this [img-0] or $& that [img-1]?',
  ]);
});
