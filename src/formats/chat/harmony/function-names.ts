// gpt-oss knows functions as identifiers of TypeScript. Other names of tools are converted in its prompts, and back in its
// calls, as in Ollama.

/** Functions that the model was trained with. */
const builtIn: ReadonlySet<string> = new Set(['browser.open', 'browser.search', 'browser.find', 'python']);

export class FunctionNames {
  readonly #converted = new Map<string, string>();
  readonly #originals = new Map<string, string>();

  constructor(names: Iterable<string>) {
    for (const name of names) this.#add(name);
  }

  /** The name in the prompt. */
  toModel(name: string): string {
    return this.#converted.get(name) ?? name;
  }

  /** The name of the tool that the model calls. */
  fromModel(name: string): string {
    return this.#originals.get(name) ?? name;
  }

  #add(name: string): void {
    if (this.#converted.has(name)) return;
    const converted = builtIn.has(name) ? name : this.#unused(toIdentifier(name));
    this.#converted.set(name, converted);
    this.#originals.set(converted, name);
  }

  /** Different names can become the same identifier: `f`, `f_2`, `f_3`. */
  #unused(identifier: string): string {
    let candidate = identifier;
    for (let number = 2; this.#originals.has(candidate); number++) candidate = `${identifier}_${number}`;
    return candidate;
  }
}

function toIdentifier(name: string): string {
  const valid = name.replace(/[ .-]/g, '_').replace(/[^\p{L}\p{Nd}_$]/gu, '');
  if (valid === '') return 'unnamed';
  return /^\d/.test(valid) ? `_${valid}` : valid;
}
