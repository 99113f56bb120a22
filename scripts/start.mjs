// npm start: sets up what is missing, then becomes the server. Arguments go to `hearth serve`.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, setUp } from './setup.mjs';

setUp();
const entry = join(root, 'dist', 'main.js');
process.argv = [process.execPath, entry, 'serve', ...process.argv.slice(2)];
await import(pathToFileURL(entry).href);
