// A conversation for a remote, which has the template of the model.

import type { OptionValues } from '../../../models/options.ts';
import type { AnswerFormat } from '../../model/answer-format.ts';
import type { Conversation, Message } from '../../model/conversation.ts';

/** The formats that remotes have. */
export type RemoteFormat = Extract<AnswerFormat, { readonly type: 'json' | 'schema' | 'gbnf' }>;

export interface RemoteConversation
  extends Omit<Conversation, 'messages' | 'toolChoice' | 'parallelCalls' | 'format'>,
    Required<Pick<Conversation, 'toolChoice' | 'parallelCalls'>> {
  readonly format?: RemoteFormat | undefined;
  /** With decoded images. */
  readonly messages: readonly Message[];
  /** Only options that the request or the model sets. */
  readonly options: OptionValues;
}
