// npm start: sets up what is missing, then becomes the server. Arguments go to `hearth serve`.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root, setUp } from './setup.mjs';

setUp();
process.argv = [process.execPath, join(root, 'bin', 'hearth.cjs'), 'serve', ...process.argv.slice(2)];
createRequire(import.meta.url)('../bin/hearth.cjs');
