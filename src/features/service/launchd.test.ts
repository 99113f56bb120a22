import { expect, test } from 'vitest';
import { parsePlist } from '../../../test/support/parse-plist.ts';
import { formatLaunchdPlist } from './launchd.ts';

const job = {
  command: ['/opt/a & b/node', '/usr/local/bin/hearth', 'serve'],
  variables: { HEARTH_KEEP_ALIVE: '1h', HEARTH_NO_PROXY: '<local>' },
  logFile: '/Users/anna/Library/Logs/hearth.log',
};

test('a property list has what launchd needs', () => {
  expect(parsePlist(formatLaunchdPlist(job))).toEqual({
    Label: 'hearth-server',
    ProgramArguments: job.command,
    EnvironmentVariables: job.variables,
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    ThrottleInterval: 3,
    ExitTimeOut: 60,
    ProcessType: 'Interactive',
    SoftResourceLimits: { NumberOfFiles: 65_536 },
    StandardOutPath: job.logFile,
    StandardErrorPath: job.logFile,
  });
});

test('a daemon has an account', () => {
  expect(parsePlist(formatLaunchdPlist({ ...job, user: 'anna' }))).toMatchObject({ UserName: 'anna' });
});
