import { expect, test } from 'vitest';
import { commandNotes } from './command-notes.ts';

test.each([
  [['/usr/bin/node', '/usr/bin/hearth'], undefined],
  [
    ['/home/anna/.nvm/versions/node/v20.20.2/bin/node', '/usr/bin/hearth'],
    /contains a version. After an update of Node or Hearth/,
  ],
  [['/opt/homebrew/Cellar/node/24.1.0/bin/node', '/opt/homebrew/bin/hearth'], /contains a version/],
  [['/home/anna/.local/share/hearth/0.1.0-linux-x64/lib/node', '/h'], /contains a version/],
  [['/usr/bin/node', '/home/anna/.npm/_npx/0123/node_modules/.bin/hearth'], /cache of npx/],
] as const)('%o', (command, note) => {
  expect(commandNotes(command)).toEqual(note === undefined ? [] : [expect.stringMatching(note)]);
});
