// /show: details of the model, with the changes of the session.

import { safeText } from '../../output/format.ts';
import type { PromptSession } from '../session/session.ts';
import type { ShowTopic } from './parse-input.ts';

export function showText(session: PromptSession, topic: Exclude<ShowTopic, 'info'>): string {
  const { facts, system, options } = session;
  switch (topic) {
    case 'license':
      return textOr(facts.license, 'No license was specified for this model.');
    case 'modelfile':
      return textOr(facts.modelfile, '');
    case 'system':
      return textOr(system ?? facts.system, 'No system message was specified for this model.');
    case 'template':
      return textOr(facts.template, 'No prompt template was specified for this model.');
    case 'parameters':
      return parametersText(facts.parameters, options);
  }
}

function textOr(text: string | undefined, fallback: string): string {
  const clean = safeText(text ?? '').trimEnd();
  return `${clean === '' ? fallback : clean}\n`;
}

const nameWidth = 30;

function parametersText(modelParameters: string | undefined, sessionOptions: PromptSession['options']): string {
  const lines = Object.entries(sessionOptions).flatMap(([name, value]) =>
    (typeof value === 'object' ? value : [value]).map((each) => `${name.padEnd(nameWidth)} ${each}`),
  );
  const sections = [
    ...(lines.length === 0 ? [] : [`User defined parameters:\n${indent(safeText(lines.join('\n')))}`]),
    ...(modelParameters === undefined || modelParameters === ''
      ? []
      : [`Model defined parameters:\n${indent(safeText(modelParameters))}`]),
  ];
  return sections.length === 0 ? 'No parameters were specified for this model.\n' : `${sections.join('\n\n')}\n`;
}

function indent(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
