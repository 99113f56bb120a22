// Requests that are generated from the documented schemas: tools such as schemathesis do the same. None is a server error,
// and most of them are valid.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, createApi } from '../../../test/support/api-fixture.ts';
import { answerWith } from '../../../test/support/fake-engine.ts';
import { arbitraryOf } from '../../../test/support/schema-values.ts';
import { createServiceFixture, type ServiceFixture } from '../../../test/support/service-fixture.ts';
import { thoroughly } from '../../../test/support/thorough.ts';
import { toDocumented } from '../http/body.ts';

let fixture: ServiceFixture;
let api: Api;
beforeAll(async () => {
  fixture = createServiceFixture();
  await fixture.putModel('plain', { template: '{{ .System }}{{ .Tools }}{{ .Prompt }}{{ .Suffix }}' });
  const embed = ({ texts }: { readonly texts: readonly unknown[] }) => ({
    vectors: texts.map(() => Float32Array.of(3, 4)),
    tokens: texts.map(() => 1),
  });
  api = createApi(fixture.createServices({ answers: new Array(100_000).fill(answerWith('Hello')), embed }));
});
afterAll(async () => {
  await api.close();
  fixture.remove();
});

const runs = thoroughly(60, 30);
// The share of valid requests. Fields that exclude each other, such as `raw` and `system`, are not documented.
const minValid = 0.5;
// Only a model from a package can be renamed by a pull.
const notFromPackage = { as: '' };
// A JSON schema cannot describe a Modelfile.
const undescribed = '/api/create';

/** Without a draft model: the models of the fixture have no vocabulary that could fit. */
function withoutDraftModel(request: { readonly options?: unknown }): object {
  const { options } = request;
  const names = typeof options === 'object' && options !== null && 'draft_model' in options;
  return names ? { ...request, options: { ...options, draft_model: '' } } : request;
}

/** Several formats exclude each other. */
function withOneFormat(request: object): object {
  const names = /^(response_format|grammar|json_schema|guided_.*|structured_outputs|text)$/;
  const [first, ...others] = Object.keys(request).filter((name) => names.test(name));
  const kept = Object.entries(request).filter(([name]) => !others.includes(name));
  const one = ([name, value]: [string, unknown]): [string, unknown] =>
    name === first && name === 'structured_outputs'
      ? [name, Object.fromEntries(Object.entries(value as object).slice(0, 1))]
      : [name, value];
  return Object.fromEntries(kept.map(one));
}

/** A template of the request that cannot be parsed is a server error in Ollama, too. */
function ownTemplateFails(request: object, answer: string): boolean {
  return 'template' in request && answer.includes('"code":"bad_template"');
}

// The routes are known only after the setup, so that this is one test.
test('no generated request is a server error, and most are valid', { timeout: 120_000 }, async () => {
  const shares: Record<string, number> = {};
  for (const { method, path, body } of api.routes) {
    if (body === undefined) continue;
    let count = 0;
    const check = async (request: unknown): Promise<void> => {
      // A model that exists. `delete` would remove it, and streams of Ollama wait for a clock.
      const target =
        path === '/api/delete' ? {} : { model: 'plain', source: 'plain', from: 'plain', ...notFromPackage };
      const sent = {
        ...withoutDraftModel(withOneFormat(request as object)),
        ...target,
        stream: path.startsWith('/api') ? false : undefined,
      };
      const { statusCode, body: text } = await api.send({ method, path }, sent);
      if (statusCode >= 500 && !ownTemplateFails(sent, text))
        throw new Error(`${statusCode} for ${JSON.stringify(sent).slice(0, 2000)}: ${text}`);
      // What a model cannot do, such as thinking, is refused with another code. Errors of Anthropic have no code.
      if (!/"bad_request"|"type":"error"/.test(text)) count++;
    };
    await fc.assert(fc.asyncProperty(arbitraryOf(toDocumented(body) as object), check), { numRuns: runs });
    shares[path] = count / runs;
  }
  const invalid = Object.entries(shares).filter(([path, share]) => path !== undescribed && share < minValid);
  expect(invalid).toEqual([]);
});
