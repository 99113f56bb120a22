// GET /api/version

import { apiVersion, type VersionResponse } from '../../api/version.ts';
import type { Route } from '../route.ts';

export function versionRoute(packageVersion: string): Route {
  const body: VersionResponse = { version: apiVersion, hearth: packageVersion };
  return { method: 'GET', path: '/api/version', handle: () => body };
}
