// The simplest router: the first endpoint that the request has not tried.

import type { CreateRouter } from './endpoint.ts';

export const tryInOrder: CreateRouter = (first) => {
  let endpoints = first;
  return {
    choose(_prefix, excluding) {
      const endpoint = endpoints.find(({ id }) => !excluding.has(id));
      return endpoint && { endpoint, release: () => {} };
    },
    update(changed) {
      endpoints = changed;
    },
    close() {},
  };
};
