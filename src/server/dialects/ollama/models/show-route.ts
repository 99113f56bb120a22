// POST /api/show

import { formatLocalTimestamp } from '../../../../base/time/timestamp.ts';
import { parseRequestedModel } from '../../../../models/requested-model.ts';
import type { Route } from '../../../http/route.ts';
import type { ShowModel, ShownModel } from '../../../services/management/show-model.ts';
import { ShowBody } from '../responses-schema.ts';
import { toDetailsBody } from './details-schema.ts';
import { ShowRequest, type ShowResponse } from './show-schema.ts';

export function showRoute(showModel: ShowModel): Route {
  return {
    method: 'POST',
    path: '/api/show',
    body: ShowRequest,
    summary: 'Everything that is known about a model',
    response: ShowBody,
    async handle(request) {
      const { model, name, verbose, system, options } = request.body as ShowRequest;
      const requested = parseRequestedModel(model ?? name ?? '');
      const input = { model: requested, verbose: verbose ?? false, system: system ?? '', parameters: options ?? {} };
      return toResponse(await showModel(input));
    },
  };
}

function toResponse(model: ShownModel): ShowResponse {
  const { licenses, modelfile, parameters, template, system, messages } = model;
  return {
    ...(licenses.length > 0 ? { license: licenses.join('\n') } : {}),
    modelfile,
    ...(parameters === '' ? {} : { parameters }),
    template,
    ...(system === '' ? {} : { system }),
    details: toDetailsBody(model.details, model.parentModel),
    ...(messages.length > 0 ? { messages: messages.map(({ role, content }) => ({ role, content })) } : {}),
    model_info: model.metadata,
    ...(model.projectorMetadata === undefined ? {} : { projector_info: model.projectorMetadata }),
    capabilities: model.capabilities,
    modified_at: formatLocalTimestamp(model.modifiedAt),
  };
}
