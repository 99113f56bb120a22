// Models with image encoders are created from safetensors folders, and llama.cpp looks at images with them.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ShowResponseBody } from '../../src/server/dialects/ollama/models/show-schema.ts';
import { writeFiles } from '../support/checkpoints/checkpoints.ts';
import type { Files } from '../support/checkpoints/tokenizers.ts';
import { visionCheckpoints, wholeVisionCheckpoints } from '../support/checkpoints/vision-checkpoints.ts';
import { generate, post } from '../support/client.ts';
import { hearth } from '../support/command.ts';
import { colors, drawPng } from '../support/models/draw.ts';
import { startServer, type TestServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-encoders-'));
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const circle = drawPng({ shape: 'circle', color: colors.red }).toString('base64');
const brief = { num_ctx: 256, num_predict: 2, temperature: 0 };

test.each(wholeVisionCheckpoints)('%s sees', async (model) => {
  const source = join(folder, model);
  writeFiles(source, visionCheckpoints[model]?.() as Files);
  const input = `FROM ${source}\n`;
  expect(await hearth(['create', model, '-f', '-'], { url: server.url, input })).toMatchObject({ code: 0 });
  const { objects } = await post<ShowResponseBody>(server.url, '/api/show', { model });
  expect(objects[0]?.capabilities).toContain('vision');
  const ask = (images: readonly string[]) =>
    generate(server.url, { model, prompt: '[img-0]hello', raw: true, images, options: brief });
  const [seen, blind] = [await ask([circle]), await ask([])];
  expect(seen.eval_count).toBeGreaterThan(0);
  expect(seen.prompt_eval_count).toBeGreaterThan((blind.prompt_eval_count ?? 0) + 1);
});
