// How a child program tells the server why it has failed: the fields of a message.

import { type ErrorCode, errorCatalogue, HearthError, systemCodeOf, toHearthError } from '../errors.ts';

export interface ProgramFailure {
  readonly kind: 'failed';
  readonly code: ErrorCode;
  readonly message: string;
  /** Such as ENOSPC, if the operating system reported the error. */
  readonly systemCode?: string | undefined;
}

/** In the program. */
export function toProgramFailure(error: unknown): ProgramFailure {
  const { code, message } = toHearthError(error);
  const systemCode = systemCodeOf(error);
  // The code of a HearthError is no system code.
  const isSystem = systemCode !== undefined && systemCode !== code;
  return { kind: 'failed', code, message, systemCode: isSystem ? systemCode : undefined };
}

/** In the server, which does not trust the program. */
export function parseProgramFailure(value: Readonly<Record<string, unknown>>): ProgramFailure {
  const { code, message, systemCode } = value;
  return {
    kind: 'failed',
    code: typeof code === 'string' && Object.hasOwn(errorCatalogue, code) ? (code as ErrorCode) : 'internal',
    message: String(message),
    systemCode: typeof systemCode === 'string' ? systemCode : undefined,
  };
}

/** The store explains errors of the operating system, such as a full disk. */
export function toFailureError({ code, message, systemCode }: ProgramFailure): Error {
  return systemCode === undefined
    ? new HearthError(code, message)
    : Object.assign(new Error(message), { code: systemCode });
}
