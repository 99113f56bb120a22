// What a model or a server says, made fit for a terminal: colours pass, everything else that a terminal would obey does
// not, or a text could move the cursor, rename the window or fill the clipboard.

export interface TerminalText {
  push(text: string): string;
  /** What ends the text: colours go back to normal. */
  end(): string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
const colour = /^\x1b\[[0-9;:]{0,32}m/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const begun = /^\x1b(?:\[[0-9;:]{0,32})?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

export function createTerminalText(): TerminalText {
  let held = '';
  let coloured = false;

  function clean(part: string): string {
    const code = colour.exec(part)?.[0] ?? '';
    if (code !== '') coloured = true;
    return code + part.slice(code.length).replace(controls, '');
  }

  return {
    push(text) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with it
      const parts = (held + text).split(/(?=\x1b)/);
      held = '';
      if (begun.test(parts.at(-1) ?? '')) held = parts.pop() ?? '';
      return parts.map(clean).join('');
    },
    end() {
      held = '';
      const reset = coloured ? '\x1b[0m' : '';
      coloured = false;
      return reset;
    },
  };
}

/** A whole text at once. */
export function toTerminalText(text: string): string {
  const filter = createTerminalText();
  return filter.push(text) + filter.end();
}
