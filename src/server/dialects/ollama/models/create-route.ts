// POST /api/create

import { type Digest, parseDigest } from '../../../../base/digest.ts';
import { HearthError } from '../../../../base/errors.ts';
import type { Logger } from '../../../../base/logger.ts';
import { type EngineName, engineNames, isEngineName } from '../../../../models/engine-parameters.ts';
import { parseModelName } from '../../../../models/name.ts';
import { parseQuantization, type Quantization } from '../../../../models/quantization.ts';
import { isFromThisMachine } from '../../../http/access/from-this-machine.ts';
import type { Route } from '../../../http/route.ts';
import type { CreateInput, CreateModel } from '../../../services/create/create-model.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { ProgressResponseBody } from '../transfer/progress-schema.ts';
import { sendProgress } from '../transfer/send-progress.ts';
import { registryFailures } from '../transfer/transfer-schema.ts';
import { CreateRequestBody } from './create-schema.ts';

export function createRoute({ createModel, logger }: { createModel: CreateModel; logger: Logger }): Route {
  return {
    dialect: ollamaDialect,
    method: 'POST',
    scope: 'manage',
    path: '/api/create',
    summary: 'Create a model from a Modelfile, from files or from another model',
    body: CreateRequestBody,
    response: ProgressResponseBody,
    streams: ProgressResponseBody,
    failures: registryFailures,
    async handle(request, reply) {
      const body = request.body as CreateRequestBody;
      const input = {
        name: parseModelName(body.model ?? body.name ?? ''),
        modelfile: body.modelfile ?? '',
        path: body.path ?? '',
        quantization: readQuantization(body.quantize ?? body.quantization ?? ''),
        imatrix: readImatrix(body),
        localFiles: isFromThisMachine(request),
        fields: toFields(body),
      };
      return sendProgress(reply, createModel(input, request.scope.signal), {
        stream: body.stream !== false,
        logger,
      });
    },
  };
}

function readQuantization(text: string): Quantization | undefined {
  if (text === '') return undefined;
  const quantization = parseQuantization(text);
  if (quantization === undefined) throw new HearthError('bad_request', `unknown fileType: ${text.toUpperCase()}`);
  return quantization;
}

function readImatrix({ imatrix, quantize, quantization }: CreateRequestBody): Digest | undefined {
  if (imatrix === undefined) return undefined;
  if ((quantize ?? quantization ?? '') === '')
    throw new HearthError('bad_request', 'an importance matrix is only used to quantize; name a type with quantize');
  return parseDigest(imatrix);
}

function readEngine(text: string | undefined): EngineName | undefined {
  if (text === undefined || isEngineName(text)) return text;
  throw new HearthError('bad_request', `engine must be one of ${engineNames.join(', ')}`);
}

function toFields(body: CreateRequestBody): CreateInput['fields'] {
  const { license = [], template, system, messages, renderer, parser, engine } = body;
  return {
    from: body.from ?? '',
    files: body.files ?? {},
    adapters: body.adapters ?? {},
    draft: body.draft ?? '',
    draftFiles: body.draft_files ?? {},
    parameters: body.parameters ?? {},
    licenses: typeof license === 'string' ? [license] : license,
    ...(template === undefined ? {} : { template }),
    ...(system === undefined ? {} : { system }),
    ...(renderer === undefined ? {} : { renderer }),
    ...(parser === undefined ? {} : { parser }),
    engine: readEngine(engine),
    ...(messages === undefined ? {} : { messages: messages.map(({ role, content = '' }) => ({ role, content })) }),
  };
}
