// How this installation is updated, from where its files are.

export interface Installation {
  /** The name of the npm package. */
  readonly name: string;
  /** The folder with package.json. */
  readonly packageFolder: string;
  /** It is a clone of the repository. */
  readonly isRepository: boolean;
}

/** The first row whose pattern matches the folder, with slashes. */
const places: readonly (readonly [folder: RegExp, command: (name: string) => string])[] = [
  [/\/_npx\//, (name) => `npx ${name}@latest`],
  [/\/pnpm\/(?:global|store)\//, (name) => `pnpm add -g ${name}@latest`],
  [/\/\.bun\/install\/global\//, (name) => `bun add -g ${name}@latest`],
  [/\/yarn\/(?:Data\/)?global\//i, (name) => `yarn global add ${name}@latest`],
  [/\/(?:lib|npm|nodejs)\/node_modules\/[^/]+$/, (name) => `npm install -g ${name}@latest`],
];

export function updateCommand({ name, packageFolder, isRepository }: Installation): string {
  const folder = packageFolder.replaceAll('\\', '/');
  const place = places.find(([pattern]) => pattern.test(folder));
  if (place !== undefined) return place[1](name);
  if (folder.endsWith(`/node_modules/${name}`)) return `npm install ${name}@latest`;
  if (isRepository) return `git -C ${packageFolder} pull && npm --prefix ${packageFolder} run build`;
  return 'install the archive or the image of the new version in the same way as this one';
}
