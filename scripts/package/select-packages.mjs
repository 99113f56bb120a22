// Which packages of the lockfile an archive contains.

const engineScope = '@node-llama-cpp/';

/** `platform` is one of Node's, such as linux; `engine` is the package with llama.cpp for it. */
export function selectPackages(lock, { platform, arch, engine }) {
  const fits = ({ os, cpu, libc }) =>
    allows(os, platform) && allows(cpu, arch) && (platform !== 'linux' || allows(libc, 'glibc'));
  return (
    Object.entries(lock.packages)
      .filter(([folder, entry]) => folder !== '' && !entry.dev && fits(entry))
      .map(([folder, { version, integrity }]) => ({ folder, name: nameOf(folder), version, integrity }))
      // Some builds for other processors claim to fit, for those who cross-compile.
      .filter(({ name }) => !name.startsWith(engineScope) || name === engine)
  );
}

/** As npm reads `os`, `cpu` and `libc`. */
function allows(list, value) {
  if (list === undefined) return true;
  if (list.includes(`!${value}`)) return false;
  return list.includes(value) || list.every((entry) => entry.startsWith('!'));
}

function nameOf(folder) {
  return folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
