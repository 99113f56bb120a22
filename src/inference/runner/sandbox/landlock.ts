// Landlock: the kernel forbids this thread, and what it executes, all access to files except the planned one, and TCP.

import { closeSync, openSync, statSync } from 'node:fs';
import type { Libc } from './libc.ts';

export type Access = 'read' | 'write' | 'device' | 'folder' | 'tree';

export interface AllowedPath {
  readonly path: string;
  /** `read` covers everything below a folder. `folder`: files can also be created and removed in it. `tree`: folders, too. */
  readonly access: Access;
}

const createRuleset = 444;
const addRule = 445;
const restrictSelf = 446;
const versionFlag = 1;
const ruleOfPath = 1;
// O_PATH and O_CLOEXEC.
const openPathOnly = 0o12000000;

const bit = {
  execute: 1 << 0,
  writeFile: 1 << 1,
  readFile: 1 << 2,
  readFolder: 1 << 3,
  removeFolder: 1 << 4,
  removeFile: 1 << 5,
  makeFolder: 1 << 7,
  makeFile: 1 << 8,
  moveBetweenFolders: 1 << 13,
  truncate: 1 << 14,
  deviceControl: 1 << 15,
} as const;
const readBits = bit.execute | bit.readFile | bit.readFolder;
const writeBits = bit.writeFile | bit.readFile | bit.truncate;
const folderBits = readBits | writeBits | bit.makeFile | bit.removeFile;
const bitsOf: Readonly<Record<Access, number>> = {
  read: readBits,
  write: writeBits,
  device: bit.readFile | bit.writeFile | bit.readFolder | bit.deviceControl,
  folder: folderBits,
  tree: folderBits | bit.makeFolder | bit.removeFolder | bit.moveBetweenFolders,
};
const fileBits = bit.execute | bit.writeFile | bit.readFile | bit.truncate | bit.deviceControl;

/** Returns a description for the log. Throws if the kernel does not support it. */
export function applyLandlock(libc: Libc, paths: readonly AllowedPath[]): string {
  const version = libc.syscall(createRuleset, 0, 0, versionFlag);
  const handled = handledBits(version);
  const attributes = rulesetAttributes(version, handled);
  const ruleset = libc.syscall(createRuleset, attributes, attributes.length, 0);
  for (const { path, access } of paths) allow(libc, ruleset, { path, bits: bitsOf[access] & handled });
  libc.syscall(restrictSelf, ruleset, 0);
  closeSync(ruleset);
  return `version ${version}, ${version >= 4 ? 'no TCP' : 'the kernel is too old to forbid TCP'}`;
}

function handledBits(version: number): number {
  // Every version adds rights at the end.
  if (version >= 5) return 2 ** 16 - 1;
  if (version >= 3) return 2 ** 15 - 1;
  return version === 2 ? 2 ** 14 - 1 : 2 ** 13 - 1;
}

// struct landlock_ruleset_attr: files, TCP (version 4), abstract sockets and signals (version 6).
function rulesetAttributes(version: number, handled: number): Buffer {
  const words = version >= 6 ? [handled, 3, 3] : version >= 4 ? [handled, 3] : [handled];
  const attributes = Buffer.alloc(words.length * 8);
  words.forEach((word, index) => void attributes.writeBigUInt64LE(BigInt(word), index * 8));
  return attributes;
}

function allow(libc: Libc, ruleset: number, { path, bits }: { readonly path: string; readonly bits: number }): void {
  let descriptor: number;
  try {
    descriptor = openSync(path, openPathOnly);
  } catch {
    // Few machines have all of the planned paths.
    return;
  }
  try {
    // struct landlock_path_beneath_attr, packed.
    const rule = Buffer.alloc(12);
    rule.writeBigUInt64LE(BigInt(statSync(path).isDirectory() ? bits : bits & fileBits), 0);
    rule.writeInt32LE(descriptor, 8);
    libc.syscall(addRule, ruleset, ruleOfPath, rule, 0);
  } finally {
    closeSync(descriptor);
  }
}
