// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
const color = /^\x1b\[[0-9;:]{0,32}m/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const incomplete = /^\x1b(?:\[[0-9;:]{0,32})?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

export function createTerminalText() {
  let held = '';
  let colored = false;

  function clean(part: string): string {
    const code = color.exec(part)?.[0] ?? '';
    if (code !== '') colored = true;
    return code + part.slice(code.length).replace(controls, '');
  }

  return {
    push(text: string): string {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences start with it
      const parts = (held + text).split(/(?=\x1b)/);
      held = '';
      if (incomplete.test(parts.at(-1) ?? '')) held = parts.pop() ?? '';
      return parts.map(clean).join('');
    },
    /** The text that ends the output: resets colors. */
    end(): string {
      held = '';
      const reset = colored ? '\x1b[0m' : '';
      colored = false;
      return reset;
    },
  };
}

/** Sanitizes a complete text. */
export function toTerminalText(text: string): string {
  const filter = createTerminalText();
  return filter.push(text) + filter.end();
}
