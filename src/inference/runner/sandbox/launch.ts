// Starts a child process in a sandbox: `launch.js <launch order as JSON>`. It restricts itself and then becomes Node with
// the given program through execve. Landlock and seccomp apply to one thread, and Node has several from its start; all
// threads of the new program inherit the restrictions. Linux only.

import { messageOf } from '../../../base/errors.ts';
import { hasLostServer, inheritedEnvironment, writeErrorLine } from '../../../base/process/child-program.ts';
import { applyLandlock } from './landlock.ts';
import { becomeProgram, channelDescriptor, forbidNewPrivileges, openLibc, setParentDeathSignal } from './libc.ts';
import { planAccess } from './plan-access.ts';
import { forbidCalls } from './seccomp.ts';

interface LaunchOrder {
  /** Arguments of Node itself. */
  readonly nodeArgs?: readonly string[];
  /** Absent if `nodeArgs` contain the program. */
  readonly script?: string;
  readonly args: readonly string[];
  /** Files that the script may read. */
  readonly read: readonly string[];
  /** Existing files that it may write. */
  readonly write: readonly string[];
  /** Folders in which it may create, write and remove files. */
  readonly folders?: readonly string[];
  /** Whether it needs the GPUs of the machine, and what their drivers use. */
  readonly usesGpu?: boolean;
}

const order = JSON.parse(process.argv[2] ?? '') as LaunchOrder;

function attempt(name: string, work: () => string): void {
  try {
    writeErrorLine(`sandbox: ${name}: ${work()}`);
  } catch (error) {
    // An old kernel, or a container that forbids it. The model still has to run.
    writeErrorLine(`sandbox: ${name}: not available: ${messageOf(error)}`);
  }
}

/** Node has read these variables and removed them: the new program opens the channel to the server again. */
function channelVariables(): Record<string, string> {
  return process.channel === undefined ? {} : { NODE_CHANNEL_FD: String(channelDescriptor) };
}

const environment = { ...inheritedEnvironment(), ...channelVariables() };
const libc = openLibc();
attempt('end with the server', () => setParentDeathSignal(libc));
// The server ended before the kernel knew.
if (hasLostServer()) process.exit(1);
attempt('no new privileges', () => forbidNewPrivileges(libc));
attempt('landlock', () => applyLandlock(libc, planAccess({ ...order, environment })));
attempt('seccomp', () => forbidCalls(libc, order.usesGpu ?? false));
const { nodeArgs = [], script, args } = order;
becomeProgram(libc, [process.execPath, ...nodeArgs, ...(script === undefined ? [] : [script]), ...args], environment);
