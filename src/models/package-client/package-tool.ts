// A program that downloads packages: its arguments, its output and its errors.

import { type ErrorCode, HearthError } from '../../base/errors.ts';
import type { PackageReference } from '../package-reference.ts';
import { type CommandOutput, maxToolMemoryBytes, runCommand, type ToolEnvironment } from './run-command.ts';

export interface ResolvedPackage {
  readonly version: string;
  /** Subresource integrity: an algorithm and a hash. Absent: the program itself compares the hash of the index. */
  readonly integrity?: string;
  readonly estimatedSize?: number;
  /** Where the file is, if it can be downloaded without the program. It must match the integrity. */
  readonly url?: string;
}

export interface PackageTool {
  /** For messages. */
  readonly name: string;
  /** The first one that works is used. */
  readonly commands: readonly (readonly [program: string, ...args: string[]])[];
  /** The file name extension of a download. */
  readonly extension: string;
  /** Variables in addition to those of the server. */
  environment(folder: string): ToolEnvironment;
  resolveArguments(reference: PackageReference): readonly string[];
  parseResolved(stdout: string, reference: PackageReference): ResolvedPackage;
  /** The file is written into the current folder. */
  downloadArguments(reference: PackageReference, version: string): readonly string[];
  /** The size of the download, if the line of output contains it. */
  sizeIn(line: string): number | undefined;
  /** The kind of a failure, and the part of the output that explains it. */
  explain(output: CommandOutput): { readonly code: ErrorCode; readonly reason: string };
}

export interface ToolContext {
  readonly folder: string;
  readonly environment: ToolEnvironment;
  readonly signal: AbortSignal;
}

interface ToolRun extends ToolContext {
  readonly args: readonly string[];
  readonly onLine?: (line: string) => void;
  /** For messages. */
  readonly package: string;
}

/** Returns the standard output. */
export async function runTool(tool: PackageTool, run: ToolRun): Promise<string> {
  const { folder, environment, signal, args, onLine } = run;
  for (const [program, ...first] of tool.commands) {
    const output = await runCommand({
      program,
      args: [...first, ...args],
      cwd: folder,
      environment: { ...environment, ...tool.environment(folder) },
      signal,
      onLine,
    });
    if (output === undefined || isModuleMissing(output)) continue;
    if (output.code === 0) return output.stdout;
    const { code, reason } = isOutOfMemory(output) ? tooMuchMemory(tool) : tool.explain(output);
    // Clients need not know where the server keeps its files.
    const text = withoutCredentials(reason.replaceAll(folder, ''));
    throw new HearthError(code, `${run.package}: ${text}`);
  }
  const message = `${run.package}: ${tool.name} is not installed on the server's machine; install it, or pull from a registry`;
  throw new HearthError('unsupported', message);
}

/** Python raises an error; Node prints a line and aborts, or throws for a buffer. */
function isOutOfMemory({ code, stderr }: CommandOutput): boolean {
  const lines =
    /^MemoryError\b|heap out of memory|Array buffer allocation failed|std::bad_alloc|process out of memory/m;
  return code !== 0 && lines.test(stderr);
}

function tooMuchMemory({ name }: PackageTool): ReturnType<PackageTool['explain']> {
  const limit = `${maxToolMemoryBytes / 2 ** 20} MiB`;
  const reason = `${name} needs more than ${limit} of memory to read the package, so it was stopped`;
  return { code: 'registry_invalid_response', reason };
}

/** Python without pip. */
function isModuleMissing({ code, stderr }: CommandOutput): boolean {
  return code === 1 && /^.*: No module named pip$/m.test(stderr);
}

const maxReason = 500;

/** URLs in configurations can contain a password. */
function withoutCredentials(text: string): string {
  const line = text
    .replace(/\/\/[^/@\s]*@/g, '//')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > maxReason ? `${line.slice(0, maxReason)}…` : line;
}
