// The configuration of pip on this machine, for a server under test that has a home folder of its own.

import { homedir } from 'node:os';
import { join } from 'node:path';

const names = /^(?:PIP_\w+|\w+_PROXY|SSL_CERT_\w+|REQUESTS_CA_BUNDLE)$/i;

export function pipEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name]) => names.test(name));
  return {
    XDG_CONFIG_HOME: join(homedir(), '.config'),
    ...(Object.fromEntries(entries) as Record<string, string>),
  };
}
