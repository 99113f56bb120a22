// All checks of `hearth doctor`, in the order of the output.

import type { Check } from './check.ts';
import { accessCheck } from './checks/access.ts';
import { clockCheck } from './checks/clock.ts';
import { devicesCheck } from './checks/devices.ts';
import { diskCheck } from './checks/disk.ts';
import { engineCheck } from './checks/engine.ts';
import { limitsCheck } from './checks/limits.ts';
import { memoryCheck } from './checks/memory.ts';
import { nodeCheck } from './checks/node.ts';
import { permissionsCheck } from './checks/permissions.ts';
import { portCheck } from './checks/port.ts';
import { proxiesCheck } from './checks/proxies.ts';
import { registryCheck } from './checks/registry.ts';
import { sandboxCheck } from './checks/sandbox.ts';
import { settingsCheck } from './checks/settings.ts';
import { storeCheck } from './checks/store.ts';
import { tlsCheck } from './checks/tls.ts';

export const checkTable: readonly Check[] = [
  nodeCheck,
  settingsCheck,
  engineCheck,
  devicesCheck,
  memoryCheck,
  limitsCheck,
  sandboxCheck,
  diskCheck,
  permissionsCheck,
  storeCheck,
  portCheck,
  accessCheck,
  tlsCheck,
  proxiesCheck,
  registryCheck,
  clockCheck,
];
