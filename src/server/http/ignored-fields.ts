// Fields of requests that have no effect: the response names them, and the log does so once for each client. In strict
// mode the request is refused instead.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { HearthError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { createLruCache } from '../../base/lru-cache.ts';
import { hearthHeaders, toHeaderText } from './hearth-headers.ts';

// Fields of all clients together. One that was forgotten is logged again.
const maxLogged = 4096;

export class IgnoredFields {
  readonly #logger: Logger;
  readonly #isStrict: boolean;
  readonly #logged = createLruCache<true>(maxLogged);

  constructor(logger: Logger, isStrict: boolean) {
    this.#logger = logger;
    this.#isStrict = isStrict;
  }

  /** `names`: those that the request had not reported before. Throws in strict mode. */
  note(
    { scope: { client }, report, routeOptions }: FastifyRequest,
    reply: FastifyReply,
    names: readonly string[],
  ): void {
    if (!reply.raw.headersSent) void reply.header(hearthHeaders.ignored, toHeaderText(report.ignored));
    if (this.#isStrict) {
      const which = names.length === 1 ? 'a field' : 'fields';
      throw new HearthError('bad_request', `the request has ${which} without effect: ${toHeaderText(names)}`);
    }
    const unlogged = names.filter((name) => this.#logged.get(`${client}\n${name}`) === undefined);
    if (unlogged.length === 0) return;
    for (const name of unlogged) this.#logged.set(`${client}\n${name}`, true);
    this.#logger.warn('fields of a request have no effect', {
      path: routeOptions?.url,
      fields: toHeaderText(unlogged),
    });
  }
}
