// What a person can do at the keyboard, as the editor sees it.

export type Key =
  /** Printable characters, one or many. */
  | { readonly type: 'text'; readonly text: string }
  /** Text from the clipboard; line breaks are \n. A long one comes in several. */
  | { readonly type: 'paste'; readonly text: string }
  /** Any other key, named as people say it: `ctrl-a`, `alt-b`, `left`, `ctrl-left`, `enter`, `newline`. */
  | { readonly type: 'press'; readonly name: string };

export const press = (name: string): Key => ({ type: 'press', name });
