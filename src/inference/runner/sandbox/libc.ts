// The functions of the C library that a sandbox needs.

import { getSystemErrorName } from 'node:util';
import koffi from 'koffi';

export interface Libc {
  /** Throws if the result is negative. Pointers are buffers. */
  prctl(option: number, a: number, b: Buffer | number): number;
  syscall(number: number, ...args: readonly (Buffer | number)[]): number;
  /** Returns only if it fails. */
  execve(path: string, args: readonly (string | null)[], environment: readonly (string | null)[]): void;
  /** Valid as long as the buffer is referenced. */
  addressOf(buffer: Buffer): bigint;
  /** Keeps a file descriptor open in the new program. */
  keepOpen(descriptor: number): void;
}

const setDeathSignal = 1;
const killSignal = 9;
const setNoNewPrivileges = 38;
const setDescriptorFlags = 2;
/** The descriptor of the channel to the server, and the last one that a child inherits. */
export const channelDescriptor = 3;

export function openLibc(): Libc {
  const library = koffi.load(null);
  const word = (value: Buffer | number): bigint => (typeof value === 'number' ? BigInt(value) : koffi.address(value));
  const syscall = library.func('long syscall(long, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t)');
  const prctl = library.func('int prctl(int, uint64_t, uint64_t, uint64_t, uint64_t)');
  const execve = library.func('int execve(const char *, const char **, const char **)');
  const fcntl = library.func('int fcntl(int, int, int)');
  const check = (result: number): number => {
    if (result >= 0) return result;
    throw new Error(getSystemErrorName(-koffi.errno()));
  };
  return {
    prctl: (option, a, b) => check(Number(prctl(option, BigInt(a), word(b), 0n, 0n))),
    syscall(number, ...args) {
      const [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n] = args.map(word);
      return check(Number(syscall(number, a, b, c, d, e)));
    },
    execve: (path, args, environment) => void check(Number(execve(path, args, environment))),
    addressOf: (buffer) => koffi.address(buffer),
    keepOpen: (descriptor) => void fcntl(descriptor, setDescriptorFlags, 0),
  };
}

/** The kernel kills this process, and the program that it becomes, when the thread that started it ends. */
export function setParentDeathSignal(libc: Libc): string {
  libc.prctl(setDeathSignal, killSignal, 0);
  return 'on';
}

export function forbidNewPrivileges(libc: Libc): string {
  libc.prctl(setNoNewPrivileges, 1, 0);
  return 'on';
}

export function becomeProgram(
  libc: Libc,
  args: readonly string[],
  inherited: Readonly<Record<string, string | undefined>>,
): void {
  // Node marks inherited descriptors to be closed by exec.
  for (let descriptor = 0; descriptor <= channelDescriptor; descriptor++) libc.keepOpen(descriptor);
  // Node does not start if it may not read OpenSSL's configuration, and the child needs none.
  const variables = { ...inherited, OPENSSL_CONF: '/dev/null' };
  const environment = Object.entries(variables).map(([name, value]) => `${name}=${value ?? ''}`);
  libc.execve(args[0] ?? '', [...args, null], [...environment, null]);
}
