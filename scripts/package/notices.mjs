// The licenses of everything in an archive that is not Hearth, as one text.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const licenseFile = /^(?:licen[cs]e|copying|notice)/i;

const mit = (holder) => `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** Packages have a name, a version, and the path of their folder. `runtime` is the license of Node. */
export function toNotices(packages, { runtime }) {
  const sections = [
    { title: 'Node.js', text: runtime },
    // Its libraries are in packages that have only a license of their own.
    { title: 'llama.cpp and ggml', text: mit('2023-2026 The ggml authors') },
    ...packages.map(({ name, version, path }) => ({ title: `${name} ${version}`, text: licenseOf(path) })),
  ];
  const rule = '='.repeat(80);
  return sections.map(({ title, text }) => `${rule}\n${title}\n${rule}\n\n${text.trim()}\n`).join('\n');
}

function licenseOf(path) {
  const files = readdirSync(path).filter((name) => licenseFile.test(name));
  if (files.length > 0)
    return files
      .sort()
      .map((name) => readFileSync(join(path, name), 'utf8').replaceAll('\r\n', '\n').trim())
      .join('\n\n');
  const { name, license, author } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  if (license !== 'MIT') throw new Error(`${name} has no license text, and its license is ${license}`);
  return mit(author?.name ?? author ?? `the authors of ${name}`);
}
