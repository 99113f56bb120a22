// The files of an archive, and where each comes from.
//
//   bin/hearth        runs lib/node with lib/hearth
//   lib/node          the runtime
//   lib/hearth        what npm would install, with its dependencies
//   LICENSE, NOTICES  of Hearth, and of everything else

import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { filesIn } from '../setup.mjs';

const ownFiles = ['LICENSE', 'README.md', 'CHANGELOG.md', 'package.json'];
const ownFolders = ['bin', 'deploy', 'dist', 'models'];
// Written by the build for itself, maps of sources that are not here, and types.
const leftOut = /(?:^|\/)\.hearth-[^/]*$|\.map$|\.d\.[cm]?ts$/;

const launcher = `#!/bin/sh
# Runs Hearth with the runtime of this folder. Links to this file work.
self=$0
while [ -h "$self" ]; do
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=\${self%/*}/$link ;;
  esac
done
case $self in
  */*) folder=\${self%/*}/.. ;;
  *) folder=.. ;;
esac
exec "$folder/lib/node" "$folder/lib/hearth/bin/hearth.cjs" "$@"
`;
const windowsLauncher = '@"%~dp0..\\lib\\node.exe" "%~dp0..\\lib\\hearth\\bin\\hearth.cjs" %*\r\n';

/** `packages` have the folder in lib/hearth and the path to copy from. */
export function listEntries({ top, root, platform, packages, runtime, notices }) {
  const isWindows = platform === 'win32';
  const copied = [
    ...ownFiles.map((name) => ({ name: `lib/hearth/${name}`, source: join(root, name) })),
    ...ownFolders.flatMap((folder) => copy(join(root, folder), `lib/hearth/${folder}`)),
    ...packages.flatMap(({ folder, path }) => copy(path, `lib/hearth/${folder}`)),
    { name: 'LICENSE', source: join(root, 'LICENSE') },
  ];
  const written = [
    { name: 'NOTICES', text: notices },
    isWindows ? { name: 'bin/hearth.cmd', text: windowsLauncher } : { name: 'bin/hearth', text: launcher, mode: 0o755 },
    { name: isWindows ? 'lib/node.exe' : 'lib/node', source: runtime.program, mode: 0o755 },
  ];
  return [...copied, ...written].map(({ mode = 0o644, ...entry }) => ({
    ...entry,
    mode,
    name: `${top}/${entry.name}`,
  }));
}

/** Without nested packages, which have entries of their own in the lockfile. */
function copy(folder, target) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap((entry) => (entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)]))
    .map((source) => ({ source, name: `${target}/${relative(folder, source).split(sep).join('/')}` }))
    .filter(({ name }) => !leftOut.test(name));
}
