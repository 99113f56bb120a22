import { expect, test } from 'vitest';
import { addOptionalValues } from './optional-values.ts';

const commands = [
  {
    name: 'run',
    summary: '',
    examples: [],
    options: [
      { flags: '--think [level]', help: '', valueAfterEquals: true as const },
      { flags: '--debug [boolean]', help: '' },
      { flags: '--format <format>', help: '' },
      { flags: '--verbose', help: '' },
    ],
  },
];

test.each([
  ['run m --think why is', 'run m --think=true why is'],
  ['run m --think=high why', 'run m --think=high why'],
  ['run m --debug true', 'run m --debug true'],
  ['other --think x', 'other --think x'],
  ['run m --format json --verbose', 'run m --format json --verbose'],
  ['run m -- --think', 'run m -- --think'],
])('%s', (typed, expanded) => {
  expect(addOptionalValues(typed.split(' '), commands)).toEqual(expanded.split(' '));
});
