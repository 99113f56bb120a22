// Lengths, patterns and formats.

import type { SchemaCase } from '../schema-case.ts';

export const stringCases: SchemaCase[] = [
  {
    name: 'lengths',
    schema: { type: 'string', minLength: 2, maxLength: 4 },
    fits: ['ab', 'abcd', '😀😀', '"\\\n'],
    misfits: ['a', 'abcde', '😀'],
  },
  {
    name: 'an exact length',
    schema: { type: 'string', minLength: 3, maxLength: 3 },
    fits: ['abc'],
    misfits: ['ab', 'abcd'],
  },
  { name: 'a least length', schema: { type: 'string', minLength: 1 }, fits: ['a', 'abcdef'], misfits: [''] },
  { name: 'the empty string', schema: { type: 'string', maxLength: 0 }, fits: [''], misfits: ['a'] },
  {
    name: 'a great length',
    schema: { type: 'string', minLength: 300, maxLength: 5000 },
    fits: ['a'.repeat(300), 'a'.repeat(3000), 'b'.repeat(5000)],
    misfits: ['a'.repeat(299), 'a'.repeat(5001)],
  },
  {
    name: 'an anchored pattern',
    schema: { type: 'string', pattern: '^[A-Z]{2}-\\d{3,5}$' },
    fits: ['AB-123', 'XY-12345'],
    misfits: ['AB-12', 'ab-123', 'xAB-123'],
  },
  {
    name: 'a pattern without anchors',
    schema: { type: 'string', pattern: 'ab+c' },
    fits: ['abc', 'xxabbbcyy'],
    misfits: ['ac', ''],
  },
  {
    name: 'a pattern with alternatives',
    schema: { pattern: '^(?:yes|no|may(be)?)$|^\\?$' },
    fits: ['yes', 'may', 'maybe', '?'],
    misfits: ['yesno', ''],
  },
  {
    name: 'a pattern of specials',
    schema: { pattern: '^["\\\\/\\n\\t\\x01\\u00e9\\u{1F600}]+$' },
    fits: ['"', '\\', '\n\t', 'é😀'],
    misfits: ['a'],
  },
  {
    name: 'a pattern of classes',
    schema: { pattern: '^\\w\\W\\s\\S\\d\\D.$' },
    fits: ['a- x1y!'],
    misfits: ['a-xx1y!', 'a- x1y\n'],
  },
  { name: 'a negated class', schema: { pattern: '^[^a-z"]{1,3}$' }, fits: ['A1ü', '\\'], misfits: ['a', '"', ''] },
  {
    name: 'nested optional repetitions',
    schema: { pattern: '^(?:(?:a?b?)*c?)*$' },
    fits: ['', 'abab', 'bca', 'ccc'],
    misfits: ['d'],
  },
  {
    name: 'a pattern and a length',
    schema: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 5 },
    fits: ['ab', 'abcde'],
    misfits: ['a', 'abcdef'],
  },
  {
    name: 'a longer pattern and a length',
    schema: { type: 'string', pattern: '^\\w+@\\w+$', maxLength: 8 },
    fits: ['a@b', 'abc@defg', 'abcdef@g'],
    misfits: ['abcd@efgh', 'a@'],
  },
  {
    name: 'two patterns',
    schema: { allOf: [{ pattern: '^a' }, { pattern: 'z$' }, { maxLength: 4 }], type: 'string' },
    fits: ['az', 'abcz'],
    misfits: ['a', 'z', 'abcdz'],
  },
  { name: 'looking ahead', schema: { pattern: '^(?!ab)(?=.*c)[a-d]+$' }, fits: ['c', 'bac'], misfits: ['abc', 'bad'] },
  {
    name: 'a pattern and a format',
    schema: { type: 'string', format: 'date', pattern: '^20' },
    fits: ['2024-02-29', '2099-12-31'],
    misfits: ['1999-01-01', '2023-02-29'],
  },
  { name: 'an unknown format', schema: { type: 'string', format: 'colour' }, fits: ['', 'red'], misfits: [1] },
  {
    name: 'a date',
    schema: { type: 'string', format: 'date' },
    fits: ['2024-02-29', '2000-02-29', '2023-01-31', '2023-04-30'],
    misfits: ['2023-02-29', '1900-02-29', '2023-04-31', '2023-13-01', '2023-00-10'],
  },
  {
    name: 'a time',
    schema: { type: 'string', format: 'time' },
    fits: ['23:59:59Z', '00:00:00.123+02:00'],
    misfits: ['24:00:00Z', '12:00:00', '12:60:00Z'],
  },
  {
    name: 'a date and time',
    schema: { type: 'string', format: 'date-time' },
    fits: ['2024-02-29T12:00:00Z', '1999-12-31T23:59:59.5-11:30'],
    misfits: ['2024-02-30T12:00:00Z', '2024-02-29 12:00:00Z'],
  },
  {
    name: 'a uuid',
    schema: { type: 'string', format: 'uuid' },
    fits: ['123e4567-e89b-12d3-a456-426614174000'],
    misfits: ['123e4567'],
  },
  {
    name: 'an email',
    schema: { type: 'string', format: 'email' },
    fits: ['a@b.de', 'jane.doe+x@mail.example.com'],
    misfits: ['a', 'a@', '@b.de', 'a b@c.de'],
  },
  {
    name: 'an ipv4 address',
    schema: { type: 'string', format: 'ipv4' },
    fits: ['0.0.0.0', '255.255.255.255', '192.168.1.10'],
    misfits: ['256.1.1.1', '1.1.1', '01.1.1.1'],
  },
  {
    name: 'an ipv6 address',
    schema: { type: 'string', format: 'ipv6' },
    fits: ['::', '::1', '2001:db8::8a2e:370:7334', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7::'],
    misfits: ['1:2:3', ':::', '1::2::3', '1:2:3:4:5:6:7:8:9'],
  },
  {
    name: 'a host name',
    schema: { type: 'string', format: 'hostname' },
    fits: ['localhost', 'www.example.com'],
    misfits: ['-a', 'a-', '', 'a..b'],
  },
  {
    name: 'a uri',
    schema: { type: 'string', format: 'uri' },
    fits: ['https://example.com/a/b?c=d&e=%20#f', 'http://localhost:8080'],
    misfits: ['example.com', 'http://a b'],
  },
];
