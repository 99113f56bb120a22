import { expect, test } from 'vitest';
import { childEnvironment, packageEnvironment } from './child-environment.ts';

const environment = {
  PATH: '/bin',
  HOME: '/home/a',
  HEARTH_REGISTRY_CREDENTIALS: 'secret',
  AWS_SECRET_ACCESS_KEY: 'secret',
  HTTPS_PROXY: 'http://user:secret@proxy',
  NODE_OPTIONS: '--inspect',
  LD_PRELOAD: '/tmp/x.so',
  LD_LIBRARY_PATH: '/opt/cuda/lib64',
  CUDA_VISIBLE_DEVICES: '0',
  VK_ICD_FILENAMES: '/etc/vulkan/icd.d/x.json',
  TZ: 'UTC',
};

test('only what drivers need', () => {
  expect(childEnvironment(environment, 'linux')).toEqual({
    LD_LIBRARY_PATH: '/opt/cuda/lib64',
    CUDA_VISIBLE_DEVICES: '0',
    VK_ICD_FILENAMES: '/etc/vulkan/icd.d/x.json',
    TZ: 'UTC',
  });
});

test('Windows finds libraries through Path', () => {
  expect(childEnvironment({ Path: 'C:', USERPROFILE: 'x' }, 'win32')).toEqual({ Path: 'C:' });
});

test('pip and npm get everything but the settings of this program', () => {
  const variables = { HOME: '/home/a', PIP_INDEX_URL: 'x', HEARTH_REGISTRY_CREDENTIALS: 'secret', OLLAMA_HOST: 'x' };
  expect(packageEnvironment(variables)).toEqual({ HOME: '/home/a', PIP_INDEX_URL: 'x' });
});
