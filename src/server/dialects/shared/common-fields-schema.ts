// Fields that several requests and responses have.

import { type TSchema, Type } from 'typebox';
import { type OptionKey, optionName, optionTable } from '../../../models/options.ts';

const namePart = '[A-Za-z0-9_][A-Za-z0-9_-]{0,40}';
/** Documentation of a model name; namespaces and hosts are accepted, too. */
export const documentedName = { pattern: `^${namePart}(:${namePart})?$`, examples: ['ember'] };
/** The same for a model in a registry. */
export const documentedRemoteName = {
  pattern: `^${namePart}/${namePart}(:${namePart})?$`,
  examples: ['namespace/model'],
};
/** For the documentation: routes accept other forms of digests, too. */
export const digestField = Type.String({ pattern: '^sha256:[0-9a-f]{64}$' });

/** Optional here: the error for a missing model has a text of its own, which clients know. */
export const modelField = Type.Optional(
  Type.String({ description: 'Model name. Required.', documented: documentedName }),
);
export const legacyNameField = Type.Optional(
  Type.String({ description: 'Deprecated: use `model`.', documented: { ...documentedName, deprecated: true } }),
);
/** For bodies with `modelField`. */
export const requiresModel = { documented: { required: ['model'] } };

const documentedKinds = {
  int: { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1 },
  float: { type: 'number', minimum: 0, maximum: 1e6 },
  bool: { type: 'boolean' },
  strings: { type: 'array', items: { type: 'string', maxLength: 1024 }, maxItems: 128 },
  choice: { type: 'string' },
  text: { type: 'string', maxLength: 0 },
  adapters: { type: 'array', items: { type: 'integer', minimum: 0, maximum: 0 }, maxItems: 64 },
  shares: { type: 'string', pattern: '^[1-9](,[0-9]){0,15}$' },
};
const documentedOptions = Object.fromEntries(
  (Object.keys(optionTable) as OptionKey[]).map((key) => {
    const row = optionTable[key];
    const choices = row.kind === 'choice' ? { enum: row.choices } : {};
    const form = 'form' in row ? { maxLength: row.maxLength, enum: [row.form.example] } : {};
    return [optionName(key), { ...documentedKinds[row.kind], ...choices, ...form, description: row.help }];
  }),
);

/** Names that vLLM and llama-server have for options. */
export const optionAliases: Readonly<Record<string, string>> = {
  repetition_penalty: 'repeat_penalty',
  n_predict: 'num_predict',
  n_keep: 'num_keep',
};
/** Options that are fields of requests themselves. The others belong to the loaded model. */
export const topLevelOptions: readonly string[] = (Object.keys(optionTable) as OptionKey[])
  .filter((key) => optionTable[key].scope === 'sample' || key === 'numCtx')
  .map(optionName);

const topLevelField = (name: string, description?: string) =>
  Type.Optional(Type.Unknown({ documented: { ...documentedOptions[name], ...(description ? { description } : {}) } }));
/** The fields of `topLevelOptions`. The options table checks their values. */
export const optionFields = Object.fromEntries([
  ...topLevelOptions.map((name) => [name, topLevelField(name)]),
  ...Object.entries(optionAliases).map(([alias, name]) => [alias, topLevelField(name, `Another name of \`${name}\`.`)]),
]) as Readonly<Record<never, never>>;

export const optionsField = Type.Optional(
  Type.Record(Type.String(), Type.Unknown(), {
    description: 'Model options, such as temperature and num_ctx.',
    // Not checked here: the options table has the errors that clients know.
    documented: { properties: documentedOptions },
  }),
);
export const logitBiasField = Type.Optional(
  Type.Record(Type.String(), Type.Number(), {
    description: 'Bias by token id, from -100 to 100.',
    documented: {
      patternProperties: { '^[0-9]{1,6}$': { type: 'number', minimum: -100, maximum: 100 } },
      additionalProperties: false,
    },
  }),
);
export const keepAliveField = Type.Optional(
  Type.Unknown({
    description:
      'How long the model stays loaded after the request: seconds, or a duration such as "5m". Negative: no limit.',
    documented: {
      anyOf: [
        { type: 'number', minimum: -1e9, maximum: 1e9 },
        { type: 'string', pattern: '^-?[0-9]{1,6}(ms|s|m|h)$' },
      ],
    },
  }),
);
/** A field that is accepted, and that changes nothing by its nature: a label, or what a cloud would do with the request. */
export const quietField = Type.Optional(Type.Unknown({ description: 'Accepted; it changes nothing.', documented: {} }));
/** Variables of the chat template. Their values are checked where they are read. */
export const templateVariablesField = Type.Optional(
  Type.Unknown({
    description:
      'Variables of the chat template, as in vLLM. `enable_thinking`, `thinking` and `reasoning_effort` mean the same as `think`.',
    documented: { type: 'object', properties: { enable_thinking: { type: 'boolean' } }, additionalProperties: false },
  }),
);
/** In the last object of an answer. */
export const violationsField = Type.Optional(
  Type.Array(Type.String(), {
    description:
      'Only if the schema of the answer has keywords that the grammar does not enforce: the paths of those that the complete answer violates. Absent: the answer was not compared with its schema. Only in Hearth.',
  }),
);
export const streamField = Type.Optional(
  Type.Boolean({ description: 'False: one object instead of a stream. Default: true.' }),
);
/** Documentation of a JSON schema for answers: some of the keywords. */
export const documentedJsonSchema = {
  type: 'object',
  properties: {
    type: { enum: ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] },
    properties: { type: 'object', additionalProperties: { type: 'boolean' } },
    required: { type: 'array', items: { type: 'string' } },
  },
  examples: [{ type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] }],
};
export const formatField = Type.Optional(
  Type.Unknown({
    description: '"json", a JSON schema, or {"type": "gbnf", "grammar": "root ::= …"}.',
    // {} means an object.
    emptyValues: ['object'],
    documented: { anyOf: [{ const: 'json' }, documentedJsonSchema] },
  }),
);
export const imagesField = Type.Optional(
  Type.Array(Type.String(), {
    description: 'PNG, JPEG, WebP, GIF or BMP files in base64. Of an animation, the first frame counts.',
    documented: { items: { type: 'string', contentEncoding: 'base64' } },
  }),
);
/** Documentation of prompts and inputs. */
export const documentedTexts = {
  anyOf: [
    { type: 'string' },
    { type: 'array', items: { type: 'string' }, minItems: 1 },
    { type: 'array', items: { type: 'integer', minimum: 0 }, minItems: 1 },
  ],
};
export const timestampField = Type.String({ format: 'date-time' });

/** A tool of a request to chat. */
export const FunctionTool = Type.Object({
  type: Type.Optional(Type.String()),
  // Agents also send tools of other kinds, which have none. They are ignored.
  function: Type.Optional(
    Type.Object({
      name: Type.String(),
      description: Type.Optional(Type.String()),
      parameters: Type.Optional(
        Type.Unknown({ description: 'A JSON schema; it is shown to the model.', documented: { type: 'object' } }),
      ),
      strict: quietField,
    }),
  ),
});

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** OpenAI's predicted outputs. */
export const predictionField = Type.Optional(
  Type.Object(
    {
      type: Type.Literal('content'),
      content: Type.Unknown({
        description: 'A string, or an array of text parts.',
        emptyValues: ['string', 'array'],
        documented: { type: 'string' },
      }),
    },
    {
      description: 'A text that the answer probably repeats, such as a file with few changes. Changes only the speed.',
    },
  ),
);
