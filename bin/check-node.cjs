// Ends the process with one sentence if this version of Node is too old. Old versions must be able to parse this file.

'use strict';

const required = require('../package.json').engines.node.replace('>=', '');

const isOlder = (a, b) => {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  const index = left.findIndex((number, position) => number !== right[position]);
  return index !== -1 && left[index] < right[index];
};

if (isOlder(process.versions.node, required)) {
  console.error(
    'Hearth needs Node ' +
      required +
      ' or later, but this is Node ' +
      process.versions.node +
      '. Install a newer version of Node and try again.',
  );
  process.exit(1);
}
