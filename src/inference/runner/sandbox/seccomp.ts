// A system call filter that leaves only local sockets. Landlock covers TCP alone, and only on newer kernels.

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

// The numbers of `socket` and of io_uring_setup, which could create sockets without `socket`.
const platforms: Readonly<Record<string, { readonly architecture: number; readonly socket: number }>> = {
  x64: { architecture: 0xc000003e, socket: 41 },
  arm64: { architecture: 0xc00000b7, socket: 198 },
};
const ioUringSetup = 425;
// System calls of the x32 ABI have this bit.
const x32Bit = 0x40000000;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** Returns a description for the log. Throws if the kernel does not support it. */
export function forbidSockets(libc: Libc): string {
  const platform = platforms[process.arch];
  if (platform === undefined) throw new Error(`no filter for ${process.arch}`);
  const filter = encode(instructionsFor(platform));
  // struct sock_fprog: a length and a pointer.
  const program = Buffer.alloc(16);
  program.writeUInt16LE(filter.length / 8, 0);
  program.writeBigUInt64LE(libc.addressOf(filter), 8);
  libc.prctl(setSeccomp, filterMode, program);
  return 'local sockets only';
}

function instructionsFor({ architecture, socket }: (typeof platforms)[string]): Instruction[] {
  return [
    [load, 0, 0, architectureOffset],
    [jumpIfEqual, 0, 8, architecture],
    [load, 0, 0, numberOffset],
    [jumpIfAtLeast, 6, 0, x32Bit],
    [jumpIfEqual, 5, 0, ioUringSetup],
    [jumpIfEqual, 0, 5, socket],
    [load, 0, 0, firstArgumentOffset],
    [jumpIfEqual, 3, 0, localFamily],
    [jumpIfEqual, 2, 0, netlinkFamily],
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
