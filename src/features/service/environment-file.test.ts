import { expect, test } from 'vitest';
import { carriedVariables, mergeEnvironmentFile } from './environment-file.ts';

test('settings of the server and of GPU drivers are carried over, and nothing else', () => {
  const environment = {
    HEARTH_KEEP_ALIVE: '1h',
    OLLAMA_HOST: '0.0.0.0',
    HTTPS_PROXY: 'http://proxy.example:3128',
    CUDA_VISIBLE_DEVICES: '0',
    HEARTH_CONFIG: '/etc/hearth.toml',
    HEARTH_API_KEY: 'key-of-a-client',
    HEARTH_DEBUG: '',
    HEARTH_NO_PROXY: 'a\nHEARTH_HOST=0.0.0.0',
    LANG: 'C',
    PATH: '/bin',
  };
  expect(carriedVariables(environment)).toEqual({
    HEARTH_KEEP_ALIVE: '1h',
    OLLAMA_HOST: '0.0.0.0',
    HTTPS_PROXY: 'http://proxy.example:3128',
    CUDA_VISIBLE_DEVICES: '0',
    HEARTH_CONFIG: '/etc/hearth.toml',
  });
});

test('a relative path becomes absolute: the service starts in another folder', () => {
  const { HEARTH_MODELS } = carriedVariables({ HEARTH_MODELS: 'models' });
  expect(HEARTH_MODELS).toBe(`${process.cwd()}/models`);
});

test('a new file has its head; a second merge changes nothing', () => {
  const variables = { HEARTH_KEEP_ALIVE: '1h', HEARTH_ORIGINS: 'a "b" $c `d` \\e' };
  const text = mergeEnvironmentFile('', variables);
  expect(text).toMatch(/^# Settings of the Hearth service/);
  expect(text.split('\n').slice(-3)).toEqual([
    'HEARTH_KEEP_ALIVE=1h',
    'HEARTH_ORIGINS="a \\"b\\" \\$c \\`d\\` \\\\e"',
    '',
  ]);
  expect(mergeEnvironmentFile(text, variables)).toBe(text);
});

test('lines of the user stay, and a variable that is set now is replaced', () => {
  const former = '# mine\nHEARTH_DEBUG=1\n\nHEARTH_KEEP_ALIVE=5m\n#HEARTH_HOST=x';
  expect(mergeEnvironmentFile(former, { HEARTH_KEEP_ALIVE: '1h', HEARTH_HOST: '[::1]:1' })).toBe(
    '# mine\nHEARTH_DEBUG=1\n\nHEARTH_KEEP_ALIVE=1h\n#HEARTH_HOST=x\nHEARTH_HOST="[::1]:1"\n',
  );
});
