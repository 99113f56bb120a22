// The parts that layouts of calls have in common.

import type { CallForm, CallLayout, CallSyntax, CallTrigger, ElementsForm } from './call-syntax.ts';

export const nothing = { open: '', close: '', before: '', after: '', between: undefined } as const;
export const anywhere = (...texts: readonly string[]): readonly CallTrigger[] =>
  texts.map((text) => ({ text, atStart: false }));
export const atStart = (...texts: readonly string[]): readonly CallTrigger[] =>
  texts.map((text) => ({ text, atStart: true }));

export const named = (afterName: string, afterArguments = ''): Extract<CallForm, { kind: 'named' }> => ({
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

/** `<invoke name="f"><parameter name="x">1</parameter></invoke>` */
export const invokeElements: ElementsForm = {
  kind: 'elements',
  afterName: '">\n',
  beforeKey: '<parameter name="',
  afterKey: '">',
  afterValue: '</parameter>\n',
  end: '</invoke>',
};

/** DeepSeek marks its tags, and says of each value whether it is a text. */
export const markedElements: ElementsForm = {
  kind: 'elements',
  afterName: '">\n',
  beforeKey: '<｜DSML｜parameter name="',
  afterKey: '" string="',
  afterIsText: '">',
  afterValue: '</｜DSML｜parameter>\n',
  end: '</｜DSML｜invoke>',
};

export const hunyuanElements: ElementsForm = {
  kind: 'elements',
  afterName: '<tool_sep:opensource>\n',
  beforeKey: '<arg_key:opensource>',
  afterKey: '</arg_key:opensource>\n<arg_value:opensource>',
  afterValue: '</arg_value:opensource>\n',
  end: '',
};

/** `<function name="f"><param name="x">1</param></function>` */
export const quotedElements: ElementsForm = {
  kind: 'elements',
  afterName: '">',
  beforeKey: '<param name="',
  afterKey: '">',
  afterValue: '</param>',
  end: '</function>',
  quotes: { open: '<![CDATA[', close: ']]>' },
};

/** Kimi K3 has one kind of tag, in which only the marks are tokens of their own. */
export const typedElements: ElementsForm = {
  kind: 'elements',
  afterName: '" index="',
  afterNumber: '"<|sep|>',
  beforeKey: '<|open|>argument key="',
  afterKey: '" type="',
  afterIsText: '"<|sep|>',
  isTyped: true,
  afterValue: '<|close|>argument<|sep|>',
  end: '<|close|>call<|sep|>',
};

/** The token before each tag of MiniMax M3. */
export const minimaxMark = ']<]minimax[>[';

/** A list between two texts. */
export function listLayout(open: string, close: string, form: CallForm): CallLayout {
  return {
    ...nothing,
    open: `${open} [`.trimStart(),
    close: `] ${close}`.trim(),
    between: ', ',
    form,
    triggers: anywhere(open),
  };
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
