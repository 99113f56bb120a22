// The parts that layouts of calls have in common.

import type { CallForm, CallLayout, CallSyntax, CallTrigger, ElementsForm } from './call-syntax.ts';

export const nothing = { open: '', close: '', before: '', after: '', between: undefined } as const;
export const anywhere = (...texts: readonly string[]): readonly CallTrigger[] =>
  texts.map((text) => ({ text, atStart: false }));
export const atStart = (...texts: readonly string[]): readonly CallTrigger[] =>
  texts.map((text) => ({ text, atStart: true }));

export const named = (afterName: string, afterArguments = ''): CallForm => ({
  kind: 'named',
  afterName,
  afterArguments,
});
export const object = (nameKey: string, argumentsKey: string): Extract<CallForm, { kind: 'object' }> => ({
  kind: 'object',
  nameKey,
  argumentsKey,
});

export const functionElements: ElementsForm = {
  kind: 'elements',
  afterName: '>\n',
  beforeKey: '<parameter=',
  afterKey: '>\n',
  afterValue: '\n</parameter>\n',
  end: '</function>',
};

export const pairElements: ElementsForm = {
  kind: 'elements',
  afterName: '\n',
  beforeKey: '<arg_key>',
  afterKey: '</arg_key>\n<arg_value>',
  afterValue: '</arg_value>\n',
  end: '',
};

/** A list between two texts. */
export function listLayout(open: string, close: string, form: CallForm): CallLayout {
  return { ...nothing, open: `${open} [`, close: `] ${close}`.trim(), between: ', ', form, triggers: anywhere(open) };
}

/** Objects without a tag, at the start of an answer. */
export function bareLayout(nameKey: string, argumentsKey: string): CallLayout {
  return {
    ...nothing,
    between: '; ',
    form: object(nameKey, argumentsKey),
    triggers: atStart(`{"${nameKey}":`),
  };
}

export function toCallSyntax(layout: CallLayout): CallSyntax {
  const { form, open, before, close, after } = layout;
  const keys = form.kind === 'object' ? { nameKey: form.nameKey, argumentsKey: form.argumentsKey } : defaultKeys;
  const end = firstWord(open === '' ? after : close.replace(/^\]/, ''));
  return { tag: firstWord(open + before) || '{', ...keys, endTag: end || undefined, layout };
}

export const defaultKeys = { nameKey: 'name', argumentsKey: 'arguments' } as const;

/** The first tag or word. */
function firstWord(text: string): string {
  return /^(?:<[^<>\s]+>|\[[A-Z_]+\]|\S+)/.exec(text.trim())?.[0] ?? '';
}
