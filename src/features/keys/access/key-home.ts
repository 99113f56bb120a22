// Where the keys are stored: in a file of this machine, or in the state that several servers share.

import { HearthError, messageOf } from '../../../base/errors.ts';
import { fileVersion } from '../../../base/files/replace-file.ts';
import type { SharedState } from '../../../base/state/shared-state.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { changeKeyFile, type EditKeys, readKeyFile } from './key-file.ts';
import { decodeKeys, encodeKeys, type KeyRecord } from './key-record.ts';

export interface KeyHome {
  /** Undefined if none were ever stored. Throws `bad_key` if they cannot be read. */
  read(): readonly KeyRecord[] | undefined;
  /** Another text after each change. */
  version(): string;
  /** Replaces the keys by the result of `edit`, which sees those that are stored. One change at a time. */
  change<Result>(edit: EditKeys<Result>): Promise<Result>;
}

export function createKeyFileHome(path: string, clock: Clock): KeyHome {
  return {
    read: () => readKeyFile(path),
    version: () => fileVersion(path),
    change: (edit) => changeKeyFile(path, clock, edit),
  };
}

/** `onChange` is called when any server has changed the keys. */
export function createSharedKeyHome(state: Pick<SharedState, 'declareDocument'>, onChange: () => void): KeyHome {
  const document = state.declareDocument('keys', onChange);
  return {
    read: () => decodeShared(document.text()),
    version: () => String(document.version()),
    change: (edit) =>
      document.change((text) => {
        const { keys, result } = edit(decodeShared(text) ?? []);
        return { text: encodeKeys(keys), result };
      }),
  };
}

function decodeShared(text: string | undefined): KeyRecord[] | undefined {
  try {
    return text === undefined ? undefined : decodeKeys(text);
  } catch (error) {
    throw new HearthError('bad_key', `the keys in the shared state cannot be used: ${messageOf(error)}`);
  }
}
