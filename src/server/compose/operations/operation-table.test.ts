// Every operation has a description and an example that its schema accepts.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { serverFeatures } from '../../../features/server-features.ts';
import { fieldKeywords } from '../../http/body.ts';
import { operationKey } from '../../http/openapi/operation.ts';
import { listRoutes, type RouteParts } from '../list-routes.ts';
import { operationTable } from './operation-table.ts';

const featureRoutes = serverFeatures.flatMap((feature) => feature.listRoutes());
// The services are not called.
const parts = { services: { versions: {}, resumable: {} }, featureRoutes, page: {}, version: '' };
const routes = listRoutes(parts as unknown as RouteParts);
const ajv = new Ajv2020({ strict: false, allErrors: true, keywords: [...fieldKeywords] });

test('every row is an operation', () => {
  const keys = new Set(routes.map(operationKey));
  expect(Object.keys(operationTable).filter((key) => !keys.has(key))).toEqual([]);
});

test.each(routes.map((route) => ({ key: operationKey(route), route })))('$key', ({ key, route }) => {
  const note = operationTable[key];
  expect(note?.description).toMatch(/^[A-Z].{8,}\.$/);
  const { body, file, form, path = {}, query = {} } = note?.example ?? {};
  const open = [...route.path.matchAll(/:(\w+)|\*/g)].map(([, name = 'id']) => name);
  expect(Object.keys(path)).toEqual(open);
  expect(Object.keys(route.query ?? {})).toEqual(expect.arrayContaining(Object.keys(query)));
  expect((file ?? form) !== undefined).toBe(route.readsBody === true);
  if (route.body === undefined) expect(body).toBeUndefined();
  else {
    const validate = ajv.compile(route.body);
    expect([validate(body), validate.errors]).toEqual([true, null]);
    // A field that the schema does not have would be a typing error.
    expect(Object.keys(route.body.properties)).toEqual(expect.arrayContaining(Object.keys(body ?? {})));
  }
});
