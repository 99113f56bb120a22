// The settings of state that several servers share.

import { flag, optionalPath } from '../../base/config/kinds.ts';
import { setting } from '../../base/config/setting.ts';
import { stateAddress } from '../../base/config/state-address.ts';

export const postgresStateSettings = {
  state: setting(stateAddress, {
    default: '',
    ollama: false,
    help: 'PostgreSQL database that several servers share their state in, such as postgres://hearth@db.example/hearth; empty = files on this machine.',
  }),
  statePasswordFile: setting(optionalPath, {
    default: '',
    ollama: false,
    help: 'The file with the password for that database, if the address has none.',
  }),
  stateOptional: setting(flag, {
    default: 'false',
    ollama: false,
    help: 'While that database cannot be reached, serve requests with the keys that are known, without quotas; otherwise they get status 503.',
  }),
};
