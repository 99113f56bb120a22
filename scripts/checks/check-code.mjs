// The checks that read the syntax of the code, in one process, so that each file is parsed once.

import './check-exports.mjs';
import './check-comments.mjs';
import './check-process.mjs';
import './check-sizes.mjs';
