import { expect, test } from 'vitest';
import { trustText } from './describe-certificate.ts';

test('every way names the file, in quotes if a shell needs them', () => {
  const ways = (path: string) =>
    trustText(path)
      .trimEnd()
      .split('\n')
      .filter((line) => !line.includes('Firefox'));
  for (const line of ways('/home/anna/.hearth/tls/ca.pem'))
    expect(line).toMatch(/[ =]\/home\/anna\/\.hearth\/tls\/ca\.pem/);
  for (const line of ways('/home/my user/ca.pem')) expect(line).toContain('"/home/my user/ca.pem"');
});
