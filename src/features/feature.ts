// A feature is a folder that can be deleted together with its lines in features.ts, server-features.ts and
// settings/setting-table.ts. Its file feature.ts exports one object of rows, which the command line lists; what it adds
// to the server is in its server.ts (server/server-feature.ts), and its settings are in its *-settings.ts. A row imports
// its work when it is used.

import type { CommandSpec } from '../cli/command.ts';
import type { Check } from './check.ts';

export interface Feature {
  readonly commands?: readonly CommandSpec[];
  /** Checks of `hearth doctor`. */
  readonly checks?: () => Promise<readonly Check[]>;
}
