// The environment of the process, which only this file reads.

export type Environment = Readonly<Record<string, string | undefined>>;

export const processEnvironment: Environment = process.env;
