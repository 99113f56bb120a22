import { expect, test } from 'vitest';
import { judgeSettings } from './settings.ts';

test('names of variables are shown', () => {
  expect(judgeSettings({ problems: [], warnings: [], given: [] })).toMatchObject([
    { status: 'ok', text: 'no variables are set' },
  ]);
  expect(judgeSettings({ problems: [], warnings: [], given: ['HEARTH_HOST', 'HTTPS_PROXY'] })).toMatchObject([
    { status: 'ok', text: 'set by variables: HEARTH_HOST, HTTPS_PROXY' },
  ]);
});

test('an invalid value is a problem, an ignored one a warning', () => {
  const findings = judgeSettings({ problems: ['HEARTH_HOST is bad'], warnings: ['OLLAMA_X is ignored'], given: [] });
  expect(findings.map(({ status }) => status)).toEqual(['problem', 'warning', 'ok']);
});
