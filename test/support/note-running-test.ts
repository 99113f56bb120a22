// Runs in every worker before a test file: keeps its note up to date.

import { afterEach, beforeEach, expect } from 'vitest';
import { noteRunning } from './running-tests.ts';

const file = expect.getState().testPath ?? 'unknown';

noteRunning(file);
beforeEach(({ task }) => noteRunning(file, task.fullTestName));
afterEach(() => noteRunning(file));
