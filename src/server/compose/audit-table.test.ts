// Every route that manages the server is in the audit log.

import { expect, test } from 'vitest';
import { serverFeatures } from '../../features/server-features.ts';
import { auditTable } from './audit-table.ts';
import { listRoutes, type RouteParts } from './list-routes.ts';

const featureRoutes = serverFeatures.flatMap((feature) => feature.listRoutes());
// The services are not called.
const parts = { services: { versions: {} }, version: '', featureRoutes };
const routes = listRoutes(parts as unknown as RouteParts).map(({ method, path, scope }) => ({
  line: `${method} ${path}`,
  changes: method !== 'GET' && method !== 'HEAD',
  scope,
}));

test('every route that changes something and needs more than the scope infer has an action', () => {
  const management = routes.filter(({ changes, scope }) => changes && (scope === 'manage' || scope === 'admin'));
  expect(management.length).toBeGreaterThan(9);
  expect(management.map(({ line }) => line).filter((line) => !(line in auditTable))).toEqual([]);
});

test('every route that changes something without a key has an action', () => {
  const open = routes.filter(({ changes, scope }) => changes && scope === 'open');
  expect(open.map(({ line }) => line).filter((line) => !(line in auditTable))).toEqual([]);
});

test('every row is a route', () => {
  const lines = new Set(routes.map(({ line }) => line));
  expect(Object.keys(auditTable).filter((line) => !lines.has(line))).toEqual([]);
});
