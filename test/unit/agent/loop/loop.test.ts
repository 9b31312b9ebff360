import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import {
  eventsOf,
  eventually,
  testEngine,
  until,
  type TestEngine,
  type TestEngineOptions,
} from '../../../fakes/testEngine.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { ScriptedModel, type Script, type ScriptedReply } from '../../../fakes/scriptedModel.ts';

describe('loop', () => {
  let bed: TestEngine | undefined;
  const begin = async (
    script: Script | readonly ScriptedReply[],
    options: TestEngineOptions = {},
  ) => {
    const model = new ScriptedModel(script);
    bed = await testEngine(model, options);
    return { model, bed };
  };
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  const launch = (command: string) => [
    { name: 'remote_exec_background', input: { command, metric_names: ['loss'] } },
  ];
  const wait = (run: number) => [
    {
      name: 'sleep',
      input: { reason: 'training', wake_conditions: [{ type: 'process_exit', run }] },
    },
  ];
  const done = (run = '1', metric = 'loss') => [
    {
      name: 'finish',
      input: { outcome: 'goal_met', summary: 'done', evidence: [{ run, metric }] },
    },
  ];

  it('launches, sleeps without a request, wakes at the end of the run, and finishes with measured evidence', async () => {
    const { model, bed } = await begin([launch('echo loss=2.5; echo loss=0.25'), wait(1), done()]);
    const session = await bed.start();
    assert.equal(await session.ended, 'goal');
    assert.equal(model.requests.length, 3);
    const [ended] = eventsOf(session, 'session.ended');
    assert.deepEqual(
      ended?.evidence.map(({ run, metric, last, best, count }) => ({
        run,
        metric,
        last,
        best,
        count,
      })),
      [{ run: 'run 1', metric: 'loss', last: 0.25, best: 0.25, count: 2 }],
    );
    const last = JSON.stringify(model.requests[2]?.messages);
    assert.match(last, /- run 1  loss 0.25  ended: ok after [^ ]+ m?s  2 points · echo loss/);
  });

  for (const [metric, isNear] of [
    ['test_f1', true],
    ['bleu', false],
  ] as const)
    it(`tells at the end of a run that ${metric} was never read, with ${isNear ? 'the nearest line' : 'the output'}`, async () => {
      const command = 'echo epoch 1; echo "accuracy on test: 0.93"';
      const input = { command, metric_names: [metric] };
      const { model, bed } = await begin([
        [{ name: 'remote_exec_background', input }],
        wait(1),
        [{ name: 'finish', input: { outcome: 'blocked', summary: 'x' } }],
      ]);
      const session = await bed.start();
      await session.ended;
      const said = JSON.stringify(model.requests.at(-1)?.messages);
      assert.match(
        said,
        new RegExp(`Never read from its output: ${metric}\\. .*accuracy on test: 0\\.93`),
      );
      assert.equal(said.includes('Nearest line: '), isNear);
      assert.equal(said.includes('output of run 1'), !isNear);
    });

  it('takes a direction that the launch states', async () => {
    const { bed } = await begin([
      [
        {
          name: 'remote_exec_background',
          input: {
            command: 'echo quux=3; echo quux=3',
            metric_names: ['quux'],
            metric_directions: { quux: 'higher' },
          },
        },
      ],
      wait(1),
      [{ name: 'finish', input: { outcome: 'blocked', summary: 'x' } }],
    ]);
    const session = await bed.start({ goal: 'make quux better' });
    await session.ended;
    assert.deepEqual(session.ledger.decisive, {
      metric: 'quux',
      direction: 'higher',
      rule: 'last',
    });
  });

  it('refuses evidence that was not measured, and says what was', async () => {
    const { model, bed } = await begin([
      launch('echo loss=2.5'),
      wait(1),
      done('9'),
      done('1', 'accuracy'),
      done('1', 'loss'),
      [{ name: 'finish', input: { outcome: 'blocked', summary: 'no GPU' } }],
    ]);
    const session = await bed.start();
    assert.equal(await session.ended, 'blocked');
    const texts = eventsOf(session, 'tool.finished')
      .filter((event) => event.isError)
      .map((event) => event.text);
    assert.equal(texts.length, 3);
    assert.match(texts[0] ?? '', /no run 9 in this session/);
    assert.match(texts[1] ?? '', /No value of accuracy was measured in run 1. Measured: loss/);
    assert.match(texts[2] ?? '', /not met: loss < 1. Measured: loss 2.5, not < 1 \(run 1\)/);
    assert.equal(model.requests.length, 6);
  });

  it('ends with no_progress when the model only talks', async () => {
    const { model, bed } = await begin(() => 'Shall I continue?', { settings: { idleTurns: 4 } });
    const session = await bed.start();
    assert.equal(await session.ended, 'no_progress');
    assert.equal(model.requests.length, 4);
    assert.equal(
      eventsOf(session, 'message.added').filter((event) => event.origin === 'reminder').length,
      4,
    );
  });

  it('ends with no_progress when the model reads for ever', async () => {
    const { bed } = await begin(() => [{ name: 'list_machines', input: {} }], {
      settings: { idleTurns: 2 },
    });
    const session = await bed.start();
    assert.equal(await session.ended, 'no_progress');
    assert.equal(session.state.turns, 12);
  });

  it('answers an unknown tool and malformed arguments with advice, and goes on', async () => {
    const { model, bed } = await begin([
      [{ name: 'rm_rf', input: {} }],
      [{ name: 'read_file', input: '{"path": "a' }],
      [{ name: 'read_file', input: { path: 3 } }],
      [{ name: 'finish', input: { outcome: 'blocked', summary: 'enough' } }],
    ]);
    const session = await bed.start();
    assert.equal(await session.ended, 'blocked');
    const texts = eventsOf(session, 'tool.finished').map((event) => event.text);
    assert.match(texts[0] ?? '', /There is no tool rm_rf\. The tools are: remote_exec,/);
    assert.match(texts[1] ?? '', /not valid JSON/);
    assert.match(texts[2] ?? '', /^read_file: path: expected string, received number\./);
    assert.equal(model.requests.length, 4);
  });

  it('never shows 5 MB whole, and keeps a result that is too long whole, to be read on in lines', async () => {
    const begins = [
      { name: 'read_file', input: { path: 'big.txt', limit: 200 } },
      { name: 'remote_exec', input: { command: 'head -c 5000000 /dev/zero | tr "\\0" x' } },
      { name: 'remote_exec', input: { command: 'seq 1 30000' } },
    ];
    const { model, bed } = await begin(({ messages }, index) => {
      const call = begins[index];
      if (call !== undefined) return [call];
      if (index > begins.length)
        return [{ name: 'finish', input: { outcome: 'blocked', summary: 'enough' } }];
      const [file] =
        /(?<= )[^ ]+(?=, for read_file on machine local)/.exec(JSON.stringify(messages.at(-1))) ??
        [];
      return [{ name: 'read_file', input: { path: file, offset: 15_000, limit: 3 } }];
    });
    await writeFile(path.join(bed.work, 'big.txt'), `${'y'.repeat(5_000_000)}\n`);
    const session = await bed.start();
    assert.equal(await session.ended, 'blocked');
    for (const event of eventsOf(session, 'tool.finished'))
      assert.ok(event.text.length < 30_000, `${event.text.length}`);
    assert.ok(JSON.stringify(model.requests.at(-1)?.messages).length < 110_000);
    const [, , counted, part] = eventsOf(session, 'tool.finished');
    const kept = await readFile(counted?.fullPath ?? '', 'utf8');
    assert.ok(
      kept.includes(`\n${Array.from({ length: 30_000 }, (_, index) => `${index + 1}\n`).join('')}`),
    );
    assert.match(
      part?.text ?? '',
      /"content":"<untrusted from=.*>\\n14999\\n15000\\n15001\\n<\/untrusted>"/,
    );
  });

  it('stops in a stream without waiting, and makes no further request until something is said', async () => {
    const { model, bed } = await begin(
      ['hang', [{ name: 'finish', input: { outcome: 'blocked', summary: 'told to' } }]],
      { clock: new ManualClock() },
    );
    const session = await bed.start();
    await until(() => model.requests.length === 1);
    // The clock stands still: whatever waited for a time would wait for ever.
    await session.interrupt();
    assert.equal(session.state.phase, 'paused');
    assert.equal(model.requests.length, 1);
    await session.say('finish now');
    assert.equal(await session.ended, 'blocked');
    assert.match(JSON.stringify(model.requests[1]?.messages.at(-1)), /finish now/);
  });

  it('stops during a tool without waiting, and makes no further request', async () => {
    const command = ': > begun; sleep 300';
    const { model, bed } = await begin([[{ name: 'remote_exec', input: { command } }]], {
      clock: new ManualClock(),
    });
    const session = await bed.start();
    await until(() => existsSync(path.join(bed.work, 'begun')));
    await session.interrupt();
    assert.equal(session.state.phase, 'paused');
    assert.equal(model.requests.length, 1);
    assert.match(eventsOf(session, 'tool.finished')[0]?.text ?? '', /no longer runs/);
  });

  it('delivers what is said meanwhile at the next turn, after the results', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const { model, bed } = await begin(async (_request, index) => {
      if (index > 0) return [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
      await held;
      return [{ name: 'list_machines', input: {} }];
    });
    const session = await bed.start();
    await eventually(session, 'model.requested');
    await session.say('use lr 0.1');
    release();
    assert.equal(await session.ended, 'blocked');
    const last = model.requests[1]?.messages.at(-1);
    assert.equal(last?.role, 'user');
    assert.deepEqual(
      last.content.map((block) => block.type),
      ['tool_result', 'text'],
    );
    assert.match(JSON.stringify(last.content[1]), /use lr 0.1/);
  });

  it('puts into a request all that the journal has before it, also what came while the request was made', async () => {
    const turns = 40;
    const { model, bed } = await begin((_request, index) =>
      index < turns
        ? [{ name: 'memory_ls', input: {} }]
        : [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }],
    );
    const session = await bed.start();
    const said: Promise<void>[] = [];
    session.onDidRecord(({ type }) => {
      if (type === 'tool.finished' && said.length < turns)
        said.push(session.say(`word ${said.length}.`));
    });
    assert.equal(await session.ended, 'blocked');
    await Promise.all(said);
    for (const [index, { messages }] of model.requests.entries()) {
      const asked = session
        .events()
        .findIndex((event) => event.type === 'model.requested' && event.turn === index + 1);
      const before = session
        .events()
        .slice(0, asked)
        .flatMap((event) =>
          event.type === 'message.added' && event.text.startsWith('word') ? [event.text] : [],
        );
      const sent = JSON.stringify(messages);
      assert.deepEqual(
        before.filter((text) => !sent.includes(text)),
        [],
        `request ${index + 1}`,
      );
    }
  });

  it('runs reading calls side by side and others in order', async () => {
    const { bed } = await begin([
      [
        { name: 'write_file', input: { path: 'a.txt', content: 'one' } },
        { name: 'read_file', input: { path: 'a.txt' } },
        { name: 'read_file', input: { path: 'a.txt' } },
        { name: 'remote_exec', input: { command: 'echo two > a.txt' } },
        { name: 'read_file', input: { path: 'a.txt' } },
      ],
      [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }],
    ]);
    const session = await bed.start();
    await session.ended;
    const texts = eventsOf(session, 'tool.finished').map((event) => event.text);
    assert.match(texts[1] ?? '', /one/);
    assert.match(texts[2] ?? '', /one/);
    assert.match(texts[4] ?? '', /two/);
    const steps = session
      .events()
      .flatMap(({ type }) => (/^tool\.(?:started|finished)$/.test(type) ? [type] : []));
    const [one, twoAtOnce] = [
      ['tool.started', 'tool.finished'],
      ['tool.started', 'tool.started', 'tool.finished', 'tool.finished'],
    ];
    assert.deepEqual(steps.slice(0, 10), [...one, ...twoAtOnce, ...one, ...one]);
  });

  it('keeps its limits before the call that would break them', async () => {
    const { model, bed } = await begin(() => [{ name: 'remote_exec', input: { command: 'true' } }]);
    const session = await bed.start({ budget: { turns: 3 } });
    assert.equal(await session.ended, 'budget');
    assert.equal(model.requests.length, 3);
  });

  it('asks before anything but reading in mode ask, and goes on after a refusal', async () => {
    const { bed } = await begin(
      [
        [
          { name: 'list_machines', input: {} },
          { name: 'write_file', input: { path: 'x', content: 'x' } },
        ],
        [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }],
      ],
      { settings: { permissionMode: 'ask' }, approve: () => Promise.resolve('deny') },
    );
    const session = await bed.start();
    await session.ended;
    const results = eventsOf(session, 'tool.finished').map(({ name, isError }) => ({
      name,
      isError,
    }));
    assert.deepEqual(results[0], { name: 'list_machines', isError: false });
    assert.deepEqual(results[1], { name: 'write_file', isError: true });
    const refused = eventsOf(session, 'permission.decided').filter(({ isAllowed }) => !isAllowed);
    assert.equal(refused.length, 1);
  });
});
