// What a child program shares with the process that started it: its output, and its environment. A child program has no
// logger and no settings of its own.

/** Writes the result of a program to standard output. */
export function writeResult(text: string): void {
  process.stdout.write(text);
}

/** The server passes the lines of standard error on to its log. */
export function writeErrorLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The variables that the server chose, for a program that is started in the place of this one. */
export function inheritedEnvironment(): NodeJS.ProcessEnv {
  // biome-ignore lint/style/noProcessEnv: they are passed on, not read as settings.
  return { ...process.env };
}

/** The variable with the process id of the server. */
export const serverVariable = 'HEARTH_SERVER_PID';

/** Whether the server that started this program is gone. False if no server did. */
export function hasLostServer(): boolean {
  // biome-ignore lint/style/noProcessEnv: the server sets it for this program.
  const server = process.env[serverVariable];
  return server !== undefined && Number(server) !== process.ppid;
}

/** For libraries that can be told in no other way. */
export function setVariable(name: string, value: string): void {
  // biome-ignore lint/style/noProcessEnv: a library reads it, this program does not.
  process.env[name] = value;
}
