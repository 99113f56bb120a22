// Before npm packs: builds, and adds a shrinkwrap, so that `npm install -g` installs the tested versions of all
// dependencies. It is the lockfile without development dependencies.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, setUp, shrinkwrapPath } from './setup.mjs';

setUp();
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const { devDependencies: _, ...own } = lock.packages[''];
const others = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && !dev);
writeFileSync(
  shrinkwrapPath,
  `${JSON.stringify({ ...lock, packages: { '': own, ...Object.fromEntries(others) } }, null, 2)}\n`,
);
