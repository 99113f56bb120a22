// Texts that make careless readers slow: the time of HTML, Markdown, CSV, code and text grows with their size only. PDF and DOCX
// files have their own tests.

import { describe, expect, test } from 'vitest';
import { type Growth, growthOf, maxLinearGrowth } from '../../../../test/support/growth.ts';
import { splitPassages } from '../collections/split-passages.ts';
import { decodeFile } from '../decode-file.ts';
import { htmlToText } from './read-html.ts';

const deepest = '<div>'.repeat(1990);

const pages: Readonly<Record<string, (size: number) => string>> = {
  'tags that are never closed': (size) => '<p>'.repeat(size),
  'tags that were never opened': (size) => deepest + '</b>'.repeat(size),
  'paragraphs in deep elements': (size) => deepest + '<p>a'.repeat(size),
  'attributes of one tag': (size) => `<p ${'a=b '.repeat(size)}>`,
  'one long attribute': (size) => `<p title="${'a'.repeat(size)}">`,
  'a tag that does not end': (size) => `<p ${'<'.repeat(size)}`,
  'a comment that does not end': (size) => '<!--'.repeat(size),
  'a script that does not end': (size) => `<script>${'</scrip'.repeat(size)}`,
  entities: (size) => '&amp;'.repeat(size),
  'entities that do not end': (size) => '&ampamp'.repeat(size),
  spaces: (size) => ' '.repeat(size),
  'rows and cells': (size) => `<table>${'<tr><td>'.repeat(size)}`,
  titles: (size) => '<title></title>'.repeat(size),
};

const texts: Readonly<Record<string, (size: number) => string>> = {
  'a line of CSV': (size) => 'a,"b""",'.repeat(size),
  'quotes of CSV that do not end': (size) => '"'.repeat(size),
  'nested quotes of Markdown': (size) => '>'.repeat(size),
  'nested links of Markdown': (size) => '[![('.repeat(size),
  'nested blocks of code': (size) => '{('.repeat(size),
  'empty lines': (size) => '\n \n'.repeat(size),
  'spaces between words': (size) => `a${' '.repeat(size)}b`,
  'ends of lines of Windows': (size) => '\r\n'.repeat(size),
  'ends of sentences': (size) => '. '.repeat(size),
};

const small = 8192;

describe.each(Object.entries(pages))('HTML with %s', (_name, make) => {
  test('takes linear time', () => {
    const work: Growth<string>['work'] = (html) => {
      try {
        return htmlToText(html);
      } catch (error) {
        return expect(error).toMatchObject({ code: 'bad_request' });
      }
    };
    expect(growthOf({ make, work, size: small })).toBeLessThan(maxLinearGrowth);
  });
});

describe.each(Object.entries(texts))('a text with %s', (_name, make) => {
  test('takes linear time', () => {
    const toBytes = (size: number): Buffer => Buffer.from(make(size));
    const work = (bytes: Buffer): unknown => splitPassages([decodeFile(bytes)], false);
    expect(growthOf({ make: toBytes, work, size: small })).toBeLessThan(maxLinearGrowth);
  });
});

test('a million nested tags are refused', () => {
  expect(() => htmlToText('<b>'.repeat(2 ** 20))).toThrow('more than 2000 elements are nested');
});
