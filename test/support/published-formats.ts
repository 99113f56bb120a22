// Chat formats as their authors published them, and Jinja templates like those in models, written for tests.

const coder =
  'You are an exceptionally intelligent coding assistant that consistently delivers accurate and reliable responses to user instructions.\n\n';

export interface Published {
  /** A conversation with its system message and without: S, U1, A1, U2. */
  readonly complete: string;
  readonly plain: string;
  /** A question and the start of an answer. */
  readonly begun: string;
  readonly jinja: string;
  readonly bos?: string;
  readonly eos?: string;
}

/** A Jinja template with one text per role and a generation prompt. */
const byRole = (texts: { system: string; user: string; assistant: string; ask: string; start?: string }): string =>
  `{{ bos_token }}${texts.start ?? ''}{% for message in messages %}` +
  `{% if message['role'] == 'system' %}{{ ${texts.system} }}` +
  `{% elif message['role'] == 'user' %}{{ ${texts.user} }}` +
  `{% else %}{{ ${texts.assistant} }}{% endif %}{% endfor %}` +
  `{% if add_generation_prompt %}{{ ${texts.ask} }}{% endif %}`;

/** A Jinja template that puts the system message into the first question. */
const inQuestion = (texts: { system: string; user: string; assistant: string }): string =>
  "{% if messages[0]['role'] == 'system' %}{% set loop_messages = messages[1:] %}" +
  "{% set system_message = messages[0]['content'] %}{% else %}{% set loop_messages = messages %}" +
  '{% set system_message = false %}{% endif %}{% for message in loop_messages %}' +
  `{% if loop.index0 == 0 and system_message != false %}{% set content = ${texts.system} + message['content'] %}` +
  "{% else %}{% set content = message['content'] %}{% endif %}{% if message['role'] == 'user' %}" +
  `{{ ${texts.user} }}{% else %}{{ ${texts.assistant} }}{% endif %}{% endfor %}`;

/** By the name of the format. */
export const published: Readonly<Record<string, Published>> = {
  chatml: {
    complete:
      '<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nU1<|im_end|>\n<|im_start|>assistant\nA1<|im_end|>\n' +
      '<|im_start|>user\nU2<|im_end|>\n<|im_start|>assistant\n',
    plain:
      '<|im_start|>user\nU1<|im_end|>\n<|im_start|>assistant\nA1<|im_end|>\n' +
      '<|im_start|>user\nU2<|im_end|>\n<|im_start|>assistant\n',
    begun: '<|im_start|>user\nU1<|im_end|>\n<|im_start|>assistant\nA1',
    jinja:
      "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}" +
      "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}",
  },
  'llama2-chat': {
    complete: '[INST] <<SYS>>\nS\n<</SYS>>\n\nU1 [/INST] A1 </s><s>[INST] U2 [/INST]',
    plain: '[INST] U1 [/INST] A1 </s><s>[INST] U2 [/INST]',
    begun: '[INST] U1 [/INST] A1',
    bos: '<s>',
    eos: '</s>',
    jinja: inQuestion({
      system: "'<<SYS>>\\n' + system_message + '\\n<</SYS>>\\n\\n'",
      user: "bos_token + '[INST] ' + content.strip() + ' [/INST]'",
      assistant: "' ' + content.strip() + ' ' + eos_token",
    }),
  },
  'llama3-instruct': {
    complete:
      '<|start_header_id|>system<|end_header_id|>\n\nS<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nU1<|eot_id|>' +
      '<|start_header_id|>assistant<|end_header_id|>\n\nA1<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nU2<|eot_id|>' +
      '<|start_header_id|>assistant<|end_header_id|>\n\n',
    plain:
      '<|start_header_id|>user<|end_header_id|>\n\nU1<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nA1<|eot_id|>' +
      '<|start_header_id|>user<|end_header_id|>\n\nU2<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n',
    begun:
      '<|start_header_id|>user<|end_header_id|>\n\nU1<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nA1',
    bos: '<|begin_of_text|>',
    jinja:
      '{% for message in messages %}{% if loop.first %}{{ bos_token }}{% endif %}' +
      "{{ '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] | trim + '<|eot_id|>' }}" +
      "{% endfor %}{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}",
  },
  'mistral-instruct': {
    complete: '[INST] S\n\nU1 [/INST]A1</s>[INST] U2 [/INST]',
    plain: '[INST] U1 [/INST]A1</s>[INST] U2 [/INST]',
    begun: '[INST] U1 [/INST]A1',
    bos: '<s>',
    eos: '</s>',
    jinja:
      "{{ bos_token }}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}" +
      "{{ raise_exception('The user and the assistant take turns.') }}{% endif %}{% if message['role'] == 'user' %}" +
      "{{ '[INST] ' + message['content'] + ' [/INST]' }}{% else %}{{ message['content'] + eos_token }}{% endif %}{% endfor %}",
  },
  'mistral-instruct-spaced': {
    complete: ' [INST] S\n\nU1 [/INST] A1</s> [INST] U2 [/INST]',
    plain: ' [INST] U1 [/INST] A1</s> [INST] U2 [/INST]',
    begun: ' [INST] U1 [/INST] A1',
    bos: '<s>',
    eos: '</s>',
    jinja: `{{- bos_token }}${inQuestion({
      system: "system_message + '\\n\\n'",
      user: "' [INST] ' + content + ' [/INST]'",
      assistant: "' ' + content + eos_token",
    })}`,
  },
  'gemma-instruct': {
    complete:
      '<start_of_turn>user\nS\n\nU1<end_of_turn>\n<start_of_turn>model\nA1<end_of_turn>\n' +
      '<start_of_turn>user\nU2<end_of_turn>\n<start_of_turn>model\n',
    plain:
      '<start_of_turn>user\nU1<end_of_turn>\n<start_of_turn>model\nA1<end_of_turn>\n' +
      '<start_of_turn>user\nU2<end_of_turn>\n<start_of_turn>model\n',
    begun: '<start_of_turn>user\nU1<end_of_turn>\n<start_of_turn>model\nA1',
    bos: '<bos>',
    jinja:
      "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('No system role here') }}{% endif %}" +
      "{% for message in messages %}{% if message['role'] == 'assistant' %}{% set role = 'model' %}{% else %}" +
      "{% set role = message['role'] %}{% endif %}" +
      "{{ '<start_of_turn>' + role + '\\n' + message['content'] | trim + '<end_of_turn>\\n' }}{% endfor %}" +
      "{% if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}",
  },
  'phi-3': {
    complete:
      '<|system|>\nS<|end|>\n<|user|>\nU1<|end|>\n<|assistant|>\nA1<|end|>\n<|user|>\nU2<|end|>\n<|assistant|>\n',
    plain: '<|user|>\nU1<|end|>\n<|assistant|>\nA1<|end|>\n<|user|>\nU2<|end|>\n<|assistant|>\n',
    begun: '<|user|>\nU1<|end|>\n<|assistant|>\nA1',
    bos: '<s>',
    jinja: byRole({
      system: "'<|system|>\\n' + message['content'] + '<|end|>\\n'",
      user: "'<|user|>\\n' + message['content'] + '<|end|>\\n'",
      assistant: "'<|assistant|>\\n' + message['content'] + '<|end|>\\n'",
      ask: "'<|assistant|>\\n'",
    }),
  },
  'phi-4': {
    complete:
      '<|im_start|>system<|im_sep|>S<|im_end|><|im_start|>user<|im_sep|>U1<|im_end|><|im_start|>assistant<|im_sep|>A1<|im_end|>' +
      '<|im_start|>user<|im_sep|>U2<|im_end|><|im_start|>assistant<|im_sep|>',
    plain:
      '<|im_start|>user<|im_sep|>U1<|im_end|><|im_start|>assistant<|im_sep|>A1<|im_end|>' +
      '<|im_start|>user<|im_sep|>U2<|im_end|><|im_start|>assistant<|im_sep|>',
    begun: '<|im_start|>user<|im_sep|>U1<|im_end|><|im_start|>assistant<|im_sep|>A1',
    jinja: byRole({
      system: "'<|im_start|>system<|im_sep|>' + message['content'] + '<|im_end|>'",
      user: "'<|im_start|>user<|im_sep|>' + message['content'] + '<|im_end|>'",
      assistant: "'<|im_start|>assistant<|im_sep|>' + message['content'] + '<|im_end|>'",
      ask: "'<|im_start|>assistant<|im_sep|>'",
    }),
  },
  zephyr: {
    complete: '<|system|>\nS</s>\n<|user|>\nU1</s>\n<|assistant|>\nA1</s>\n<|user|>\nU2</s>\n<|assistant|>\n',
    plain: '<|user|>\nU1</s>\n<|assistant|>\nA1</s>\n<|user|>\nU2</s>\n<|assistant|>\n',
    begun: '<|user|>\nU1</s>\n<|assistant|>\nA1',
    eos: '</s>',
    jinja:
      "{% for message in messages %}\n{% if message['role'] == 'user' %}\n{{ '<|user|>\n' + message['content'] + eos_token }}\n" +
      "{% elif message['role'] == 'system' %}\n{{ '<|system|>\n' + message['content'] + eos_token }}\n" +
      "{% else %}\n{{ '<|assistant|>\n' + message['content'] + eos_token }}\n{% endif %}\n" +
      "{% if loop.last and add_generation_prompt %}\n{{ '<|assistant|>' }}\n{% endif %}\n{% endfor %}",
  },
  vicuna: {
    complete: 'S USER: U1 ASSISTANT: A1</s>USER: U2 ASSISTANT:',
    plain: 'USER: U1 ASSISTANT: A1</s>USER: U2 ASSISTANT:',
    begun: 'USER: U1 ASSISTANT: A1',
    bos: '<s>',
    eos: '</s>',
    jinja: byRole({
      system: "message['content'] + ' '",
      user: "'USER: ' + message['content'] + ' '",
      assistant: "'ASSISTANT: ' + message['content'] + eos_token",
      ask: "'ASSISTANT:'",
    }),
  },
  alpaca: {
    complete: 'S\n\n### Instruction:\nU1\n\n### Response:\nA1\n\n### Instruction:\nU2\n\n### Response:\n',
    plain: '### Instruction:\nU1\n\n### Response:\nA1\n\n### Instruction:\nU2\n\n### Response:\n',
    begun: '### Instruction:\nU1\n\n### Response:\nA1',
    bos: '<s>',
    jinja: byRole({
      system: "message['content'] + '\\n\\n'",
      user: "'### Instruction:\\n' + message['content'] + '\\n\\n'",
      assistant: "'### Response:\\n' + message['content'] + '\\n\\n'",
      ask: "'### Response:\\n'",
    }),
  },
  'command-r': {
    complete:
      '<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>S<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|USER_TOKEN|>U1<|END_OF_TURN_TOKEN|>' +
      '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>A1<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|USER_TOKEN|>U2<|END_OF_TURN_TOKEN|>' +
      '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>',
    plain:
      '<|START_OF_TURN_TOKEN|><|USER_TOKEN|>U1<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>A1<|END_OF_TURN_TOKEN|>' +
      '<|START_OF_TURN_TOKEN|><|USER_TOKEN|>U2<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>',
    begun: '<|START_OF_TURN_TOKEN|><|USER_TOKEN|>U1<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>A1',
    bos: '<BOS_TOKEN>',
    jinja: byRole({
      system: "'<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>' + message['content'] + '<|END_OF_TURN_TOKEN|>'",
      user: "'<|START_OF_TURN_TOKEN|><|USER_TOKEN|>' + message['content'].strip() + '<|END_OF_TURN_TOKEN|>'",
      assistant: "'<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>' + message['content'].strip() + '<|END_OF_TURN_TOKEN|>'",
      ask: "'<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>'",
      start: "{% if false %}{{ 'A preamble that is switched off.' }}{% endif %}",
    }),
  },
  'deepseek-chat': {
    complete: 'S\n\nUser: U1\n\nAssistant: A1<｜end▁of▁sentence｜>User: U2\n\nAssistant:',
    plain: 'User: U1\n\nAssistant: A1<｜end▁of▁sentence｜>User: U2\n\nAssistant:',
    begun: 'User: U1\n\nAssistant: A1',
    bos: '<｜begin▁of▁sentence｜>',
    eos: '<｜end▁of▁sentence｜>',
    jinja: byRole({
      system: "message['content'] + '\\n\\n'",
      user: "'User: ' + message['content'] + '\\n\\n'",
      assistant: "'Assistant: ' + message['content'] + eos_token",
      ask: "'Assistant:'",
    }),
  },
  chatqa: {
    complete: 'System: S\n\nUser: U1\n\nAssistant: A1\n\nUser: U2\n\nAssistant:',
    plain: 'User: U1\n\nAssistant: A1\n\nUser: U2\n\nAssistant:',
    begun: 'User: U1\n\nAssistant: A1',
    bos: '<|begin_of_text|>',
    jinja: byRole({
      system: "'System: ' + message['content'] + '\\n\\n'",
      user: "'User: ' + message['content'] + '\\n\\n'",
      assistant: "'Assistant: ' + message['content'] + '\\n\\n'",
      ask: "'Assistant:'",
    }),
  },
  'granite-instruct': {
    complete: 'System:\nS\n\nQuestion:\nU1\n\nAnswer:\nA1\n\nQuestion:\nU2\n\nAnswer:\n',
    plain: 'Question:\nU1\n\nAnswer:\nA1\n\nQuestion:\nU2\n\nAnswer:\n',
    begun: 'Question:\nU1\n\nAnswer:\nA1',
    jinja: byRole({
      system: "'System:\\n' + message['content'] + '\\n\\n'",
      user: "'Question:\\n' + message['content'] + '\\n\\n'",
      assistant: "'Answer:\\n' + message['content'] + '\\n\\n'",
      ask: "'Answer:\\n'",
    }),
  },
  'falcon-instruct': {
    complete: 'System: S\nUser: U1\nFalcon: A1\nUser: U2\nFalcon:',
    plain: 'User: U1\nFalcon: A1\nUser: U2\nFalcon:',
    begun: 'User: U1\nFalcon: A1',
    jinja:
      "{% for message in messages %}{% if not loop.first %}{{ '\n' }}{% endif %}{% if message['role'] == 'system' %}{{ 'System: ' }}" +
      "{% elif message['role'] == 'user' %}{{ 'User: ' }}{% else %}{{ 'Falcon: ' }}{% endif %}{{ message['content'] }}" +
      "{% endfor %}{% if add_generation_prompt %}{{ '\n' + 'Falcon:' }}{% endif %}",
  },
  openchat: {
    complete:
      'GPT4 Correct System: S<|end_of_turn|>GPT4 Correct User: U1<|end_of_turn|>GPT4 Correct Assistant: A1<|end_of_turn|>' +
      'GPT4 Correct User: U2<|end_of_turn|>GPT4 Correct Assistant:',
    plain:
      'GPT4 Correct User: U1<|end_of_turn|>GPT4 Correct Assistant: A1<|end_of_turn|>' +
      'GPT4 Correct User: U2<|end_of_turn|>GPT4 Correct Assistant:',
    begun: 'GPT4 Correct User: U1<|end_of_turn|>GPT4 Correct Assistant: A1',
    bos: '<s>',
    jinja:
      '{{ bos_token }}{% for message in messages %}' +
      "{{ 'GPT4 Correct ' + message['role'].title() + ': ' + message['content'] + '<|end_of_turn|>' }}{% endfor %}" +
      "{% if add_generation_prompt %}{{ 'GPT4 Correct Assistant:' }}{% endif %}",
  },
  'solar-instruct': {
    complete: '### System:\nS\n\n### User:\nU1\n\n### Assistant:\nA1### User:\nU2\n\n### Assistant:\n',
    plain: '### User:\nU1\n\n### Assistant:\nA1### User:\nU2\n\n### Assistant:\n',
    begun: '### User:\nU1\n\n### Assistant:\nA1',
    bos: '<s>',
    jinja: byRole({
      system: "'### System:\\n' + message['content'] + '\\n\\n'",
      user: "'### User:\\n' + message['content'] + '\\n\\n'",
      assistant: "'### Assistant:\\n' + message['content']",
      ask: "'### Assistant:\\n'",
    }),
  },
  'starcoder2-instruct': {
    complete: 'S\n\n### Instruction\nU1\n\n### Response\nA1<|endoftext|>\n\n### Instruction\nU2\n\n### Response\n',
    plain: `${coder}### Instruction\nU1\n\n### Response\nA1<|endoftext|>\n\n### Instruction\nU2\n\n### Response\n`,
    begun: `${coder}### Instruction\nU1\n\n### Response\nA1`,
    bos: '<|endoftext|>',
    eos: '<|endoftext|>',
    jinja: byRole({
      system: "raise_exception('No system messages.')",
      user: "'### Instruction\\n' + message['content'] + '\\n\\n'",
      assistant: "'### Response\\n' + message['content'] + eos_token + '\\n\\n'",
      ask: "'### Response\\n'",
      start: `{{ '${coder.replaceAll('\n', '\\n')}' }}`,
    }),
  },
  magicoder: {
    complete: 'S\n\n@@ Instruction\nU1\n\n@@ Response\nA1<｜end▁of▁sentence｜>\n\n@@ Instruction\nU2\n\n@@ Response\n',
    plain: `${coder}@@ Instruction\nU1\n\n@@ Response\nA1<｜end▁of▁sentence｜>\n\n@@ Instruction\nU2\n\n@@ Response\n`,
    begun: `${coder}@@ Instruction\nU1\n\n@@ Response\nA1`,
    bos: '<｜begin▁of▁sentence｜>',
    eos: '<｜end▁of▁sentence｜>',
    jinja: byRole({
      system: "raise_exception('No system messages.')",
      user: "'@@ Instruction\\n' + message['content'] + '\\n\\n'",
      assistant: "'@@ Response\\n' + message['content'] + eos_token + '\\n\\n'",
      ask: "'@@ Response\\n'",
      start: `{{ '${coder.replaceAll('\n', '\\n')}' }}`,
    }),
  },
  'codellama-70b-instruct': {
    complete:
      'Source: system\n\n S <step> Source: user\n\n U1 <step> Source: assistant\n\n A1 <step> Source: user\n\n U2 <step> ' +
      'Source: assistant\nDestination: user\n\n ',
    plain:
      'Source: user\n\n U1 <step> Source: assistant\n\n A1 <step> Source: user\n\n U2 <step> ' +
      'Source: assistant\nDestination: user\n\n ',
    begun: 'Source: user\n\n U1 <step> Source: assistant\n\n A1',
    bos: '<s>',
    jinja:
      "{% for message in messages %}{% if loop.first %}{{ '<s>' }}{% endif %}" +
      "{% set content = 'Source: ' + message['role'] + '\\n\\n ' + message['content'] | trim %}{{ content + ' <step> ' }}" +
      "{% endfor %}{{ 'Source: assistant\\nDestination: user\\n\\n ' }}",
  },
  alfred: {
    complete:
      '<start_system>S<end_message><start_user>U1<end_message><start_assistant>A1<end_message>' +
      '<start_user>U2<end_message><start_assistant>',
    plain: '<start_user>U1<end_message><start_assistant>A1<end_message><start_user>U2<end_message><start_assistant>',
    begun: '<start_user>U1<end_message><start_assistant>A1',
    jinja: byRole({
      system: "'<start_system>' + message['content'] + '<end_message>'",
      user: "'<start_user>' + message['content'] + '<end_message>'",
      assistant: "'<start_assistant>' + message['content'] + '<end_message>'",
      ask: "'<start_assistant>'",
    }),
  },
};
