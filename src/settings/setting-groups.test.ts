import { expect, test } from 'vitest';
import { settingGroups } from './setting-groups.ts';
import { serverSettingKeys } from './setting-table.ts';

test('every setting of the server is in one group', () => {
  expect(Object.values(settingGroups).flat().toSorted()).toEqual(serverSettingKeys.toSorted());
});
