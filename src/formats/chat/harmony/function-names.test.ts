import { expect, test } from 'vitest';
import { FunctionNames } from './function-names.ts';

test.each([
  ['get_weather', 'get_weather'],
  ['get weather', 'get_weather'],
  ['mcp-server.get-weather', 'mcp_server_get_weather'],
  ['wetter/für@morgen', 'wetterfürmorgen'],
  ['3d', '_3d'],
  ['@@', 'unnamed'],
  ['browser.search', 'browser.search'],
  ['$f', '$f'],
])('%s is %s in the prompt', (name, expected) => {
  const names = new FunctionNames([name]);
  expect(names.toModel(name)).toBe(expected);
  expect(names.fromModel(expected)).toBe(name);
});

test('names that would be the same get numbers', () => {
  const names = new FunctionNames(['f', 'f!', 'f?', 'f']);
  expect(['f', 'f!', 'f?'].map((name) => names.toModel(name))).toEqual(['f', 'f_2', 'f_3']);
  expect(['f', 'f_2', 'f_3', 'g'].map((name) => names.fromModel(name))).toEqual(['f', 'f!', 'f?', 'g']);
});
