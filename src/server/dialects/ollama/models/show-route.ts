// POST /api/show

import { formatLocalTimestamp } from '../../../../base/time/timestamp.ts';
import { parseRequestedModel } from '../../../../models/name.ts';
import type { Route } from '../../../http/route.ts';
import type { ShowModel, ShownModel } from '../../../services/management/show-model.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { ShowRequestBody, ShowResponseBody } from './show-schema.ts';
import { toContextBody } from './to-context-body.ts';
import { toDetailsBody } from './to-details-body.ts';

export function showRoute(showModel: ShowModel): Route {
  return {
    dialect: ollamaDialect,
    method: 'POST',
    scope: 'infer',
    path: '/api/show',
    summary: 'Show model details',
    body: ShowRequestBody,
    response: ShowResponseBody,
    async handle(request): Promise<ShowResponseBody> {
      const { model, name, verbose = false, fit = false, system, options } = request.body as ShowRequestBody;
      const requested = parseRequestedModel(model ?? name ?? '');
      const input = { model: requested, verbose, fit, system: system ?? '', parameters: options ?? {} };
      return toResponse(await showModel(input));
    },
  };
}

function toResponse(model: ShownModel): ShowResponseBody {
  const { licenses, modelfile, parameters, template, system, messages } = model;
  return {
    license: licenses.length > 0 ? licenses.join('\n') : undefined,
    modelfile,
    parameters: parameters || undefined,
    template,
    system: system || undefined,
    renderer: model.renderer || undefined,
    parser: model.parser || undefined,
    details: { ...toDetailsBody(model.details, model.parentModel), dialect: model.dialect },
    messages: messages.length > 0 ? messages.map(({ role, content }) => ({ role, content })) : undefined,
    model_info: model.metadata,
    projector_info: model.projectorMetadata,
    origin: model.origin === undefined ? undefined : { ...model.origin },
    remote_model: model.remote?.model,
    remote_host: model.remote?.remote,
    engine: model.hosted?.engine,
    checkpoint: model.hosted?.checkpoint,
    capabilities: model.capabilities,
    thinking: model.capabilities.includes('thinking') ? { levels: model.thinkLevels } : undefined,
    context: model.context && toContextBody(model.context),
    fit: model.fit,
    adapters: model.adapters.length === 0 ? undefined : model.adapters.map(({ id, name }) => ({ id, name })),
    tensors: model.tensors,
    modified_at: formatLocalTimestamp(model.modifiedAt),
  };
}
