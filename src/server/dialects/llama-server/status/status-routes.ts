// GET /props and GET /slots

import { Type } from 'typebox';
import { HearthError } from '../../../../base/errors.ts';
import type { Activity } from '../../../http/activity.ts';
import { viewerOf } from '../../../http/requests.ts';
import type { Route } from '../../../http/route.ts';
import type { ChooseModel } from '../../../services/management/choose-model.ts';
import { llamaServerDialect } from '../dialect.ts';
import type { FindProperties } from './find-properties.ts';
import { PropsResponseBody, SlotsResponseBody } from './status-schema.ts';

export interface StatusRouteOptions {
  readonly chooseModel: ChooseModel;
  readonly findProperties: FindProperties;
  readonly activity: Pick<Activity, 'list'>;
  readonly versions: { readonly hearth: string };
}

const common = { dialect: llamaServerDialect, method: 'GET', scope: 'infer', polled: true } as const;
const modelQuery = { model: Type.String({ description: 'Default: as in POST /infill.' }) };

function readQuery(query: unknown, name: string): string | undefined {
  const value = (query as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : undefined;
}

export function propsRoute({ chooseModel, findProperties, versions }: StatusRouteOptions): Route {
  return {
    ...common,
    path: '/props',
    summary: 'Show the properties of a model',
    query: modelQuery,
    response: PropsResponseBody,
    async handle({ query }): Promise<PropsResponseBody> {
      const model = await findProperties(await chooseModel(readQuery(query, 'model')));
      return {
        default_generation_settings: { n_ctx: model.contextLength },
        total_slots: model.slots,
        model_alias: model.name,
        model_path: model.name,
        chat_template: model.template,
        modalities: { vision: model.seesImages, audio: model.hearsAudio },
        build_info: `hearth ${versions.hearth}`,
        is_sleeping: !model.isLoaded,
      };
    },
  };
}

export function slotsRoute({ chooseModel, findProperties, activity }: StatusRouteOptions): Route {
  return {
    ...common,
    path: '/slots',
    summary: 'List the slots of a model',
    query: {
      ...modelQuery,
      fail_on_no_slot: Type.String({ description: 'Not empty: status 503 if all slots are in use.' }),
    },
    response: SlotsResponseBody,
    async handle(request): Promise<SlotsResponseBody> {
      const { query } = request;
      const model = await findProperties(await chooseModel(readQuery(query, 'model')));
      const { client, seesAll, hasKey } = viewerOf(request);
      // With a key, a client does not even see that others use the server.
      const works = activity.list().filter((work) => seesAll || !hasKey || work.client === client);
      const used = works.filter((work) => work.model() !== '' && work.tokens().promptTokens > 0).length;
      if (used >= model.slots && (readQuery(query, 'fail_on_no_slot') ?? '') !== '')
        throw new HearthError('busy', 'no slot available');
      return Array.from({ length: model.slots }, (_, id) => ({
        id,
        n_ctx: model.contextLength,
        is_processing: id < used,
      }));
    },
  };
}
