// Memory that the thread that computes and the watchdog share. The number of the pass and the flag that ends it are in
// one word, so that the watchdog ends the pass that it looked at or none.

export interface WatchBoard {
  readonly buffer: SharedArrayBuffer;
  readonly words: Int32Array;
  /** Two bytes: whether to end the pass, and 0. */
  readonly flag: Uint8Array;
}

/** The word of the pass: its number in the upper half, the flag in the lowest byte. 0 if no pass is watched. */
const passWord = 0;
/** Whether the watchdog sleeps until there is a pass. */
const sleepWord = 1;
/** Milliseconds after which the pass is late. */
const lateWord = 2;
const passShift = 16;
const maxNumber = 0x7fff;
const stop = 1;

export function openWatchBoard(buffer = new SharedArrayBuffer(16)): WatchBoard {
  // The lowest byte is the first one: all processors with a backend are little-endian.
  return { buffer, words: new Int32Array(buffer), flag: new Uint8Array(buffer, 0, 2) };
}

/** Numbers of passes count up, and wrap around. */
export function beginWatch({ words }: WatchBoard, number: number, late: number): void {
  words[lateWord] = late;
  Atomics.store(words, passWord, ((number % maxNumber) + 1) << passShift);
  if (Atomics.exchange(words, sleepWord, 0) === 1) Atomics.notify(words, sleepWord);
}

export function endWatch({ words }: WatchBoard): void {
  Atomics.store(words, passWord, 0);
}

/** What the watchdog sees. */
export interface WatchedPass {
  /** 0 if no pass is watched. */
  readonly pass: number;
  /** Milliseconds after which it is late. */
  readonly late: number;
}

export function watchedPass({ words }: WatchBoard): WatchedPass {
  return { pass: Atomics.load(words, passWord), late: words[lateWord] as number };
}

/** Does nothing if the pass has ended. */
export function stopPass({ words }: WatchBoard, pass: number): void {
  Atomics.compareExchange(words, passWord, pass, pass | stop);
}

export function sleepFor({ words }: WatchBoard, milliseconds: number): void {
  Atomics.wait(words, sleepWord, 0, milliseconds);
}

export function sleepUntilPass({ words }: WatchBoard): void {
  Atomics.store(words, sleepWord, 1);
  if (Atomics.load(words, passWord) === 0) Atomics.wait(words, sleepWord, 1);
  Atomics.store(words, sleepWord, 0);
}
