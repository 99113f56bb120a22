// How this installation is updated, from where its files are.

interface Installation {
  /** The name of the npm package. */
  readonly name: string;
  /** The folder with package.json. */
  readonly packageFolder: string;
  /** The folder is a clone of the repository. */
  readonly isRepository: boolean;
  /** The version to install. */
  readonly newest: string;
  /** `linux-x64`, as in the names of archives. */
  readonly platform: string;
}

type Command = (installation: Installation) => string;

/** The first row whose pattern matches the folder, with slashes. */
const places: readonly (readonly [folder: RegExp, command: Command])[] = [
  [/\/_npx\//, ({ name }) => `npx ${name}@latest`],
  [/\/pnpm\/(?:global|store)\//, ({ name }) => `pnpm add -g ${name}@latest`],
  [/\/\.bun\/install\/global\//, ({ name }) => `bun add -g ${name}@latest`],
  [/\/yarn\/(?:Data\/)?global\//i, ({ name }) => `yarn global add ${name}@latest`],
  [/\/(?:lib|npm|nodejs)\/node_modules\/[^/]+$/, ({ name }) => `npm install -g ${name}@latest`],
  [/\/node_modules\/[^/]+$/, ({ name }) => `npm install ${name}@latest`],
  // An archive with its own runtime.
  [/\/lib\/hearth$/, ({ newest, platform }) => `sh install.sh hearth-${newest}-${platform}.tar.gz`],
];

export function updateCommand(installation: Installation): string {
  const { packageFolder, isRepository, newest } = installation;
  const folder = packageFolder.replaceAll('\\', '/');
  const place = places.find(([pattern]) => pattern.test(folder));
  if (place !== undefined) return place[1](installation);
  if (isRepository) return `git -C ${packageFolder} pull && npm --prefix ${packageFolder} run build`;
  return `install version ${newest} in the same way as this one`;
}
