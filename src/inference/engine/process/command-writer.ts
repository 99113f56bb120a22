// Writes commands to the pipe of a runner. A command is encoded when the pipe has room for it, so that waiting commands
// take no memory of their own, and a frame is written in pieces, so that it is copied a piece at a time.

import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { HearthError } from '../../../base/errors.ts';
import { encodeFrame } from '../../protocol/frames.ts';
import type { RunnerCommand } from '../../protocol/messages.ts';

interface CommandWriterOptions {
  /** Characters of all waiting commands. The first is always accepted. */
  readonly maxWaiting?: number;
  /** Called when the runner has read something. */
  readonly onProgress?: () => void;
}

const defaultMaxWaiting = 512 * 2 ** 20;
const pieceLength = 2 ** 18;

export function createCommandWriter(
  pipe: Writable,
  { maxWaiting = defaultMaxWaiting, onProgress = () => {} }: CommandWriterOptions = {},
) {
  let waiting: RunnerCommand[] = [];
  let waitingLength = 0;
  let writing = false;
  let closed = false;

  const take = (): RunnerCommand | undefined => {
    const command = waiting.shift();
    if (command) waitingLength -= lengthOf(command);
    return command;
  };

  async function writeFrame(frame: string): Promise<void> {
    for (let start = 0; start < frame.length && !closed; ) {
      const end = endOfPiece(frame, start);
      const hasRoom = pipe.write(frame.slice(start, end));
      start = end;
      if (hasRoom) continue;
      await once(pipe, 'drain');
      onProgress();
    }
  }

  async function writeAll(): Promise<void> {
    writing = true;
    try {
      for (let command = take(); command && !closed; command = take()) await writeFrame(encodeFrame(command));
    } catch {
      // The pipe broke. The exit of the runner settles its requests.
    } finally {
      writing = false;
    }
  }

  return {
    /** Throws `busy` if too much waits. Cancellations and pings precede waiting commands. */
    write(command: RunnerCommand): void {
      if (closed) return;
      const length = lengthOf(command);
      if (waiting.length > 0 && waitingLength + length > maxWaiting)
        throw new HearthError('busy', 'server busy, please try again. too much text is waiting for the model');
      waitingLength += length;
      if (command.type === 'cancel' || command.type === 'ping') waiting.unshift(command);
      else waiting.push(command);
      if (!writing) void writeAll();
    },
    /** Removes the waiting command with this id. False if the runner has it already. */
    withdraw(id: number): boolean {
      const index = waiting.findIndex((command) => 'id' in command && command.id === id && command.type !== 'cancel');
      if (index === -1) return false;
      waitingLength -= lengthOf(waiting[index] as RunnerCommand);
      waiting.splice(index, 1);
      return true;
    },
    /** Drops everything that waits. Nothing is written after it. */
    close(): void {
      closed = true;
      waiting = [];
    },
  };
}

// Must not separate the two halves of a character outside the basic plane.
function endOfPiece(frame: string, start: number): number {
  const end = Math.min(start + pieceLength, frame.length);
  const last = frame.charCodeAt(end - 1);
  return end < frame.length && last >= 0xd800 && last < 0xdc00 ? end - 1 : end;
}

function lengthOf(command: RunnerCommand): number {
  switch (command.type) {
    case 'generate':
      return sum([command.prompt ?? '', command.grammar ?? '', ...(command.images ?? []), command.context ?? []]);
    case 'embed':
      return sum(command.texts);
    case 'rank':
      return sum([command.query ?? '', command.instruction ?? '', ...command.documents]);
    case 'count':
    case 'tokenize':
      return command.text.length;
    case 'detokenize':
      return command.tokens.length;
    default:
      return 0;
  }
}

function sum(parts: readonly { readonly length: number }[]): number {
  return parts.reduce((total, { length }) => total + length, 0);
}
