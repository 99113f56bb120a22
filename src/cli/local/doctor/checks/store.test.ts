import { expect, test } from 'vitest';
import { judgeStore } from './store.ts';

test('a store without defects is ok', () => {
  expect(judgeStore({ models: 0, unreadable: [], incomplete: [] })).toMatchObject([
    { status: 'ok', text: expect.stringContaining('no models yet') },
  ]);
  expect(judgeStore({ models: 3, unreadable: [], incomplete: [] })).toMatchObject([
    { status: 'ok', text: expect.stringContaining('3 models') },
  ]);
});

test('each defect is a problem with its next step', () => {
  const findings = judgeStore({
    models: 2,
    unreadable: [{ path: '/m/bad', reason: 'it is a symbolic link' }],
    incomplete: [
      { model: 'ember', defect: 'missing' },
      { model: 'other', defect: 'wrong size' },
    ],
  });
  expect(findings.map(({ status, text }) => [status, text])).toEqual([
    ['problem', 'the manifest /m/bad cannot be used: it is a symbolic link'],
    ['problem', 'ember: a file of the model is missing'],
    ['problem', 'other: a file of the model has the wrong size'],
  ]);
  expect(findings[1]?.nextStep).toContain('hearth pull ember');
});

test('a list of many defects is short', () => {
  const incomplete = Array.from({ length: 40 }, (_, index) => ({ model: `m${index}`, defect: 'missing' as const }));
  const findings = judgeStore({ models: 40, unreadable: [], incomplete });
  expect(findings).toHaveLength(11);
  expect(findings.at(-1)).toMatchObject({ status: 'problem', text: '30 more defects' });
});
