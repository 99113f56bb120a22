import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { randomWhisper } from '../../../test/support/speech/random-whisper.ts';
import { readWhisper, startsAsWhisper } from './read-whisper.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-whisper-'));
afterAll(() => rmSync(folder, { recursive: true }));
const whole = randomWhisper();

async function read(bytes: Buffer) {
  const path = join(folder, 'model.bin');
  writeFileSync(path, bytes);
  const handle = await open(path);
  try {
    return await readWhisper({ handle, size: bytes.length });
  } finally {
    await handle.close();
  }
}

function changed(offset: number, value: number): Buffer {
  const bytes = Buffer.from(whole);
  bytes.writeInt32LE(value, offset);
  return bytes;
}

test('a file tells its size, its type and whether it knows several languages', async () => {
  expect(startsAsWhisper(whole)).toBe(true);
  const { isMultilingual, parameters, quantization } = await read(whole);
  expect([isMultilingual, quantization]).toEqual([true, 'F16']);
  expect(parameters).toBeGreaterThan(51_865 * 32);
});

const firstTensor = whole.indexOf('encoder.positional_embedding') - 20;

test.each<readonly [name: string, bytes: Buffer, reason: string]>([
  ['of another format', Buffer.from(`GGUF${'\0'.repeat(200)}`), 'another format'],
  ['that ends in its header', whole.subarray(0, 30), 'ends too early'],
  ['that ends in its vocabulary', whole.subarray(0, 70_000), 'ends too early'],
  ['that ends in a tensor', whole.subarray(0, -3), 'ends too early'],
  ['with a huge vocabulary', changed(4, 2 ** 30), 'vocabulary is 1073741824'],
  ['with a negative width', changed(12, -32), 'width is -32'],
  ['with no layers', changed(20, 0), 'number of layers is 0'],
  ['with F32 weights', changed(44, 0), 'convert them to F16'],
  ['with other filters', changed(48, 2 ** 29), 'filters have another size'],
  ['with a tensor of many dimensions', changed(firstTensor, 100), 'no valid description'],
  ['with a tensor without a name', changed(firstTensor + 4, 0), 'no valid description'],
  ['with a tensor of an unknown type', changed(firstTensor + 8, 99), 'no valid description'],
  ['with a tensor of negative size', changed(firstTensor + 12, -1), 'no valid size'],
])('a file %s is refused', async (_name, bytes, reason) => {
  const message = expect.stringContaining(reason);
  await expect(read(bytes)).rejects.toMatchObject({ code: 'bad_request', message });
});
