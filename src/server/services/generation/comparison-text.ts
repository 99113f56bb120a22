// The text that models are compared on unless the request has one: prose about this program, of our own writing. A change of it
// changes all figures.

export const comparisonText = `Context. The server needs the speed of llama.cpp, its own batching and its own prefix cache. It must install without a compiler and with install scripts disabled. Candidates: existing npm bindings, the llama-server program, and the shared libraries in the @node-llama-cpp/ packages.

Decision. koffi calls the C API of these shared libraries, synchronously, with a threadpool attached to the context. Batching, prefix reuse, sampling order, stop sequences and context shift are implemented in TypeScript.

Reasons. A 500M model reaches 1.00 of llama-bench through koffi. An existing binding reached 0.98 with one stream and 0.75 with eight. An FFI call costs 0.1 µs. llama-server has the speed, but does not give control over scheduling.

Decision. Every loaded model has its own child process, the runner. Server and runner exchange JSON lines over a separate pipe (file descriptor 3), not over Node's IPC channel. Standard error belongs to llama.cpp; its last lines become the error message when a runner dies.

Reasons. A crash affects only the running requests of one model. Unloading ends a process, which is certain to free its memory. The thread of the server is never blocked. A separate pipe can be bounded and validated; invalid data on Node's IPC channel throws in the parent.

Cost. A message costs some microseconds and, if all cores are computing, a context switch. Text of very fast models is therefore sent in pieces of up to 40 ms, and of up to 25 ms on a GPU. Starting a process takes about 0.15 s.

Context. llama.cpp can keep all sequences in one unified KV cache, where sequences share a prefix without a copy (llama_memory_seq_cp), or give each sequence its own stream. The first plan was the unified cache. Two requirements matter: prefixes are shared, and the text of a request does not depend on other requests.

In the unified cache, attention covers the cells of all requests, so other requests and cached prefixes cost speed. Rounding also depends on the cells that a request got: llama.cpp sums in cell order, in tiles of 64 cells, or in as many parts as there are threads. Freed cells are reused first, so the cell order of a request changes with the other requests.

Decision. kv_unified is off. A prefix is reused by copying KV state (llama_state_seq_get_data, …_set_data): from a live request, or from the prefix cache, a bounded part of main memory with the evaluated prompts of finished requests (least recently used is evicted first). A request whose prompt starts like a prompt that is being evaluated waits for it and copies. Live requests always use the streams 0 … n−1, because llama.cpp puts only adjacent streams into one pass. When a request ends, the last stream moves into its slot.

Prompt parts under 64 tokens share a pass with all requests. Longer parts run alone and are split at the same positions regardless of load, because llama.cpp switches to another attention kernel at 64 tokens per sequence.

Cost. Copying 1,000 tokens of the 500M model takes about 20 ms; evaluating them takes 4 to 5 s. A prefix that eight requests share is in memory eight times, but each stream reserves its full context anyway.

Limits of llama.cpp. From 512 tokens of context on, llama.cpp splits the attention of a single row over its threads and sums in another order than for several rows. Beyond that, an answer alone and the same answer among others can diverge where two tokens are almost equally likely. The same is true where a prefix was evaluated by another request in other parts, and on processors whose matrix multiplication rounds a row differently depending on the number of rows. On a slow machine (128 prompt tokens take more than half a second), prompts of 65 to 127 tokens are split while others generate, and round differently than alone.

On GPUs, prefixes are copied within their memory, and prompts of all lengths share a pass: ADR 53, which has a unified cache measured on one.

Decision. A server writes its own lock file at start and then looks for others. If two start at the same time, at least one stops and names the owner of the store. A lock is alive if its process is (Linux), or if its heartbeat is recent. Leftovers of a killed process are removed at the next start. A read-only store is served without a lock, because nobody can change it.

Within the process, running work holds the blobs that it needs. A blob that was uploaded, or whose existence was reported to a client, stays for an hour.

Also. Symbolic links below manifests/ and blobs/ are not followed, so that a name cannot reach a file outside the store. The store itself and these two folders may be links. Only callers on the same machine may name files of the server in create; others upload them.

Context. Weights have many gigabytes, connections break, and servers are stopped during a download. Downloaded bytes must not be fetched again, and the digest must be verified without reading the file a second time at the end.

Decision. A download is one sparse file of the full size, plus a journal of the ranges that have arrived. Both are in the folder of blobs under names of their own, so that garbage collection recognizes them and keeps them for seven days.

There is one transfer per blob and process. Callers join it, see its progress, and it ends when the last one leaves. Content-Range, lengths and strong ETags are compared with the manifest before a byte is written. A registry without range requests is read in one stream, and bytes that are already on disk are skipped.

Bytes are read from sockets into reusable buffers and passed on without concatenation. New buffers for every read cost a fifth of the time in garbage collection.

Consequences. If the server is killed twenty times during 200 MB, only the bytes in connection buffers are fetched twice. An upload can resume only if the registry reports its offset. The reference registry forgets an interrupted upload; the blob is then sent again.

Context. Eight endless answers of one client took all slots of a model, and all others waited. Clients that repeat refused requests at once filled the queue, and an ordinary client got 3 of 50 answers. A server that a team shares must divide loads, slots, the queue and memory between clients, not between requests.

The queue. If a model's queue is full (HEARTH_MAX_QUEUE), the client with the most waiting requests loses its newest one (503) to a client that still has fewer with its new request. Running requests decide between equals. So two clients never replace each other's requests in turn, and a client that retries gets no larger part. A request can lose its place until the runner has started it. Beyond HEARTH_MAX_QUEUE, 256 places of each queue are reserved for clients without a waiting request, so that a client is not refused beside a crowd of clients that each have one. Of 25 requests beside 60 such clients and a queue of 16, none was answered before. retry-after is the length of the queue times the mean time between the beginnings of its requests.

Reloads. A request with other load options than the loaded model has needs a reload, which all clients of the model wait for. A client that asked for another num_ctx with every request made others wait 11 s. If another client has used the model within a minute:

Loads and slots rotate between clients. A client joins at the end of the rotation when it begins to wait, so every other client goes at most once before it, also if new clients keep arriving.

Slots are yielded. A request that has generated for HEARTH_SLOT_TIME (5 s) yields its slot to a waiting request whose client has fewer slots. Sampler, grammar, penalties, text and probabilities stay with the request. Its cells of the KV cache go to the prefix cache, in an entry of their own: after a context shift they belong to no prefix that another request could use. Later it continues with these cells, before the other requests of its client, which have not begun. The text is the same as without the pause. For this, the cells are moved together after every context shift, not only in a pause: attention is rounded in the order of the cells. Prompts do not yield: their turn would be lost if the cells are, and a prompt ends by itself. For the same reason the time counts from the first token in the slot.

HTTP. A connection can have 100 requests without a response; then it is closed. One client can use three quarters of what others leave of the budget for buffered bodies.

Cost. A yield copies the cells out of the KV cache and back: a few milliseconds for a small model, about 20 ms per 1,000 tokens of a 500M model in each direction (ADR 3). The pause is visible in the stream of the answer, and is not part of eval_duration.

Limits. Paused requests compete with other prefixes for the prefix cache (HEARTH_PREFIX_CACHE). If the cells do not fit or were evicted, the tokens are evaluated again. The text is then the same up to rounding: tokens that were evaluated one by one are evaluated together. After a context shift, the tokens that are left are evaluated without those that were removed. Calls for embeddings take turns by call, not by client.

Rejected. A share of the slots that is reserved for other clients: it would be idle most of the time. A limit of running requests per client: it slows down the only user of a machine.

Context. Schemas, grammars, tool lists and Go templates come from callers. Converting one took most of a second on the server's thread, and every other request waited. The limits of these formats bound the total work; they do not make it short.

Considered. - Lower limits. Schemas of real programs have thousands of values, and a limit on steps that is safe refuses them. - Everything in a thread. A small schema takes less time than its way to a thread and back, and would wait behind large ones. - Slices of work with pauses. The converters are recursive functions of plain data; as generators they are harder to read and slower.

Decision. - Each conversion is a task: a function of plain data that counts its steps. It runs on the server's thread first, with a limit of steps that should take about 20 milliseconds. Above the limit it starts again in a worker thread, without that limit. - What is known before the work starts counts at once: the size of the document, the number of messages, the length of a template. Large inputs never begin on the server's thread. - Threads and the processes of Jinja (ADR 8) share a pool: clients take turns, a job has ten seconds, a job that is slow while others wait is killed, a job whose request ends is dropped, and the queue is bounded. - Grammars and refusals are cached by the text of the schema. Requests with the same schema at the same time share the work. The keywords that a grammar does not enforce are found by the same task. - Models, the processes of Jinja and, on Linux, these threads have a lower priority than the server's thread. It needs little time, and on a machine with few cores every request waited while they computed. - Parsing a body cannot move: copying the result back takes as long. Bodies have a limit of names and values instead, which are counted while the body arrives.

A thread is enough here, unlike for Jinja: the limits of schemas and Go templates keep their memory far below that of a thread.

Cost. A task that is too long for the server's thread wastes some milliseconds there. The first one starts a thread. Large conversations are copied to the thread.

Figures, all on a shared machine with two cores and a load between 8 and 12, so they are upper bounds: - The most expensive of 44 hostile schemas took 750 ms of processor time to convert, on the server's thread. - Now the longest delay of GET /api/version during one of the nine worst is 108 ms, and 232 ms while 18 of them arrive at once. - With its limit of steps, the attempt on the server's thread took at most 57 ms of processor time for one of the 44, and less than 32 ms for the others. Code that is not yet optimized is included. - The first task of a thread took 360 to 710 ms, including its start. A small schema takes 0.6 ms in a running thread and 0.2 ms without one.

Context. From the command to the first answer, a start took 1.4 s, most of it processor time: finding and compiling 1,500 modules, compiling a validator for the schema of every route, building the OpenAPI document, and checking the store. A command that starts a server in the background waits for all of it. An idle server took 124 MB.

Considered. - module.enableCompileCache(). Node has it from version 22.1 on, and Hearth supports Node 20. - A startup snapshot (node --snapshot-blob). The fastest, but it needs a flag of Node, so that the command would have to start Node twice, and it must be built for every version of Node. - ES modules with code splitting. node:vm can cache the code of scripts on Node 20; for modules it needs an experimental flag. - Rollup, which vite brings along. It needs plugins for TypeScript, CommonJS and packages; esbuild needs none and bundles in one second. - A minified bundle. It saves a quarter of the file, and stack traces would lose their lines.

Context. An agent repeats a prompt of 10,000 to 20,000 tokens in every turn. A KV cache can be cut at any token, so a prefix is a copy that is cut (ADR 3). Three kinds of models have another memory. A recurrent state (Mamba) belongs to the last token alone. Hybrid models (LFM2, Qwen 3-next, Granite 4) have such a state next to a KV cache. Models with a sliding window (Gemma, gpt-oss) look as if they could be cut, but a snapshot of llama.cpp has only the cells in the window of the last token, also with swa_full: after a cut, cells are missing and the answer is wrong. And everything was lost when a model was unloaded.

Facts about llama.cpp (v0.4.0, measured with small models of each kind). llama_state_seq_get_data_ext with PARTIAL_ONLY copies what cannot be cut: the window or the state. After a snapshot and then a state are restored, the tokens behind the state can be removed. A snapshot starts with a magic number and the sequence, then has one entry per stream and cache, and is accepted only with the same number of streams. Removing tokens in the middle, which a context shift needs, fails in recurrent and hybrid models, although llama_memory_can_shift returns true for them.

Decision: marks. memory-kind.ts determines the kind from the sizes of an empty sequence. Where the memory cannot be cut at any token, the state is copied at marks while a prompt is evaluated: after the first message (system and tools), at the last message, and at the header of the answer. A message starts with the first control token that occurs more than once, which is true of almost every template, so services need not know. A fourth mark is learned: where a prompt leaves a known one. A kept prefix has one snapshot and the states of its marks, not a snapshot for each mark. The header of the answer is excluded because templates that cut old thoughts change it in the next turn. Requests that arrive together place a mark where their prompts differ. Contexts of recurrent and hybrid models are not shifted; a full one ends the answer. swa_full stays on: without it, a context with windowed layers cannot be shifted.

Decision: reuse is not limited by length. On the CPU a prefix of two tokens is reused, but a copy of a sequence that is 64 times longer than what it saves is not made; 32 times below 16 tokens.

Decision: the runner writes the files. A snapshot of 20,000 tokens has hundreds of megabytes. Through the protocol it would be encoded, copied and validated by the thread of the server, which serves all requests. The runner is sandboxed because it executes native code on untrusted files, so it gets access to one folder, which belongs to its weights, adapters and projector: a model that takes over its runner finds only prompts that were sent to the same model. The server names the folder, bounds the size of all folders and removes files by their names, sizes and times without opening them. A runner that was taken over could fill the disk, as it could fill the memory before.
`;
