// Keyboard input of the editor.

export type Key =
  /** Printable characters, one or many. */
  | { readonly type: 'text'; readonly text: string }
  /** Pasted text; line breaks are \n. A long paste can arrive in several parts. */
  | { readonly type: 'paste'; readonly text: string }
  /** Any other key by name: `ctrl-a`, `alt-b`, `left`, `ctrl-left`, `enter`, `newline`. */
  | { readonly type: 'press'; readonly name: string };

export const press = (name: string): Key => ({ type: 'press', name });
