// The sections of `hearth show`.

import { formatGoFloat } from '../../base/text/go-float.ts';
import { formatParameterCount } from '../../models/details.ts';
import { findKnownProjector } from '../../models/known-projectors.ts';
import type { ShowResponseBody } from '../../server/dialects/ollama/models/show-schema.ts';
import { cutText, padText, widthOf } from './fit-text.ts';
import { safeLine, safeText } from './format.ts';

type Row = readonly [name: string, value: string];
interface Section {
  readonly title: string;
  /** Names with values, or lines of text. */
  readonly content: readonly Row[] | readonly string[];
}

export function formatModelInfo(shown: ShowResponseBody, { verbose = false } = {}): string {
  const { projector_info: projector, capabilities, parameters = '', system = '', license = '' } = shown;
  const sections: Section[] = [
    { title: 'Model', content: modelRows(shown) },
    { title: 'Projector', content: projector === undefined ? [] : projectorRows(projector) },
    { title: 'Capabilities', content: capabilities.map(safeLine) },
    { title: 'Parameters', content: parameterRows(parameters) },
    { title: 'Metadata', content: verbose ? metadataRows(shown.model_info) : [] },
    { title: 'System', content: firstLines(system, verbose) },
    { title: 'License', content: firstLines(license, verbose) },
  ];
  return sections
    .filter(({ content }) => content.length > 0)
    .map(formatSection)
    .join('\n');
}

function formatSection({ title, content }: Section): string {
  const names = content.map((entry) => (typeof entry === 'string' ? 0 : widthOf(entry[0])));
  const width = Math.max(0, ...names);
  const lines = content.map((entry) =>
    typeof entry === 'string' ? entry : `${padText(entry[0], width)}    ${entry[1]}`,
  );
  return `  ${title}\n${lines.map((line) => `    ${line}`.trimEnd()).join('\n')}\n`;
}

function modelRows(shown: ShowResponseBody): Row[] {
  const { details, model_info: info, origin, context, fit, remote_model, remote_host, engine, checkpoint } = shown;
  const architecture = textOf(info['general.architecture']) || safeLine(details.family);
  return present([
    ['architecture', architecture],
    ['parameters', safeLine(details.parameter_size)],
    ['context length', countText(info[`${architecture}.context_length`])],
    ['default context', context === undefined ? '' : contextText(context)],
    ['embedding length', countText(info[`${architecture}.embedding_length`])],
    ['quantization', safeLine(details.quantization_level)],
    ['dialect', details.dialect === undefined ? '' : `${safeLine(details.dialect)} (translated when it is loaded)`],
    ['fit', fit === undefined ? '' : safeLine(fit.text)],
    ['parent model', safeLine(details.parent_model)],
    ['remote', remote_host === undefined ? '' : safeLine(remote_host)],
    ['remote model', remote_model === undefined ? '' : safeLine(remote_model)],
    ['engine', engine === undefined ? '' : safeLine(engine)],
    ['checkpoint', checkpoint === undefined ? '' : safeLine(checkpoint)],
    ['origin', origin === undefined ? '' : safeLine(`${origin.package}@${origin.version}`)],
  ]);
}

const contextReasons: Readonly<Record<string, string>> = {
  request: 'num_ctx',
  model: 'num_ctx of the model',
  setting: 'setting context_length',
  memory: 'limited by memory',
};

/** Empty if it is the trained length, which has a row of its own. */
function contextText({ length, source }: NonNullable<ShowResponseBody['context']>): string {
  const reason = contextReasons[source];
  return reason === undefined ? '' : safeLine(`${length} (${reason})`);
}

function projectorRows(info: Readonly<Record<string, unknown>>): Row[] {
  return present([
    ['architecture', textOf(info['general.architecture'])],
    ['parameters', formatParameterCount(Number(info['general.parameter_count'] ?? 0))],
    ['embedding length', countText(info['clip.vision.embedding_length'])],
    ['dimensions', countText(info['clip.vision.projection_dim'])],
    ['sees', findKnownProjector(info['general.name'])?.sees ?? ''],
  ]);
}

/** The server's text has its own padding, which is removed. */
function parameterRows(parameters: string): Row[] {
  return parameters
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', value = ''] = /^(\S+)\s+(.*)$/.exec(safeLine(line)) ?? [];
      return [name, value] as const;
    });
}

const maxValueWidth = 100;

function metadataRows(info: Readonly<Record<string, unknown>>): Row[] {
  return Object.keys(info)
    .sort()
    .map((key) => [safeLine(key), cutText(textOf(info[key]), maxValueWidth)] as const);
}

/** Counts have no exponent, however large they are. */
function countText(value: unknown): string {
  return typeof value === 'number' ? String(value) : textOf(value);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  // A vocabulary is too long to show.
  if (Array.isArray(value))
    return `[${value.slice(0, 20).map(String).map(safeLine).join(', ')}${value.length > 20 ? ', …' : ''}]`;
  return safeLine(typeof value === 'number' ? formatGoFloat(value) : String(value));
}

const summaryLines = 2;

function firstLines(text: string, all: boolean): string[] {
  const lines = safeText(text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return all || lines.length <= summaryLines ? lines : [...lines.slice(0, summaryLines), '...'];
}

function present(rows: readonly Row[]): Row[] {
  return rows.filter(([, value]) => value !== '');
}
