// The most bytes of the body of a route.

import type { Route } from '../route.ts';
import { maxBodyBytesOf } from './field-bounds.ts';

const bodyLimits = new WeakMap<Route, number>();

export function bodyLimitOf(route: Route | undefined): number {
  if (route === undefined) return Number.POSITIVE_INFINITY;
  const known = bodyLimits.get(route);
  if (known !== undefined) return known;
  const limit = route.maxBodyBytes ?? maxBodyBytesOf(route.body ?? {}) ?? Number.POSITIVE_INFINITY;
  bodyLimits.set(route, limit);
  return limit;
}
