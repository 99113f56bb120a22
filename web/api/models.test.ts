import { expect, test } from 'vitest';
import { toModelEntries } from './models.ts';

const details = {
  parent_model: '',
  format: 'gguf',
  family: 'llama',
  families: ['llama'],
  parameter_size: '42M',
  quantization_level: 'Q4_K_M',
};
const listed = {
  name: 'ember:latest',
  model: 'ember:latest',
  size: 26,
  digest: 'd',
  modified_at: '',
  details: { ...details, context_length: 4096 },
  capabilities: ['completion'],
};

test('a model that is not loaded has its trained context', () => {
  expect(toModelEntries([listed], [])).toEqual([
    {
      name: 'ember:latest',
      size: 26,
      parameterSize: '42M',
      quantization: 'Q4_K_M',
      capabilities: ['completion'],
      state: 'unloaded',
      contextLength: 4096,
    },
  ]);
});

test('a loaded model has the state and the context that it was loaded with', () => {
  const loaded = { ...listed, expires_at: '', size_vram: 0, context_length: 2048, state: 'busy' as const };
  expect(toModelEntries([listed], [loaded])).toMatchObject([{ state: 'busy', contextLength: 2048 }]);
});

test('a model that cannot be read has no capabilities, and no context', () => {
  const { capabilities, ...unreadable } = { ...listed, details };
  const [entry] = toModelEntries([unreadable], []);
  expect(entry).toMatchObject({ capabilities: [] });
  expect(entry).not.toHaveProperty('contextLength');
});
