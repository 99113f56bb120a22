// What /show tells about a session's model, with what the session has changed.

import { safeText } from '../../output/format.ts';
import type { Session } from '../session.ts';
import type { ShowTopic } from './parse-input.ts';

export function showText(session: Session, topic: Exclude<ShowTopic, 'info'>): string {
  const { facts, system, options } = session;
  switch (topic) {
    case 'license':
      return shown(facts.license, 'No license was specified for this model.');
    case 'modelfile':
      return shown(facts.modelfile, '');
    case 'system':
      return shown(system ?? facts.system, 'No system message was specified for this model.');
    case 'template':
      return shown(facts.template, 'No prompt template was specified for this model.');
    case 'parameters':
      return parametersText(facts.parameters, options);
  }
}

function shown(text: string | undefined, otherwise: string): string {
  const clean = safeText(text ?? '').trimEnd();
  return `${clean === '' ? otherwise : clean}\n`;
}

const nameWidth = 30;

function parametersText(ofModel: string | undefined, own: Session['options']): string {
  const lines = Object.entries(own).flatMap(([name, value]) =>
    (typeof value === 'object' ? value : [value]).map((each) => `${name.padEnd(nameWidth)} ${each}`),
  );
  const sections = [
    ...(lines.length === 0 ? [] : [`User defined parameters:\n${indent(safeText(lines.join('\n')))}`]),
    ...(ofModel === undefined || ofModel === '' ? [] : [`Model defined parameters:\n${indent(safeText(ofModel))}`]),
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
