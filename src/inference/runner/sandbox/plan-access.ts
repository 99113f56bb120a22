// What a child process may access besides its model: Node, this package, shared libraries, GPUs and their drivers.

import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { Access, AllowedPath } from './landlock.ts';

// Not all of /usr and /etc: the home folder of a service, with its keys, can be in /usr/share.
const systemPaths = [
  '/lib',
  '/lib32',
  '/lib64',
  '/usr/lib',
  '/usr/lib32',
  '/usr/lib64',
  '/usr/local/lib',
  '/usr/local/lib64',
  '/usr/share/vulkan',
  '/usr/share/glvnd',
  '/usr/share/drirc.d',
  '/usr/share/libdrm',
  '/usr/share/nvidia',
  '/usr/share/zoneinfo',
  '/usr/local/share/vulkan',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/ld-musl-x86_64.path',
  '/etc/alternatives',
  '/etc/localtime',
  '/etc/vulkan',
  '/etc/glvnd',
  '/etc/nvidia',
  '/run/opengl-driver',
  '/nix/store',
  '/gnu/store',
  '/sys',
];
// Not all of /proc: it has the environment of the server. The process id stays the same in the new program.
const processPaths = [
  'self',
  'cpuinfo',
  'meminfo',
  'stat',
  'version',
  'devices',
  'modules',
  'filesystems',
  'driver',
  'bus',
  'sys',
].map((name) => `/proc/${name}`);
// The threads of the process. CUDA does not start if it cannot write their names.
const ownThreads = '/proc/self/task';
const driverFolders: readonly (readonly [folder: string, name: RegExp])[] = [
  ['/usr/local', /^(cuda|nvidia)/],
  ['/opt', /^(cuda|rocm|amdgpu|intel)/],
];
const plainDevices = /^(null|zero|full|random|urandom)$/;
const gpuDevices = /^(nvidia.*|dri|kfd|dxg|mali.*)$/;

interface AccessNeeds {
  readonly script?: string | undefined;
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly folders?: readonly string[] | undefined;
  readonly usesGpu?: boolean | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function planAccess({ script, read, write, folders = [], usesGpu, environment }: AccessNeeds): AllowedPath[] {
  const libraryPaths = (environment['LD_LIBRARY_PATH'] ?? '').split(':').filter((path) => path !== '');
  const drivers = driverFolders.flatMap(([folder, name]) => entriesOf(folder, name));
  const system = [process.execPath, ...systemPaths, ...processPaths];
  const readable = [
    ...system,
    ...drivers,
    ...libraryPaths,
    ...(script === undefined ? [] : codePaths(script)),
    ...read,
  ];
  const cache = environment['CUDA_CACHE_PATH'];
  return [
    ...readable.map(allowing('read')),
    ...[ownThreads, ...write].map(allowing('write')),
    ...entriesOf('/dev', plainDevices).map(allowing('device')),
    ...folders.map(allowing('folder')),
    ...(usesGpu ? gpuAccess(cache) : []),
  ];
}

/** Drivers share memory between processes in /dev/shm. CUDA has a folder in its cache for each first letter. */
function gpuAccess(cache: string | undefined): AllowedPath[] {
  return [
    ...entriesOf('/dev', gpuDevices).map(allowing('device')),
    ...['/dev/shm'].map(allowing('folder')),
    ...(cache ? [cache] : []).map(allowing('tree')),
  ];
}

const allowing =
  (access: Access) =>
  (path: string): AllowedPath => ({ path, access });

/** The part of this package that contains the script, and the packages that it can import. */
function codePaths(script: string): string[] {
  const folders = ancestorsOf(script);
  const root = folders.find((folder) => existsSync(join(folder, 'package.json'))) ?? dirname(script);
  const [top = ''] = relative(root, script).split(sep);
  return [join(root, 'package.json'), join(root, top), ...folders.map((folder) => join(folder, 'node_modules'))];
}

function ancestorsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...ancestorsOf(parent)];
}

function entriesOf(folder: string, name: RegExp): string[] {
  try {
    return readdirSync(folder)
      .filter((entry) => name.test(entry))
      .map((entry) => join(folder, entry));
  } catch {
    return [];
  }
}
