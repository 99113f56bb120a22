#!/usr/bin/env node
// The installed command `hearth`. Old versions of Node must be able to parse this file.

'use strict';

require('./check-node.cjs');
require('../dist/code-cache/load-program.js');
