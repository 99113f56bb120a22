// A process that runs one JavaScript program of a model: `javascript-program.js <milliseconds>
// [attached]`. Attached: it ends with its server. The program comes on standard input; what it prints and its last value leave as JSON on standard output.
//
// There are two walls. QuickJS, compiled to WebAssembly, has no files, network, processes or timers, and limits of memory
// and time; a program that breaks out of it is in a process that the sandbox confines. Node's own engine has the
// functions of Node within reach, and its permission model does not claim to hold hostile code.

import { readFileSync } from 'node:fs';
import variant from '@jitl/quickjs-singlefile-cjs-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  shouldInterruptAfterDeadline,
} from 'quickjs-emscripten-core';
import { messageOf } from '../../../base/errors.ts';
import { writeResult } from '../../../base/process/child-program.ts';
import { lowerPriority, prioritySteps } from '../../../base/process/lower-priority.ts';
import { systemClock } from '../../../base/time/clock.ts';
import { endWithServer } from '../../../inference/runner/sandbox/end-with-server.ts';
import { type JavascriptMessage, javascriptLimits } from './javascript-limits.ts';

const standardInput = 0;
const [milliseconds, attached] = process.argv.slice(2);

class Output {
  #text = '';

  get text(): string {
    return this.#text;
  }

  add(line: string): void {
    const room = javascriptLimits.outputLength - this.#text.length;
    this.#text += `${line}\n`.slice(0, Math.max(0, room));
  }
}

async function runProgram(code: string): Promise<JavascriptMessage> {
  const quickjs = await newQuickJSWASMModuleFromVariant(variant.default);
  const runtime = quickjs.newRuntime();
  runtime.setMemoryLimit(javascriptLimits.memoryBytes);
  runtime.setMaxStackSize(javascriptLimits.stackBytes);
  runtime.setInterruptHandler(shouldInterruptAfterDeadline(systemClock.now() + Number(milliseconds)));
  const context = runtime.newContext();
  const output = new Output();
  addConsole(context, output);
  const result = context.evalCode(code, 'program.js');
  if (result.error) return { output: output.text, error: describe(context.dump(result.error)) };
  // Promises that are settled by now; nothing else could settle one.
  const jobs = runtime.executePendingJobs();
  if (jobs.error) return { output: output.text, error: describe(context.dump(jobs.error)) };
  const state = context.getPromiseState(result.value);
  if (state.type === 'rejected') return { output: output.text, error: describe(context.dump(state.error)) };
  if (state.type === 'pending') return { output: output.text, error: 'the promise is never settled' };
  const value = toText(context.dump(state.value));
  if (value !== 'undefined') output.add(value);
  return { output: output.text };
}

/** `console.log` and its relatives; there is no other function from outside. */
function addConsole(context: QuickJSContext, output: Output): void {
  const log = context.newFunction('log', (...values) => {
    output.add(values.map((value) => toText(context.dump(value))).join(' '));
  });
  const object = context.newObject();
  for (const name of ['log', 'info', 'warn', 'error', 'debug']) context.setProp(object, name, log);
  context.setProp(context.global, 'console', object);
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function describe(error: unknown): string {
  const { name, message } = (error ?? {}) as { readonly name?: unknown; readonly message?: unknown };
  if (name === 'InternalError' && message === 'interrupted')
    return `the program ran for more than ${Number(milliseconds) / 1000} s`;
  return (message === undefined ? toText(error) : `${String(name)}: ${String(message)}`).slice(0, 1000);
}

if (attached === 'attached') endWithServer();
lowerPriority(prioritySteps.model);
void runProgram(readFileSync(standardInput, 'utf8'))
  // The engine itself fails, for example without memory.
  .catch((error: unknown): JavascriptMessage => ({ output: '', error: messageOf(error).slice(0, 1000) }))
  .then((message) => writeResult(JSON.stringify(message)));
