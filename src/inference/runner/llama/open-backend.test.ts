import { expect, test } from 'vitest';
import { bindLlama } from './bindings/v0-4-0.ts';
import { findBackend } from './find-backend.ts';
import { type CheckedFunctions, checkBackend } from './open-backend.ts';

const real: CheckedFunctions = bindLlama(findBackend('cpu'));

test('the installed build matches the structs', () => {
  expect(() => checkBackend(real, 'installed')).not.toThrow();
});

test('another version is rejected, with both versions named', () => {
  expect(() => checkBackend({ ...real, version: () => '0.9.9' }, 'some-package')).toThrow(
    'the llama.cpp build some-package does not match: it is version 0.9.9, but Hearth requires 0.4.0-dev',
  );
});

test.each([
  ['llama_model_params.load_mode', { modelDefaultParams: () => ({ ...real.modelDefaultParams(), load_mode: 5 }) }],
  ['llama_context_params.n_ctx', { contextDefaultParams: () => ({ ...real.contextDefaultParams(), n_ctx: 0 }) }],
  [
    'llama_context_params.kv_unified',
    { contextDefaultParams: () => ({ ...real.contextDefaultParams(), kv_unified: true }) },
  ],
  [
    'llama_model_quantize_params.ftype',
    { quantizeDefaultParams: () => ({ ...real.quantizeDefaultParams(), ftype: 9 }) },
  ],
])('an unexpected default value is rejected: %s', (name, changed) => {
  expect(() => checkBackend({ ...real, ...changed }, 'x')).toThrow(name);
});
