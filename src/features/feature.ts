// A feature is a folder that can be deleted together with its line in features.ts. Its file feature.ts exports one object
// of rows, which the command line lists; what it adds to the server is in its server.ts (server/server-feature.ts). It imports its work only when a row is used.

import type { CommandSpec } from '../cli/command.ts';
import type { Check } from './check.ts';

export interface Feature {
  readonly commands?: readonly CommandSpec[];
  /** Checks of `hearth doctor`. */
  readonly checks?: () => Promise<readonly Check[]>;
}
