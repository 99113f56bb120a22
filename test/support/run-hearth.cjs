// Runs the program as the installed command does, with a code cache that all tests share. Each test has a home folder of its
// own, and without a cache, compiling takes a third of the time of a start.

'use strict';

const { join } = require('node:path');
const os = require('node:os');

const { homedir } = os;
// The first call asks for the folder of the code cache. The program gets the home folder of the test.
os.homedir = () => {
  os.homedir = homedir;
  return join(__dirname, '../../node_modules/.cache/hearth-tests');
};

require('../../dist/code-cache/load-program.js');
