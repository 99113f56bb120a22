// POST /v1/embeddings

import { HearthError } from '../../../base/errors.ts';
import { formatVector } from '../../http/float32-json.ts';
import type { Route } from '../../http/route.ts';
import { eachOf, sendList } from '../../http/streaming/send-list.ts';
import { type Embed, normalize, truncateDimensions } from '../../services/generation/embed.ts';
import { toModelInput } from '../shared/model-input.ts';
import { openAiDialect } from '../shared/openai-dialect.ts';
import { readTextsOrTokens } from './completions/texts-or-tokens.ts';
import { OpenAiEmbeddingsRequestBody, OpenAiEmbeddingsResponseBody } from './embeddings-schema.ts';

export function openAiEmbeddingsRoute(embed: Embed): Route {
  return {
    dialect: openAiDialect,
    method: 'POST',
    scope: 'infer',
    path: '/v1/embeddings',
    summary: 'Compute embeddings',
    metered: true,
    body: OpenAiEmbeddingsRequestBody,
    response: OpenAiEmbeddingsResponseBody,
    async handle(request, reply) {
      const body = request.body as OpenAiEmbeddingsRequestBody;
      const { num_ctx } = body;
      const encode = encodingOf(body.encoding_format);
      const { vectors, promptTokens } = await embed(
        {
          ...toModelInput(
            { ...body, options: { ...body.options, ...(num_ctx === undefined ? {} : { num_ctx }) } },
            { emptyIsUnknown: true },
          ),
          texts: readTextsOrTokens(body.input, 'input'),
          truncate: body.truncate ?? true,
          report: request.report,
        },
        request.scope.signal,
      );
      const elements = eachOf(vectors, (vector, index) => {
        const encoded = encode(truncateDimensions(normalize(vector), body.dimensions));
        return `{"object":"embedding","index":${index},"embedding":${encoded}}`;
      });
      const rest = {
        model: body.model ?? '',
        usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
      } satisfies Omit<OpenAiEmbeddingsResponseBody, 'object' | 'data'>;
      // Not JSON.stringify: the vectors have their own number format.
      return sendList(reply, {
        head: '{"object":"list","data":[',
        elements,
        tail: `],${JSON.stringify(rest).slice(1)}`,
      });
    },
  };
}

function encodingOf(format = 'float'): (vector: Float32Array) => string {
  const name = format.toLowerCase();
  if (name === 'float') return formatVector;
  if (name === 'base64') return (vector) => `"${toLittleEndian(vector).toString('base64')}"`;
  throw new HearthError(
    'bad_request',
    `Invalid value for 'encoding_format' = ${format.slice(0, 50)}. Supported values: ['float', 'base64'].`,
  );
}

function toLittleEndian(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * Float32Array.BYTES_PER_ELEMENT);
  return bytes;
}
