// After npm has packed: removes the shrinkwrap, which npm would otherwise use instead of the lockfile.

import { rmSync } from 'node:fs';
import { shrinkwrapPath } from './setup.mjs';

rmSync(shrinkwrapPath, { force: true });
