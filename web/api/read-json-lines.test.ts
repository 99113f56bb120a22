import { expect, test } from 'vitest';
import { readLines } from './read-json-lines.ts';

function streamOf(chunks: readonly Uint8Array[], onCancel: () => void = () => {}): ReadableStream<Uint8Array> {
  const left = [...chunks];
  return new ReadableStream({
    pull(controller) {
      const chunk = left.shift();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
    cancel: onCancel,
  });
}

async function all(lines: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const line of lines) found.push(line);
  return found;
}

test('a line or a character may span several chunks', async () => {
  const bytes = new TextEncoder().encode('{"a":"ü€😀"}\n\n{"b":1}\nlast');
  for (const size of [1, 2, 3, 7, 100]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.slice(index * size, (index + 1) * size),
    );
    expect(await all(readLines(streamOf(chunks)))).toEqual(['{"a":"ü€😀"}', '{"b":1}', 'last']);
  }
});

test('a reader that stops early cancels the stream', async () => {
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('x\n')),
    cancel() {
      isCancelled = true;
    },
  });
  for await (const line of readLines(endless)) {
    expect(line).toBe('x');
    break;
  }
  expect(isCancelled).toBe(true);
});
