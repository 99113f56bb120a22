// The checks that read the code and the documents, in one process, so that each file is parsed once.

import { checkArrows } from '../check-arrows.mjs';
import { checkComments } from './check-comments.mjs';
import { checkDocuments } from './check-documents.mjs';
import { checkExports } from './check-exports.mjs';
import { checkProcess } from './check-process.mjs';
import { checkSizes } from './check-sizes.mjs';
import { runAsScript } from './read-sources.mjs';

runAsScript(import.meta, checkExports, checkComments, checkProcess, checkSizes, checkArrows, checkDocuments);
