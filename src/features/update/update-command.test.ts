import { expect, test } from 'vitest';
import { updateCommand } from './update-command.ts';

const installation = { name: 'hearth-server', isRepository: false, newest: '2.0.0', platform: 'linux-x64' };

test.each([
  ['/usr/lib/node_modules/hearth-server', 'npm install -g hearth-server@latest'],
  ['/home/anna/.nvm/versions/node/v20.20.2/lib/node_modules/hearth-server', 'npm install -g hearth-server@latest'],
  ['C:\\Users\\anna\\AppData\\Roaming\\npm\\node_modules\\hearth-server', 'npm install -g hearth-server@latest'],
  ['/home/anna/.npm/_npx/0123abcd/node_modules/hearth-server', 'npx hearth-server@latest'],
  ['/home/anna/.local/share/pnpm/global/5/node_modules/hearth-server', 'pnpm add -g hearth-server@latest'],
  ['/home/anna/.bun/install/global/node_modules/hearth-server', 'bun add -g hearth-server@latest'],
  ['/home/anna/project/node_modules/hearth-server', 'npm install hearth-server@latest'],
  ['/home/anna/.local/share/hearth/1.0.0-linux-x64/lib/hearth', 'sh install.sh hearth-2.0.0-linux-x64.tar.gz'],
  ['/opt/hearth', 'install version 2.0.0 in the same way as this one'],
])('%s: %s', (packageFolder, command) => {
  expect(updateCommand({ ...installation, packageFolder })).toBe(command);
});

test('a clone of the repository is updated with git', () => {
  expect(updateCommand({ ...installation, packageFolder: '/src/hearth', isRepository: true })).toBe(
    'git -C /src/hearth pull && npm --prefix /src/hearth run build',
  );
});
