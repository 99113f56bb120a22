// Images through the real endpoints.

import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chat, generate, post, postChat } from '../support/client.ts';
import { colors, drawBmp, drawGif, drawJpeg, drawPng, encodePng } from '../support/models/draw.ts';
import { circleWebp } from '../support/models/webp.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let url: string;
beforeAll(async () => {
  server = await startServer();
  url = server.url;
});
afterAll(() => server.stop());

const imageEncoder = { model: 'ember-eyes', options: { temperature: 0 } };
const circle = drawPng({ shape: 'circle', color: colors.red }).toString('base64');
const question = 'Describe the image.';
const looking = (image: string) => ({
  ...imageEncoder,
  messages: [{ role: 'user', content: question, images: [image] }],
});

describe('an image is recognized', () => {
  test('in chat', async () => {
    expect((await chat(url, looking(circle))).message?.content).toBe('A red circle on a white background.');
  });

  test('in generate', async () => {
    const { response } = await generate(url, { ...imageEncoder, prompt: question, images: [circle] });
    expect(response).toBe('A red circle on a white background.');
  });

  test('in a raw prompt, at its tag', async () => {
    const prompt = `<|im_start|>user\n[img-0]${question}<|im_end|>\n<|im_start|>assistant\n`;
    const { response } = await generate(url, { ...imageEncoder, prompt, images: [circle], raw: true });
    expect(response).toContain('red circle');
  });

  test('as a data URL, as JPEG, and with line breaks in its base64', async () => {
    expect((await chat(url, looking(`data:image/png;base64,${circle}`))).message?.content).toContain('red circle');
    expect((await chat(url, looking(circle.replace(/.{76}/g, '$&\r\n')))).message?.content).toContain('red circle');
    const jpeg = drawJpeg({ shape: 'square', color: colors.blue }).toString('base64');
    expect((await chat(url, looking(jpeg))).message?.content).toContain('blue square');
  });

  test('as WebP, with the answer of the same PNG', async () => {
    const [webp, png] = [await chat(url, looking(circleWebp)), await chat(url, looking(circle))];
    expect(webp.message).toEqual(png.message);
  });

  test.each([
    ['GIF', drawGif],
    ['BMP', drawBmp],
  ])('as %s, with the answer of the same PNG', async (_, draw) => {
    const drawing = { shape: 'circle', color: colors.red } as const;
    const given = await chat(url, looking(draw(drawing).toString('base64')));
    expect(given.message).toEqual((await chat(url, looking(circle))).message);
  });

  test('in an earlier message: its tokens are part of the prompt', async () => {
    const conversation = (images: string[]) => [
      { role: 'user', content: question, images },
      { role: 'assistant', content: 'A red circle on a white background.' },
      { role: 'user', content: 'Thank you.' },
    ];
    const count = async (images: string[]) =>
      (await chat(url, { ...imageEncoder, messages: conversation(images) })).prompt_eval_count as number;
    expect((await count([circle])) - (await count([]))).toBeGreaterThanOrEqual(64);
  });
});

describe('an invalid image is a 400, and the runner survives', () => {
  const bomb = encodePng({ width: 16, height: 16, data: deflateSync(Buffer.alloc(50_000_000)) });
  test.each([
    ['broken base64', `${circle.slice(0, 50)}!`, 'illegal base64 data at input byte 50'],
    ['not an image', Buffer.from('hello, world').toString('base64'), 'image 1: '],
    ['a WebP without an image', Buffer.from('RIFF\0\0\0\0WEBPVP8 ').toString('base64'), 'image 1: '],
    ['a truncated image', circle.slice(0, 200), 'image 1: '],
    ['a decompression bomb', bomb.toString('base64'), 'image 1: '],
    [
      'an image with huge declared dimensions',
      encodePng({ width: 1e5, height: 1e5, data: deflateSync('') }).toString('base64'),
      'image 1: ',
    ],
  ])('%s', async (_, image, message) => {
    await chat(url, { ...imageEncoder, messages: [] });
    const runners = server.runners();
    const { status, objects } = await postChat(url, looking(image));
    expect(status).toBe(400);
    expect(objects[0]?.error).toContain(message);
    expect(server.runners()).toEqual(runners);
  });

  test('images for a model without vision', async () => {
    const { status, objects } = await postChat(url, { ...looking(circle), model: 'ember' });
    expect([status, objects[0]?.error]).toEqual([400, '"ember" does not support images']);
    const generated = await post(url, '/api/generate', { model: 'ember', prompt: question, images: [circle] });
    expect([generated.status, generated.objects[0]?.error]).toEqual([400, '"ember" does not support images']);
  });
});
