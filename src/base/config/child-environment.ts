// The environment variables that child processes get. They execute native code on untrusted files, so they get what
// loaders, drivers and debuggers of GPUs need, and no secrets, proxies or home folder.

import type { Environment } from './environment.ts';

const names = new Set(['LANG', 'LC_ALL', 'TZ', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'OMP_NUM_THREADS']);
const windowsNames = new Set(['PATH', 'SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'TEMP', 'TMP', 'LOCALAPPDATA']);
const prefixes = ['CUDA_', 'NVIDIA_', 'VK_', 'GGML_', 'HIP_', 'HSA_', 'ROCR_', 'MTL_', 'METAL_', 'MESA_', 'RADV_'];

export function childEnvironment(environment: Environment, platform: string = process.platform): Environment {
  const isAllowed = (name: string): boolean =>
    names.has(name) ||
    prefixes.some((prefix) => name.startsWith(prefix)) ||
    // Variable names have no case on Windows, and libraries are found through PATH.
    (platform === 'win32' && windowsNames.has(name.toUpperCase()));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isAllowed(name)));
}

/** pip and npm get everything but the settings of this program, which can contain passwords. */
export function packageEnvironment(environment: Environment): Environment {
  const isOwn = (name: string): boolean => /^(?:HEARTH|OLLAMA)_/i.test(name);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isOwn(name)));
}

const toolNames = new Set(['PATH', 'HOME', 'LANG']);
const windowsToolNames = new Set([...windowsNames, 'PATHEXT', 'COMSPEC', 'USERPROFILE', 'APPDATA']);

/** Programs that an administrator has listed as MCP servers. They come from elsewhere: variables often hold secrets. */
export function toolEnvironment(environment: Environment, platform: string = process.platform): Environment {
  const isAllowed = (name: string): boolean =>
    toolNames.has(name) || (platform === 'win32' && windowsToolNames.has(name.toUpperCase()));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isAllowed(name)));
}
