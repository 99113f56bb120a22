import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadSettings, loadUsableSettings } from './load-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function configFile(text: string): string {
  const path = join(folder, `${Math.random()}.toml`);
  writeFileSync(path, text);
  return path;
}

const none = configFile('');

describe('sources of settings', () => {
  test('defaults apply without any source', () => {
    const settings = loadSettings({ environment: {}, flags: {}, configFile: none });
    expect(settings.host).toEqual({ host: '127.0.0.1', port: 11434 });
    expect(settings.models).toBe(join(homedir(), '.hearth', 'models'));
    expect(settings.keepAlive).toBe(300_000);
    expect(settings.origins).toEqual([]);
  });

  test('a flag wins over HEARTH_, HEARTH_ over OLLAMA_, OLLAMA_ over the file', () => {
    const environment = { OLLAMA_KEEP_ALIVE: '2m' };
    const keepAlive = (sources: Partial<Parameters<typeof loadSettings>[0]>) =>
      loadSettings({ environment, flags: {}, configFile: none, ...sources }).keepAlive / 60_000;
    const both = { ...environment, HEARTH_KEEP_ALIVE: '3m' };
    const file = configFile('keep_alive = "1m"');
    expect(keepAlive({ environment: {}, configFile: file })).toBe(1);
    expect(keepAlive({ configFile: file })).toBe(2);
    expect(keepAlive({ environment: both, configFile: file })).toBe(3);
    expect(keepAlive({ environment: both, configFile: file, flags: { keepAlive: '4m' } })).toBe(4);
  });

  test('a table of the file with lists is the same as the text of a variable', () => {
    const aliasesOf = (text: string) =>
      loadSettings({ environment: {}, flags: {}, configFile: configFile(text) }).modelAliases;
    const file = aliasesOf('[model_aliases]\nfast = ["qwen3:4b", "gpu/qwen3:4b"]\ntrial = ["a*9", "b*1"]\n');
    expect(file).toEqual(aliasesOf('model_aliases = "fast=qwen3:4b,gpu/qwen3:4b;trial=a*9,b*1"'));
    expect([...file.keys()]).toEqual(['fast', 'trial']);
    expect(() => aliasesOf('[model_aliases]\nfast = 2026-11-18T18:00:00Z\n')).toThrow('model_aliases in');
    expect(() => aliasesOf('model_aliases = 2026-11-18T18:00:00Z\n')).toThrow('model_aliases in');
  });

  test('older names of renamed settings still work, but the new names win', () => {
    const registry = (environment: Record<string, string>, file = none) =>
      loadSettings({ environment, flags: {}, configFile: file }).registry;
    expect(registry({ HEARTH_LIBRARY: 'a.example' })).toBe('a.example');
    expect(registry({ HEARTH_LIBRARY: 'a.example', HEARTH_REGISTRY: 'b.example' })).toBe('b.example');
    expect(registry({}, configFile('library = "c.example"'))).toBe('c.example');
    const backend = (environment: Record<string, string>) =>
      loadSettings({ environment, flags: {}, configFile: none }).backend;
    expect(backend({ OLLAMA_LLM_LIBRARY: 'cpu' })).toBe('cpu');
    expect(backend({ HEARTH_LLM_LIBRARY: 'vulkan', OLLAMA_LLM_LIBRARY: 'cpu' })).toBe('vulkan');
    expect(backend({ HEARTH_BACKEND: 'cuda', HEARTH_LLM_LIBRARY: 'vulkan' })).toBe('cuda');
  });

  test('variables that many programs share have the lowest precedence, and are ignored if they are not usable', () => {
    const proxy = (environment: Record<string, string>) =>
      loadSettings({ environment, flags: {}, configFile: none }).httpsProxy;
    expect(proxy({ https_proxy: 'a.example:1' })).toBe('http://a.example:1');
    expect(proxy({ HTTPS_PROXY: 'http://b.example', HEARTH_HTTPS_PROXY: 'http://c.example' })).toBe('http://c.example');
    expect(proxy({ HTTPS_PROXY: 'socks5://d.example' })).toBe('');
    expect(() => proxy({ HEARTH_HTTPS_PROXY: 'socks5://d.example' })).toThrow('HEARTH_HTTPS_PROXY is "socks5');
  });

  test('an invalid OLLAMA_ value is reported, and the next source applies', () => {
    const warnings: string[] = [];
    const load = (environment: Record<string, string>, file = none) =>
      loadSettings({ environment, flags: {}, configFile: file, onWarning: (message) => void warnings.push(message) });
    expect(load({ OLLAMA_NUM_PARALLEL: 'two' }).numParallel).toBe(0);
    expect(load({ OLLAMA_KEEP_ALIVE: 'soon' }, configFile('keep_alive = "1m"')).keepAlive).toBe(60_000);
    expect(load({ OLLAMA_HOST: 'a:b', HEARTH_HOST: 'c' }).host).toMatchObject({ host: 'c' });
    expect(warnings).toEqual([
      'OLLAMA_NUM_PARALLEL is "two" and is ignored: it must be a non-negative integer.',
      expect.stringMatching(/^OLLAMA_KEEP_ALIVE is "soon" and is ignored: it must be a duration/),
    ]);
  });

  test('an OLLAMA_ variable that Ollama does not have is ignored', () => {
    expect(() =>
      loadSettings({ environment: { OLLAMA_MAX_BODY: 'nonsense' }, flags: {}, configFile: none }),
    ).not.toThrow();
  });

  test('the file can be named by HEARTH_CONFIG, and holds numbers, booleans and lists', () => {
    const file = configFile('debug = true\nmax_queue = 7\norigins = ["http://a", "http://b"]');
    const settings = loadSettings({ environment: { HEARTH_CONFIG: file }, flags: {} });
    expect(settings).toMatchObject({ debug: true, maxQueue: 7, origins: ['http://a', 'http://b'] });
  });

  test('quotes and spaces around a value and empty variables are ignored', () => {
    const environment = { HEARTH_HOST: ' "0.0.0.0:1" ', HEARTH_KEEP_ALIVE: '', OLLAMA_KEEP_ALIVE: '7m' };
    const settings = loadSettings({ environment, flags: {}, configFile: none });
    expect(settings.host).toEqual({ host: '0.0.0.0', port: 1 });
    expect(settings.keepAlive).toBe(420_000);
  });
});

describe('an invalid value is rejected with an error that names its source', () => {
  test.each([
    [{ HEARTH_HOST: 'a:b' }, 'HEARTH_HOST is "a:b", but must be an address'],
    [{ HEARTH_KEEP_ALIVE: 'soon' }, 'HEARTH_KEEP_ALIVE is "soon", but must be a duration'],
    [{ HEARTH_NUM_PARALLEL: 'two' }, 'HEARTH_NUM_PARALLEL is "two", but must be a non-negative integer'],
    [{ HEARTH_DEBUG: 'perhaps' }, 'HEARTH_DEBUG is "perhaps", but must be true or false'],
  ])('%j', (environment, message) => {
    expect(() => loadSettings({ environment, flags: {}, configFile: none })).toThrow(message);
  });

  test('the error does not show a secret', () => {
    const environment = { HEARTH_REGISTRY_CREDENTIALS: 'my-password' };
    const load = () => loadSettings({ environment, flags: {}, configFile: none });
    expect(load).toThrow('HEARTH_REGISTRY_CREDENTIALS is invalid; it must be a comma-separated list');
    expect(load).not.toThrow('my-password');
  });

  test('in a flag', () => {
    expect(() => loadSettings({ environment: {}, flags: { maxQueue: '-1' }, configFile: none })).toThrow(
      '--max-queue is "-1"',
    );
  });

  test('in the file, with its path; also an unknown key, a malformed file and a missing file', () => {
    const load = (file: string) => () => loadSettings({ environment: {}, flags: {}, configFile: file });
    const bad = configFile('max_queue = "x"');
    expect(load(bad)).toThrow(`max_queue in ${bad} is "x"`);
    expect(load(configFile('color = "red"'))).toThrow(/unknown setting "color"$/);
    expect(load(configFile('keepalive = "5m"'))).toThrow('unknown setting "keepalive". Did you mean "keep_alive"?');
    expect(load(configFile('host = ['))).toThrow('line 1');
    expect(load(join(folder, 'missing.toml'))).toThrow('missing.toml');
  });
});

describe('settings for a diagnosis', () => {
  test('a value that is invalid has its default, and the others are read', () => {
    const environment = { HEARTH_KEEP_ALIVE: 'soon', HEARTH_MAX_QUEUE: '7' };
    const { settings, problems } = loadUsableSettings({ environment, flags: {}, configFile: none });
    expect([settings.keepAlive, settings.maxQueue]).toEqual([300_000, 7]);
    expect(problems).toEqual([expect.stringMatching(/^HEARTH_KEEP_ALIVE is "soon", but must be a duration/)]);
  });

  test('a file that is invalid is told once, and variables are read', () => {
    const environment = { HEARTH_MAX_QUEUE: '7' };
    const { settings, problems } = loadUsableSettings({
      environment,
      flags: {},
      configFile: configFile('unknown = 1'),
    });
    expect([settings.maxQueue, problems.length]).toEqual([7, 1]);
    expect(problems[0]).toContain('unknown setting "unknown"');
  });
});

test('a variable with almost the name of a setting is reported', () => {
  const warnings: string[] = [];
  const environment = { HEARTH_KEEPALIVE: '5m', HEARTH_API_KEY: 'x', HEARTH_TEST_RUN: '1', HEARTH_DEBUG: '1' };
  loadSettings({ environment, flags: {}, configFile: configFile(''), onWarning: (text) => warnings.push(text) });
  expect(warnings).toEqual(['HEARTH_KEEPALIVE is not a setting and is ignored. Did you mean HEARTH_KEEP_ALIVE?']);
});
