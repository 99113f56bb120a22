// The programs that `hearth launch` can start, in the order of the list.

import { filePrograms } from './file-programs.ts';
import type { Program } from './program.ts';
import { runPrograms } from './run-programs.ts';
import { savedPrograms } from './saved-programs.ts';
import { yamlPrograms } from './yaml-programs.ts';

export const programTable: readonly Program[] = [...savedPrograms, ...runPrograms, ...filePrograms, ...yamlPrograms];
