// The version that /api/version reports is the one that the interop suite runs beside.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settingTable } from '../../src/settings/setting-table.ts';

test.each([
  ['the command', '../../scripts/test-interop.mjs', /ollamaVersions = \['v([\d.]+)'/],
  ['the Go client', '../interop/go/go.mod', /github\.com\/ollama\/ollama v([\d.]+)/],
])('%s', (_, file, pattern) => {
  const [, version] = pattern.exec(readFileSync(new URL(file, import.meta.url), 'utf8')) ?? [];
  expect(settingTable.apiVersion.default).toBe(version);
});
