// Converts the JSON schemas of public collections and matches their instances against the grammars, without a model.
// BENCH_SCHEMAS is a folder: the data of MaskBench (maskbench/data in a checkout of guidance-ai/jsonschemabench), or a draft of
// the JSON Schema Test Suite (npm package @json-schema-org/tests).

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { report } from './report.ts';
import type { SchemaCase, SchemaResult } from './schema-worker.ts';

const folder = process.env['BENCH_SCHEMAS'];
// The matcher tries all parses: a few instances would take minutes.
const timeoutMs = 30_000;
const goal = { passed: 9000, p99Ms: 100 };

export async function measureSchemas(): Promise<void> {
  if (folder === undefined) {
    console.log('      schemas: skipped, because BENCH_SCHEMAS does not name a folder of schemas');
    return;
  }
  const cases = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => readCases(join(folder, name)));
  const results = await measureAll(cases);
  const measured = results.filter((result) => result !== undefined);
  const refused = measured.filter((result) => result.refused !== undefined);
  const converted = measured.filter((result) => result.refused === undefined);
  const passed = converted.filter((result) => result.rejectedValid === 0 && result.acceptedInvalid === 0);
  const broken = converted.filter((result) => result.isEnforced && result.acceptedInvalid > 0);
  const times = measured.map(({ convertMs }) => convertMs).sort((a, b) => a - b);
  const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
  report({ what: 'schemas', value: String(cases.length) });
  report({ what: 'converted', value: String(converted.length) });
  report({ what: 'refused with a reason', value: String(refused.length) });
  for (const [reason, count] of countReasons(refused).slice(0, 12)) console.log(`        ${count} × ${reason}`);
  report({ what: 'with keywords that are named as not enforced', value: count(converted, (one) => !one.isEnforced) });
  report({ what: 'a valid instance is rejected', value: count(converted, (one) => one.rejectedValid > 0) });
  report({ what: 'not matched in time', value: String(results.length - measured.length) });
  const passes = { what: 'passed entirely', value: String(passed.length), goal: `> ${goal.passed} of MaskBench` };
  report({ ...passes, met: passed.length > goal.passed });
  const accepts = { what: 'an invalid instance is accepted, and every keyword is enforced', goal: '0' };
  report({ ...accepts, value: String(broken.length), met: broken.length === 0 });
  const conversion = `p50 ${toText(times[times.length >> 1])}, p99 ${toText(p99)}, longest ${toText(times.at(-1))}`;
  report({ what: 'conversion', value: conversion, goal: `p99 < ${goal.p99Ms} ms`, met: p99 < goal.p99Ms });
}

function count(results: readonly SchemaResult[], matches: (result: SchemaResult) => boolean): string {
  return String(results.filter(matches).length);
}

function toText(milliseconds = 0): string {
  return `${milliseconds.toFixed(1)} ms`;
}

/** A file is one case, or a list of cases. */
function readCases(path: string): SchemaCase[] {
  const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
  return [content].flat() as SchemaCase[];
}

async function measureAll(cases: readonly SchemaCase[]): Promise<(SchemaResult | undefined)[]> {
  const results: (SchemaResult | undefined)[] = [];
  let worker = startWorker();
  for (const one of cases) {
    const result = await measureOne(worker, one);
    if (result === undefined) {
      await worker.terminate();
      worker = startWorker();
    }
    results.push(result);
  }
  await worker.terminate();
  return results;
}

function startWorker(): Worker {
  return new Worker(new URL('./schema-worker.js', import.meta.url), { resourceLimits: { stackSizeMb: 60 } });
}

/** Undefined: it took too long, or the worker failed. */
function measureOne(worker: Worker, one: SchemaCase): Promise<SchemaResult | undefined> {
  return new Promise((resolve) => {
    const finish = (result?: SchemaResult): void => {
      clearTimeout(timer);
      worker.off('message', finish);
      worker.off('error', fail);
      resolve(result);
    };
    const fail = (): void => finish();
    const timer = setTimeout(fail, timeoutMs);
    worker.on('message', finish);
    worker.on('error', fail);
    worker.postMessage(one);
  });
}

/** Without the names and numbers in them. */
function countReasons(refused: readonly SchemaResult[]): (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { refused: reason = '' } of refused) {
    const kind = reason
      .replace(/^format: \S+/, '…')
      .replace(/\d+/g, 'N')
      .slice(0, 100);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}
