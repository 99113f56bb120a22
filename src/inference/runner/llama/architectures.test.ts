import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writeGguf } from '../../../../test/support/models/write-gguf.ts';
import { architecturesVersion, engineArchitectures } from '../../../formats/gguf/engine-architectures.ts';
import { backendVersion } from './bindings/v0-4-0.ts';
import { findBackend } from './find-backend.ts';
import { openBackend } from './open-backend.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-architectures-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the engine knows the architectures that create accepts', () => {
  expect(architecturesVersion).toBe(backendVersion);
  const api = openBackend(findBackend('cpu'));
  const path = join(folder, 'header.gguf');
  const isKnown = (name: string): boolean => {
    writeGguf(path, { 'general.architecture': { type: 'string', value: name } }, []);
    let log = '';
    const add = (text: string): void => {
      log += text;
    };
    expect(
      api.captureLog(add, () => api.modelLoad(path, { ...api.modelDefaultParams(), vocab_only: true })),
    ).toBeNull();
    return !log.includes('unknown model architecture');
  };
  expect([...engineArchitectures].filter((name) => !isKnown(name))).toEqual([]);
  expect(['qwen99', 'gptoss', 'olmo3'].filter(isKnown)).toEqual([]);
});
