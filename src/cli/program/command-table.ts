// All commands, in the order of the help text.

import type { CommandSpec } from '../command.ts';
import { benchCommand } from '../commands/bench.ts';
import { completeCommand, completionCommand } from '../commands/completion.ts';
import { copyCommand } from '../commands/copy.ts';
import { createCommand } from '../commands/create.ts';
import { listCommand } from '../commands/list.ts';
import { psCommand } from '../commands/ps.ts';
import { publicKeyCommand } from '../commands/public-key.ts';
import { pullCommand } from '../commands/pull.ts';
import { pushCommand } from '../commands/push.ts';
import { removeCommand } from '../commands/remove.ts';
import { showCommand } from '../commands/show.ts';
import { stopCommand } from '../commands/stop.ts';
import { verifyCommand } from '../commands/verify.ts';
import { runModelCommand } from '../run/run-command.ts';
import { serveCommand } from '../serve/serve-command.ts';

/** `features`: the commands of features. */
export function createCommandTable(features: readonly CommandSpec[]): readonly CommandSpec[] {
  return [
    serveCommand,
    runModelCommand,
    createCommand,
    showCommand,
    listCommand,
    psCommand,
    pullCommand,
    pushCommand,
    copyCommand,
    removeCommand,
    stopCommand,
    verifyCommand,
    publicKeyCommand,
    ...features,
    benchCommand,
    completionCommand,
    completeCommand,
  ];
}
