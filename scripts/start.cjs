// npm start. Old versions of Node must be able to parse this file.

'use strict';

require('../bin/check-node.cjs');
void import('./start.mjs');
