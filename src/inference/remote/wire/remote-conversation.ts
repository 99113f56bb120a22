// A conversation for a remote, which has the template of the model.

import type { OptionValues } from '../../../models/options.ts';
import type { Conversation, Message } from '../../model/conversation.ts';

export interface RemoteConversation
  extends Omit<Conversation, 'messages' | 'toolChoice' | 'parallelCalls'>,
    Required<Pick<Conversation, 'toolChoice' | 'parallelCalls'>> {
  /** With decoded images. */
  readonly messages: readonly Message[];
  /** Only options that the request or the model sets. */
  readonly options: OptionValues;
}
