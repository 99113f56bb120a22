// All commands, in the order of the help text.

import { type CertificatePorts, certCommand } from './certificates/cert-command.ts';
import type { CommandSpec } from './command.ts';
import { type BackendPorts, backendCommand } from './commands/backend.ts';
import { benchCommand } from './commands/bench.ts';
import { completeCommand, completionCommand } from './commands/completion.ts';
import { copyCommand } from './commands/copy.ts';
import { createCommand } from './commands/create.ts';
import { devicesCommand } from './commands/devices.ts';
import { keyCommand } from './commands/key.ts';
import { keysCommand, type LocalKeys } from './commands/keys.ts';
import { listCommand } from './commands/list.ts';
import { psCommand } from './commands/ps.ts';
import { pullCommand } from './commands/pull.ts';
import { pushCommand } from './commands/push.ts';
import { registryCommand, type ServeRegistry } from './commands/registry.ts';
import { remoteCommand } from './commands/remote.ts';
import { removeCommand } from './commands/remove.ts';
import { type Serve, serveCommand } from './commands/serve.ts';
import { showCommand } from './commands/show.ts';
import { stopCommand } from './commands/stop.ts';
import { usageCommand } from './commands/usage.ts';
import { type VerifyStore, verifyCommand } from './commands/verify.ts';
import { type CheckUpdate, versionCommand } from './commands/version.ts';
import { diagnoseCommand } from './doctor/diagnose-command.ts';
import { type DoctorPorts, doctorCommand } from './doctor/doctor-command.ts';
import { runCommand } from './run/run-command.ts';
import { serviceCommand } from './service/service-command.ts';

/** Operations that do not go through the API. */
export interface CliPorts {
  readonly serve: Serve;
  readonly verifyStore: VerifyStore;
  readonly serveRegistry: ServeRegistry;
  readonly backends: BackendPorts;
  readonly localKeys: LocalKeys;
  readonly certificates: CertificatePorts;
  readonly doctor: DoctorPorts;
  readonly checkUpdate: CheckUpdate;
}

/** `features`: the commands of features. */
export function createCommandTable(ports: CliPorts, features: readonly CommandSpec[]): readonly CommandSpec[] {
  const table: readonly CommandSpec[] = [
    serveCommand(ports.serve),
    runCommand,
    createCommand,
    showCommand,
    listCommand,
    psCommand,
    pullCommand,
    pushCommand,
    copyCommand,
    removeCommand,
    stopCommand,
    verifyCommand(ports.verifyStore),
    ...features,
    keysCommand(ports.localKeys),
    remoteCommand,
    usageCommand,
    keyCommand,
    registryCommand(ports.serveRegistry),
    certCommand(ports.certificates),
    devicesCommand,
    backendCommand(ports.backends),
    doctorCommand(ports.doctor.supervise),
    serviceCommand,
    benchCommand,
    versionCommand(ports.checkUpdate),
    completionCommand,
    completeCommand(() => table),
    diagnoseCommand(ports.doctor.diagnose),
  ];
  return table;
}
