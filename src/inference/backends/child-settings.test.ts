import { expect, test } from 'vitest';
import { childSettingsFor } from './child-settings.ts';

const settings = { launcher: '/package/launch.js', environment: { LANG: 'C' } };

test('a process that loads CUDA has no sandbox, with the same environment', () => {
  expect(childSettingsFor(settings, ['/backends/cuda/libggml-cuda.so'])).toEqual({ environment: settings.environment });
});

test.each([[[]], [['/backends/vulkan/libggml-vulkan.so']], [['/libggml-cuda/libggml-hip.so']]])(
  'a process that loads %j has it',
  (libraries) => {
    expect(childSettingsFor(settings, libraries)).toEqual(settings);
  },
);
