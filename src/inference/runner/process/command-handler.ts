// Handles the commands of the server: loads the model, then passes requests to its worker.

import { messageOf } from '../../../base/errors.ts';
import type { LoadCommand, RunnerCommand, RunnerEvent } from '../../protocol/messages.ts';
import type { loadModel } from './load-model.ts';
import { createWorker, type Worker } from './worker.ts';

interface CommandHandlerOptions {
  readonly write: (event: RunnerEvent) => void;
  readonly loadModel: typeof loadModel;
}

export function createCommandHandler({ write, loadModel }: CommandHandlerOptions) {
  let worker: Worker | undefined;

  const load = async (command: LoadCommand): Promise<void> => {
    try {
      const model = await loadModel(command, {
        onOpened: () => write({ type: 'opened' }),
        onWarming: (devices) => write({ type: 'warming', devices }),
        onMemory(memory) {
          // Zero: the log has no buffers. The server then keeps its estimate.
          if (memory.totalBytes > 0) write({ type: 'memory', ...memory });
        },
      });
      worker = createWorker(model, { ...command, write });
      write({ type: 'loaded', ...model.info });
    } catch (error) {
      write({ type: 'load-failed', message: messageOf(error) });
    }
  };

  const handle = (command: RunnerCommand): void => {
    switch (command.type) {
      case 'load':
        void load(command);
        return;
      case 'generate':
        worker?.generate(command);
        return;
      case 'count':
        worker?.count(command);
        return;
      case 'tokenize':
        worker?.tokenize(command);
        return;
      case 'detokenize':
        worker?.detokenize(command);
        return;
      case 'embed':
        worker?.embed(command);
        return;
      case 'rank':
        worker?.rank(command);
        return;
      case 'limit-prefixes':
        worker?.limitPrefixes(command.maxBytes);
        return;
      case 'cancel':
        worker?.cancel(command.id);
        return;
      case 'ping':
        write({ type: 'pong' });
        return;
    }
  };

  return {
    /** Requests before `loaded` are ignored: the server sends none. */
    handle,
    /** Finishes what must not be lost with the process. */
    close: async (): Promise<void> => worker?.close(),
  };
}
