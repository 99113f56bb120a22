import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../../test/support/fake-clock.ts';
import { runInRequest } from '../../../base/request/request-scope.ts';
import { systemClock } from '../../../base/time/clock.ts';
import { readGgufFile } from '../../gguf/read-gguf.ts';
import { createJinjaRenderer } from './jinja-renderer.ts';

const { render, stop } = createJinjaRenderer(systemClock);
afterAll(stop);

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });
const system = (content: string) => ({ role: 'system', content });

const angles =
  "{% for message in messages %}{{ '<' + message.role + '>' + message.content + '</>' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<assistant>' }}{% endif %}";

const endless = '{% for a in range(1000) %}'.repeat(9) + '{% endfor %}'.repeat(9);

/** Advances the clock until the promise settles: the processes start in real time. */
async function advanceUntil(clock: FakeClock, promise: Promise<unknown>, milliseconds: number): Promise<void> {
  let settled = false;
  const mark = (): void => {
    settled = true;
  };
  promise.then(mark, mark);
  while (!settled) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    clock.advance(milliseconds);
  }
}

describe('the data of templates', () => {
  test('messages and a generation prompt', async () => {
    expect(await render(angles, { messages: [system('s'), user('a')] })).toBe('<system>s</><user>a</><assistant>');
  });

  test('tokens and other variables', async () => {
    const source = '{{ bos_token }}{{ eos_token }}{% if enable_thinking %}yes{% endif %}';
    expect(await render(source, { messages: [], bos_token: '<s>', eos_token: '</s>', enable_thinking: true })).toBe(
      '<s></s>yes',
    );
  });

  test('absent tools are none, not undefined', async () => {
    const source = "{{ 'some' if tools is not none else 'none' }}{{ ' defined' if tools is defined }}";
    expect(await render(source, { messages: [] })).toBe('none defined');
  });

  test.each([
    ['{% for c in messages[0].tool_calls %}x{% endfor %}.', '.'],
    ['{% for c in messages[0].tool_calls if c.name %}x{% else %}none{% endfor %}', 'none'],
    ['{% for c in nowhere %}x{% endfor %}{% for c in [1, 2] %}{{ c }}{% endfor %}', '12'],
    ['{% for n in [[1], none_such, [2]] %}({% for c in n %}{{ c }}{% endfor %}){% endfor %}', '(1)()(2)'],
    ['{{ nowhere is defined }}', 'False'],
  ])('a loop over an undefined value runs zero times: %s', async (source, text) => {
    expect(await render(source, { messages: [user('a')] })).toBe(text);
  });

  test('a loop over none or a number fails', async () => {
    for (const value of ['none', '5'])
      await expect(render(`{% for c in ${value} %}{% endfor %}`, { messages: [] })).rejects.toThrow('in for loop');
  });

  test('a loop unpacks tuples', async () => {
    expect(await render('{% for a, b in [("x", 1), ["y", 2]] %}{{ a }}{{ b }} {% endfor %}', {})).toBe('x1 y2 ');
  });

  test("tools and calls print as Python's json does", async () => {
    const source =
      '{{ tools[0] | tojson }}{% for m in messages %}{% for c in m.tool_calls %}' +
      '{{ c.type }} {{ c.function.name }} {{ c.function.arguments | tojson }}{% endfor %}{% endfor %}';
    const calls = [{ type: 'function', function: { name: 'f', arguments: { z: 1, a: [true, 'é<'] } } }];
    const data = { messages: [{ ...assistant(''), tool_calls: calls }], tools: [{ type: 'function', function: {} }] };
    expect(await render(source, data)).toBe(
      '{"type": "function", "function": {}}function f {"z": 1, "a": [true, "é<"]}',
    );
  });

  test('a block removes its own line', async () => {
    expect(await render('{% for i in range(2) %}\n  {% if true %}\nx\n  {% endif %}\n{% endfor %}', {})).toBe('x\nx\n');
  });

  test('the time', async () => {
    const renderer = createJinjaRenderer(createFakeClock(Date.UTC(2030, 8, 7, 12)));
    expect(await renderer.render("{{ strftime_now('%d %b %Y, %-d %B %A 100%%') }}", {})).toBe(
      '07 Sep 2030, 7 September Saturday 100%',
    );
    renderer.stop();
  });
});

describe('a prompt ends with the assistant message to continue', () => {
  test.each([
    ['Hel', '<user>a</><assistant>Hel'],
    ['Hello ', '<user>a</><assistant>Hello '],
    ['', '<user>a</><assistant>'],
    ['</>', '<user>a</><assistant></>'],
  ])('%j', async (content, expected) => {
    expect(await render(angles, { messages: [user('a'), assistant(content)] })).toBe(expected);
  });

  test('it is trimmed if the template trims contents', async () => {
    const trimming = angles.replace('message.content', '(message.content | trim)');
    expect(await render(trimming, { messages: [user('a'), assistant(' b \n')] })).toBe('<user>a</><assistant>b');
  });

  test('a template that omits it fails', async () => {
    await expect(render('{{ messages[0].content }}', { messages: [user('a'), assistant('b')] })).rejects.toMatchObject({
      code: 'bad_template',
    });
  });

  test('a message with tool calls is not continued', async () => {
    const calls = [{ type: 'function', function: { name: 'f', arguments: {} } }];
    expect(await render(angles, { messages: [{ ...assistant('x'), tool_calls: calls }] })).toBe(
      '<assistant>x</><assistant>',
    );
  });
});

describe('errors of templates', () => {
  test.each([
    ['{{ raise_exception("roles must alternate") }}', 'rejects the conversation: roles must alternate'],
    ['{% if %}', 'the chat template of the model fails: '],
    ['{{ 1 | nonsense }}', 'the chat template of the model fails: '],
    ['x'.repeat(2 ** 20 + 1), 'too long'],
  ])('%#', async (source, message) => {
    const rendered = render(source, { messages: [] });
    await expect(rendered).rejects.toMatchObject({ code: 'bad_template' });
    await expect(rendered).rejects.toThrow(message);
  });
});

describe('a hostile template fails, and the next render works', () => {
  const renderer = createJinjaRenderer(systemClock, { milliseconds: 60_000, heapMegabytes: 64, maxText: 100_000 });
  afterAll(() => renderer.stop());
  const grow = (times: number, use: string) =>
    `{% set n = namespace(s='0123456789') %}{% for i in range(${times}) %}{% set n.s = n.s ~ n.s %}{% endfor %}{{ ${use} }}`;

  test.each([
    ['a long range', '{% for i in range(1000000000) %}x{% endfor %}', 'range() is longer'],
    ['an infinite range', '{{ range(0, 10, 0) }}', 'range() is longer'],
    ['a string that doubles', grow(100, 'n.s'), 'Invalid string length'],
    // Node 24 allows one string that is larger than the heap.
    [
      'strings that fill the memory',
      grow(25, '[n.s | upper, (n.s ~ 1) | upper, (n.s ~ 2) | upper]'),
      'used up its memory',
    ],
    ['a list that fills the memory', grow(20, 'n.s.split("0") | length').repeat(2), 'used up its memory'],
    ['a long answer', grow(14, 'n.s'), 'more than 100000 characters'],
    ['depth', `{{ ${'('.repeat(100_000)}1${')'.repeat(100_000)} }}`, 'Maximum call stack'],
    ['recursion', '{% macro a(f) %}{{ f(f) }}{% endmacro %}{{ a(a) }}', 'Maximum call stack'],
  ])('%s', async (_, source, message) => {
    await expect(renderer.render(source, { messages: [] })).rejects.toThrow(message);
    expect(await renderer.render('{{ 1 + 1 }}', {})).toBe('2');
  });
});

describe('values and operators are those of Python', () => {
  test.each([
    ['{{ none }}|{{ true }}|{{ missing }}|{{ 1.5 }}', 'None|True||1.5'],
    [`{{ ['a', "it's", none, {'b': [1, false]}] }}`, `['a', "it's", None, {'b': [1, False]}]`],
    ['{% set x = none %}{% macro m() %}m{% endmacro %}{{ m() }}', 'm'],
    ["{{ 'a' ~ none ~ [1] ~ missing }}", 'aNone[1]'],
    ["{{ 'ab' * 2 }}{{ -1 + 2 }}{{ - 3 }}", 'abab1-3'],
    ['{{ not [] }}{{ not {} }}{{ not [0] }}', 'TrueTrueFalse'],
    ["{{ '{}-{1}-{n}-{{}}'.format('a', 2, n=none) }}", 'a-2-None-{}'],
    ["{{ {'items': 1}.items() | length }}{{ {'items': 1}['items'] }}", '11'],
    ['{{ {}[missing] is defined }}{{ missing is iterable }}', 'FalseTrue'],
    ["{{ none | string }}{{ [1] | trim }}{{ {'a': 1} | string }}", "None[1]{'a': 1}"],
    ['{% set l = [1, 2, 3] %}{{ l.pop(0) }}{{ l.pop() }}{{ l.append(4) }}{{ l }}', '13None[2, 4]'],
    ["{% for k, v in {0: 'a', 512: 'b'}.items() %}{{ v if 100 <= k }}{% endfor %}{{ {512: 'b'}[512] }}", 'bb'],
    ['{{ [3, 1, 2] | min }}{{ [3, 1, 2] | max }}{{ missing | length }}{{ none | selectattr("a") | list }}', '130[]'],
    ['{{ ([] | first) is defined }}', 'False'],
    ["{% for c in 'aé🎉' %}{{ c }},{% endfor %}{% for c in 'abc' if c != 'b' %}{{ c }}{% endfor %}", 'a,é,🎉,ac'],
    [
      '{% set x = 1 %}{% for i in [1, 2] %}{{ x }}{% set x = 5 %}{{ x }}{{ loop.index }},{% endfor %}{{ x }}',
      '151,152,1',
    ],
    ['{% for i in [1, 2, 3] %}{{ i }}{% if i == 2 %}b{% break %}{% endif %}c{% else %}e{% endfor %}', '1c2b'],
    [
      '{% for i in [1, 2] %}{{ i }}{% if i == 1 %}{% continue %}{% endif %}{% for j in [8, 9] %}{{ j }}{% break %}{% endfor %}.{% endfor %}',
      '128.',
    ],
    [
      "{{ 'a-b-c'.rsplit('-', 1) }}{{ 'a-b'.partition('-')[2] }}{{ ','.join(['x', 'y']) }}{{ 'aab'.count('a') }}",
      "['a-b', 'c']bx,y2",
    ],
    [
      "{{ '🎉b'.find('b') }}{{ 'b'.find('x') }}{{ 'xxa'.lstrip('x') }}{{ '12'.isdigit() }}{{ 'a\\nb'.splitlines() }}",
      "1-1aTrue['a', 'b']",
    ],
    ["{{ '🎉-🎉'.strip('🎉') }}{{ 'xa-ax'.rstrip('xa') }}{{ ' a '.strip(none) }}{{ 'xx'.strip('x') }}", '-xa-a'],
    ["{{ ('a\\n' * 200000).splitlines() | length }}", '200000'],
    ["{{ 'ab'.removeprefix('a') }}{{ 'ab'.removesuffix('b') }}{{ [1, 2, 1].count(1) }}{{ [1, 2].index(2) }}", 'ba21'],
    ["{{ '%s!' % 'x' }}{{ '%d-%d' % (1, 2) }}{{ -7 % 3 }}{{ 7 % 3 }}", 'x!1-221'],
    [
      "{{ [0, 1] | select | list }}{{ [1, 2, 3] | reject('odd') | list }}{{ [1, 2.5] | sum }}{{ [{'a': 2}] | sum(attribute='a') }}",
      '[1][2]3.52',
    ],
    [
      "{{ 'ab' | list }}{{ {'k': 1} | list }}{{ 'ab' | first }}{{ 'ab' | reverse }}{{ 2.5 | round }}{{ 3.14159 | round(2) }}",
      "['a', 'b']['k']aba2.03.14",
    ],
    ["{{ x | d('e') }}{{ 'abc' | count }}{{ 'bca' | max }}{{ ['b', 'a'] | min }}", 'e3ca'],
    ["{{ {'a': 1} is iterable }}{{ {'a': 1} is not iterable }}", 'TrueFalse'],
    ["{{ '%s=%r %d %.2f%%' | format(none, 'x', 3, 0.5) }}", "None='x' 3 0.50%"],
    [
      "{{ [{'a': 1}, {}] | selectattr('a', 'undefined') | list }}{{ [{'a': 0}, {}] | rejectattr('a') | list }}",
      "[{}][{'a': 0}, {}]",
    ],
    ["{{ [{'f': {'n': 'x'}}, {'f': 1}] | selectattr('f.n', 'equalto', 'x') | list }}", "[{'f': {'n': 'x'}}]"],
    ["{{ ['a', 1] | map('tojson') | join(', ') }}{{ ['a-b'] | map('replace', '-', '+') | list }}", '"a", 1[\'a+b\']'],
  ])('%s', async (source, text) => {
    expect(await render(source, {})).toBe(text);
  });

  test.each([
    ["{{ 'a' + [1] }}", 'cannot concatenate'],
    ['{{ missing.a }}', 'an undefined value has no members'],
    ['{{ messages[0].role }}', 'an undefined value has no members'],
    ["{{ 'a' * 100000000 }}", 'repeats more than'],
    ["{{ '{:>5}'.format(1) }}", 'reads only'],
    ['{{ [].pop() }}', 'pop from an empty list'],
    ["{{ '%s' | format() }}", 'need a value each'],
    ["{{ '%5d' | format(1) }}", 'cannot write'],
    ["{{ 'a' | format(1) }}", 'more values than'],
    ["{{ [{}] | selectattr('a', 'purple') | list }}", 'there is no test purple'],
  ])('%s fails', async (source, message) => {
    await expect(render(source, { messages: [] })).rejects.toThrow(message);
  });
});

describe('endless templates', () => {
  const patience = 100;

  test('are killed after their time limit', async () => {
    const clock = createFakeClock();
    const renderer = createJinjaRenderer(clock, { milliseconds: 60_000 });
    await renderer.render('ok', {});
    const first = renderer.render(endless, {});
    await advanceUntil(clock, first, 30_000);
    await expect(first).rejects.toThrow('took too long');
    renderer.stop();
  });

  test('do not delay other templates', async () => {
    const clock = createFakeClock();
    const renderer = createJinjaRenderer(clock, { milliseconds: 60_000, patience });
    const abandoned = Array.from({ length: 5 }, () => renderer.render(endless, {}));
    const other = renderer.render('ok', {});
    // Then time stands still: nothing is killed.
    clock.advance(patience);
    expect(await other).toBe('ok');
    renderer.stop();
    for (const result of await Promise.allSettled(abandoned)) expect(result.status).toBe('rejected');
  });

  test('do not delay the same template for another client', async () => {
    const clock = createFakeClock();
    const renderer = createJinjaRenderer(clock, { milliseconds: 60_000, patience });
    const source = `{% if slow %}${endless}{% else %}ok{% endif %}`;
    const slow = Array.from({ length: 5 }, () => renderer.render(source, { slow: true }));
    const scope = { id: 'r', client: 'other', signal: new AbortController().signal };
    const other = runInRequest(scope, () => renderer.render(source, {}));
    clock.advance(patience);
    expect(await other).toBe('ok');
    renderer.stop();
    await Promise.allSettled(slow);
  });

  test('are killed when all processes are slow and others wait', async () => {
    const clock = createFakeClock();
    const renderer = createJinjaRenderer(clock, { milliseconds: 1e9, startMilliseconds: 1e9, maxHosts: 2 });
    const slow = Promise.allSettled([renderer.render(`1${endless}`, {}), renderer.render(`2${endless}`, {})]);
    const other = renderer.render('ok', {});
    await advanceUntil(clock, other, 500);
    expect(await other).toBe('ok');
    renderer.stop();
    expect((await slow).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('get less time for a while', async () => {
    const clock = createFakeClock();
    const renderer = createJinjaRenderer(clock, { milliseconds: 60_000, startMilliseconds: 1e9, probation: 1e9 });
    const first = renderer.render(endless, {});
    await advanceUntil(clock, first, 30_000);
    await expect(first).rejects.toThrow('took too long');
    // Starts the next process while time stands still.
    await renderer.render('ok', {});
    const before = clock.now();
    const second = renderer.render(endless, {});
    await advanceUntil(clock, second, 100);
    await expect(second).rejects.toThrow('took too long');
    expect(clock.now() - before).toBeLessThan(60_000);
    renderer.stop();
  });

  test('stop by themselves if the server does not kill them', async () => {
    const renderer = createJinjaRenderer(createFakeClock(), { milliseconds: 50 });
    await expect(renderer.render(endless, {})).rejects.toMatchObject({ code: 'bad_template' });
    renderer.stop();
  });
});

describe('jobs that are not needed', () => {
  test('a waiting job and a running job end when their request does', async () => {
    const renderer = createJinjaRenderer(createFakeClock(), { maxHosts: 1 });
    const controllers = [new AbortController(), new AbortController()];
    const jobs = controllers.map(({ signal }) => renderer.render(endless, {}, signal));
    for (const controller of controllers) controller.abort();
    for (const job of jobs) await expect(job).rejects.toMatchObject({ code: 'cancelled' });
    renderer.stop();
  });

  test('an abandoned job is killed once it is slow', async () => {
    const clock = createFakeClock();
    const renderer = createJinjaRenderer(clock, { maxHosts: 1, milliseconds: 1e9, startMilliseconds: 1e9 });
    const controller = new AbortController();
    const scope = { id: 'r', client: '', signal: controller.signal };
    const abandoned = runInRequest(scope, () => renderer.render(endless, {}));
    controller.abort();
    await expect(abandoned).rejects.toMatchObject({ code: 'cancelled' });
    const next = renderer.render('ok', {});
    await advanceUntil(clock, next, 500);
    expect(await next).toBe('ok');
    renderer.stop();
  });
});

describe('the template of Ember', async () => {
  const { metadata } = await readGgufFile(
    fileURLToPath(new URL('../../../../models/ember-q4_k_m.gguf', import.meta.url)),
    {
      maxArray: 0,
    },
  );
  const source = String(metadata.get('tokenizer.chat_template'));

  test('a question, with and without a system message', async () => {
    expect(await render(source, { messages: [user('Hi')] })).toBe(
      '<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n',
    );
    expect(await render(source, { messages: [system('Be brief.'), user('Hi')] })).toBe(
      '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n',
    );
  });

  test('answers without tool calls, and one that is continued', async () => {
    const turn = '<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n';
    expect(await render(source, { messages: [user('Hi'), assistant('Hello.'), user('Hi')] })).toBe(
      `${turn}Hello.<|im_end|>\n${turn}`,
    );
    expect(await render(source, { messages: [user('Hi'), assistant('Hel')] })).toBe(`${turn}Hel`);
  });

  test('tools, a call and its result', async () => {
    const tool = { type: 'function', function: { name: 'get_current_weather', parameters: { type: 'object' } } };
    const call = {
      type: 'function',
      function: { name: 'get_current_weather', arguments: { location: 'Paris', format: 'celsius' } },
    };
    const messages = [
      system('Be brief.'),
      user('What is the weather in Paris?'),
      { ...assistant(''), tool_calls: [call] },
      { role: 'tool', content: '{"temperature": 21}', name: 'get_current_weather' },
    ];
    expect(await render(source, { messages, tools: [tool] })).toBe(
      [
        '<|im_start|>system\nBe brief.\n\nYou can call these functions:\n<tools>',
        '{"type": "function", "function": {"name": "get_current_weather", "parameters": {"type": "object"}}}',
        '</tools>\nTo call one, answer with its name and arguments: <tool_call>',
        '{"name": "...", "arguments": {...}}\n</tool_call><|im_end|>',
        '<|im_start|>user\nWhat is the weather in Paris?<|im_end|>\n<|im_start|>assistant\n<tool_call>',
        '{"name": "get_current_weather", "arguments": {"location": "Paris", "format": "celsius"}}',
        '</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>\n{"temperature": 21}\n</tool_response><|im_end|>',
        '<|im_start|>assistant\n',
      ].join('\n'),
    );
  });
});
