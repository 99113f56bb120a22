// A view besides the chat.

import type { FunctionComponent } from 'preact';
import type { IconName } from './icon.tsx';

export interface ViewProps {
  /** The second part of the address; empty if there is none. */
  readonly id: string;
}

export interface View {
  /** The first part of the address. */
  readonly name: string;
  readonly title: string;
  /** Absent: the sidebar does not list it. */
  readonly icon?: IconName;
  /** Called when it is first opened. */
  readonly load: () => Promise<FunctionComponent<ViewProps>>;
}
