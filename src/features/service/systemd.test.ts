import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseUnit } from '../../../test/support/parse-unit.ts';
import { repository } from '../../../test/support/repository.ts';
import { renderUnit } from './systemd.ts';

const template = readFileSync(repository('deploy/hearth.service'), 'utf8');

const command = ['/usr/bin/node', '/usr/bin/hearth', 'serve'];

test('a service of a user', () => {
  const unit = parseUnit(renderUnit(template, { command, environmentFile: '/home/anna/.hearth/service.env' }));
  expect(unit).toEqual({
    Unit: { Description: ['Hearth, a local model server'] },
    Service: {
      ExecStart: ['/usr/bin/node /usr/bin/hearth serve'],
      EnvironmentFile: ['-/home/anna/.hearth/service.env'],
      Restart: ['on-failure'],
      RestartSec: ['3'],
      KillMode: ['mixed'],
      TimeoutStopSec: ['60'],
      LimitNOFILE: ['65536'],
      NoNewPrivileges: ['yes'],
    },
    Install: { WantedBy: ['default.target'] },
  });
});

test('a service of the system means the same as the unit in deploy/', () => {
  const system = { user: 'hearth', gpuGroups: ['video', 'render'], readsHome: false };
  const unit = parseUnit(renderUnit(template, { command, environmentFile: '/etc/hearth/hearth.env', system }));
  const deployed = parseUnit(template);
  expect(unit['Service']?.['SupplementaryGroups']).toEqual(['video render']);
  expect(unit).toEqual({
    ...deployed,
    Service: {
      ...deployed['Service'],
      ExecStart: ['/usr/bin/node /usr/bin/hearth serve'],
      SupplementaryGroups: ['video render'],
    },
  });
});

test('without groups there is no such line, and a program in a home folder can be read', () => {
  const system = { user: 'anna', gpuGroups: [], readsHome: true };
  const { Service } = parseUnit(renderUnit(template, { command, environmentFile: '/e', system }));
  expect(Service).toMatchObject({ User: ['anna'], ProtectHome: ['read-only'] });
  expect(Service).not.toHaveProperty('SupplementaryGroups');
});

test('systemd replaces nothing in paths', () => {
  const strange = ['/opt/my node/100%/$HOME/"n"', '/b\\c'];
  const { Service } = parseUnit(renderUnit(template, { command: strange, environmentFile: '/50%/env' }));
  expect(Service).toMatchObject({
    ExecStart: ['"/opt/my node/100%%/$$HOME/\\"n\\"" "/b\\\\c"'],
    EnvironmentFile: ['-/50%%/env'],
  });
});
