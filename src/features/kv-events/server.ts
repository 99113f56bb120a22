// Cache events of this server, off by default: without a setting, runners keep no list of blocks.

import { badConfiguration } from '../../base/errors.ts';
import { toServerFeature } from '../../server/server-feature.ts';
import { BlockPublisher } from './block-publisher.ts';

export const kvEventsServer = toServerFeature({
  openBlockEvents({ settings: { kvEvents: events, kvEventsReplay: replay }, clock }) {
    if (events === '' && replay !== '') throw badConfiguration('HEARTH_KV_EVENTS_REPLAY needs HEARTH_KV_EVENTS too');
    if (events === '') return undefined;
    return new BlockPublisher({ events, replay: replay === '' ? undefined : replay, clock });
  },
});
