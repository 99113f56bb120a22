// The log of vLLM: what it does while it loads, and why it ended. The lines are for people, so everything here is a guess that
// may find nothing.

const maxLine = 4000;
const maxLines = 400;

// "(EngineCore pid=12) INFO 11-18 17:33:59 [loader.py:1] text"
const prefix =
  /^(?:\([^()]{1,60}\) )?(?:(INFO|WARNING|ERROR|CRITICAL|DEBUG) [\d-]{1,10} [\d:.]{1,15} (?:\[[^\]]{1,80}\] )?)?/;

/** The text of a line without the process and the time. */
export function plainLine(line: string): string {
  return line.replace(prefix, '').trim();
}

export function levelOf(line: string): 'info' | 'warn' | 'error' {
  const level = prefix.exec(line)?.[1];
  if (level === 'WARNING') return 'warn';
  return level === 'ERROR' || level === 'CRITICAL' ? 'error' : 'info';
}

const steps: readonly (readonly [RegExp, string])[] = [
  [/^Starting to load model/, 'loading weights'],
  [/^Loading weights took|^Model loading took/, 'preparing the model'],
  [/torch\.compile|^Dynamo bytecode|^Compiling/i, 'compiling the model'],
  [/^Capturing CUDA graph|^Graph capturing/i, 'capturing graphs'],
  [/KV cache|^Available KV/, 'preparing the KV cache'],
  [/^Starting vLLM|^Application startup|^Started server/i, 'starting the API'],
];

/** What vLLM does now, such as "loading weights 3 of 8". Undefined if the line does not tell. */
export function stepOf(line: string): string | undefined {
  const text = plainLine(line);
  const shards = /^Loading [\w ]{1,40}shards: +\d{1,3}% Completed \| (\d{1,6})\/(\d{1,6})/.exec(text);
  if (shards !== null) return `loading weights ${shards[1]} of ${shards[2]}`;
  return steps.find(([pattern]) => pattern.test(text))?.[1];
}

// The processes around the one that failed report only that it did.
const consequence =
  /Engine core initialization failed|WorkerProc initialization failed|See root cause above|Exception in worker/;
const raised = /^(?:[\w.]{1,80}\.)?[A-Z]\w{0,60}(?:Error|Exception|Interrupt|Exit)\b[^:]{0,20}: ./;
const complaint = /^vllm serve: error: |^vllm: error: |: error: |\bCUDA out of memory\b|No available memory/;

/** The line that most likely names the reason why it ended. */
export function causeIn(lines: readonly string[]): string | undefined {
  const texts = lines.map(plainLine).filter((text) => !consequence.test(text));
  const index = texts.findIndex((text) => raised.test(text) || complaint.test(text));
  if (index === -1) return lines.findLast((line) => levelOf(line) === 'error')?.slice(0, maxLine);
  const first = texts[index] ?? '';
  // A validation error says in the lines after the first one what is wrong.
  const next = /validation errors? for/.test(first) ? (texts[index + 1] ?? '') : '';
  return `${first} ${next}`.trim();
}

/** Cuts output into lines, and keeps the last ones. */
export class LogLines {
  readonly #onLine: (line: string) => void;
  readonly #last: string[] = [];
  #partial = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  get last(): readonly string[] {
    return this.#last;
  }

  feed(chunk: string): void {
    // Progress bars return to the start of their line.
    const lines = (this.#partial + chunk).split(/[\r\n]/);
    this.#partial = (lines.pop() ?? '').slice(0, maxLine);
    for (const line of lines) {
      if (line.trim() === '') continue;
      const kept = line.slice(0, maxLine);
      this.#last.push(kept);
      this.#onLine(kept);
    }
    this.#last.splice(0, this.#last.length - maxLines);
  }

  /** Drops the lines so far, so that they are not taken for the cause of a later failure. */
  clear(): void {
    this.#last.length = 0;
  }
}
