// CUDA does not start in the sandbox: its driver reports that a call of the operating system failed. A process that loads
// it runs without the sandbox. Vulkan works in it.

import { basename } from 'node:path';
import type { ChildSettings } from '../../base/spawn-child.ts';

/** The settings of a process that loads these libraries. */
export function childSettingsFor(settings: ChildSettings, libraries: readonly string[]): ChildSettings {
  if (!libraries.some((path) => basename(path).includes('ggml-cuda'))) return settings;
  const { launcher: _, ...withoutSandbox } = settings;
  return withoutSandbox;
}
