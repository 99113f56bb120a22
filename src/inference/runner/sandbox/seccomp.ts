// A system call filter against sockets, and against changes of file modes. Landlock covers neither: of sockets only TCP,
// and only on newer kernels.

import type { Libc } from './libc.ts';

const setSeccomp = 22;
const filterMode = 2;
const localFamily = 1;
// GPU drivers listen for devices through it.
const netlinkFamily = 16;
const permissionDenied = 13;
const notImplemented = 38;

// Offsets in struct seccomp_data.
const numberOffset = 0;
const architectureOffset = 4;
const firstArgumentOffset = 16;

const load = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const leave = 0x06;
const allow = 0x7fff0000;
const fail = 0x00050000;

interface Platform {
  readonly architecture: number;
  readonly socket: number;
  /** Calls that change the mode, the owner or the attributes of a file, which Landlock does not cover. */
  readonly attributeCalls: readonly number[];
}

const platforms: Readonly<Record<string, Platform>> = {
  x64: {
    architecture: 0xc000003e,
    socket: 41,
    // chmod, fchmod, chown, fchown, lchown, setxattr, lsetxattr, fsetxattr, fchownat, fchmodat
    attributeCalls: [90, 91, 92, 93, 94, 188, 189, 190, 260, 268],
  },
  arm64: {
    architecture: 0xc00000b7,
    socket: 198,
    // setxattr, lsetxattr, fsetxattr, fchmod, fchmodat, fchownat, fchown
    attributeCalls: [5, 6, 7, 52, 53, 54, 55],
  },
};
// fchmodat2, setxattrat: the same number everywhere.
const newAttributeCalls = [452, 463];
// io_uring_setup could create sockets without `socket`.
const ioUringSetup = 425;
// System calls of the x32 ABI have this bit.
const x32Bit = 0x40000000;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** Returns a description for the log. Throws if the kernel does not support it. */
export function forbidCalls(libc: Libc, usesGpu: boolean): string {
  const platform = platforms[process.arch];
  if (platform === undefined) throw new Error(`no filter for ${process.arch}`);
  const filter = encode(instructionsFor(platform, usesGpu));
  // struct sock_fprog: a length and a pointer.
  const program = Buffer.alloc(16);
  program.writeUInt16LE(filter.length / 8, 0);
  program.writeBigUInt64LE(libc.addressOf(filter), 8);
  libc.prctl(setSeccomp, filterMode, program);
  return usesGpu ? 'local sockets only' : 'no sockets, no changes of file modes';
}

/** A driver may connect to its daemons and change the modes of its own files. */
function instructionsFor({ architecture, socket, attributeCalls }: Platform, usesGpu: boolean): Instruction[] {
  const families = usesGpu ? [localFamily, netlinkFamily] : [];
  const denied = usesGpu ? [] : [...attributeCalls, ...newAttributeCalls];
  // Three ends follow the checks of calls and families: denied, not implemented, allowed.
  const familyChecks: Instruction[] = families.map((family, index) => [
    jumpIfEqual,
    families.length - index + 1,
    0,
    family,
  ]);
  const afterCalls = familyChecks.length + 1;
  const deniedChecks: Instruction[] = denied.map((call, index) => [
    jumpIfEqual,
    denied.length - index + afterCalls,
    0,
    call,
  ]);
  const toNotImplemented = denied.length + afterCalls + 3;
  return [
    [load, 0, 0, architectureOffset],
    [jumpIfEqual, 0, toNotImplemented + 2, architecture],
    [load, 0, 0, numberOffset],
    [jumpIfAtLeast, toNotImplemented, 0, x32Bit],
    [jumpIfEqual, toNotImplemented - 1, 0, ioUringSetup],
    ...deniedChecks,
    [jumpIfEqual, 0, afterCalls + 2, socket],
    [load, 0, 0, firstArgumentOffset],
    ...familyChecks,
    [leave, 0, 0, fail | permissionDenied],
    [leave, 0, 0, fail | notImplemented],
    [leave, 0, 0, allow],
  ];
}

// struct sock_filter, eight bytes each.
function encode(instructions: readonly Instruction[]): Buffer {
  const filter = Buffer.alloc(instructions.length * 8);
  instructions.forEach(([code, ifTrue, ifFalse, value], index) => {
    filter.writeUInt16LE(code, index * 8);
    filter.writeUInt8(ifTrue, index * 8 + 2);
    filter.writeUInt8(ifFalse, index * 8 + 3);
    filter.writeUInt32LE(value, index * 8 + 4);
  });
  return filter;
}
