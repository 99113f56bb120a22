// A feature is a folder that can be deleted together with its line in features.ts. Its file feature.ts exports one object
// of rows, which the command line and the server list. It imports its work only when a row is used.

import type { CommandSpec } from '../cli/command.ts';
import type { RouteParts } from '../server/compose/list-routes.ts';
import type { Route } from '../server/http/route.ts';
import type { Check } from './check.ts';

export interface Feature {
  readonly commands?: readonly CommandSpec[];
  /** Checks of `hearth doctor`. */
  readonly checks?: () => Promise<readonly Check[]>;
  readonly routes?: () => Promise<(parts: RouteParts) => readonly Route[]>;
}
