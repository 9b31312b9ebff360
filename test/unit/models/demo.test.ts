import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createDemoProvider } from '../../../src/models/demo.ts';
import type { ModelEvent, ModelRequest } from '../../../src/models/model.ts';
import { bowl, DemoWorld, demoScript } from '../../fakes/demoWorld.ts';
import { ManualClock } from '../../fakes/manualClock.ts';

const labels = (world: DemoWorld): string[] => world.runs.map(({ label }) => label);
const names = (reply: { calls: readonly { name: string }[] }): string[] =>
  reply.calls.map(({ name }) => name);

async function read(stream: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe('demo researcher', () => {
  it('says first that it is a script, and reads the training script', () => {
    const reply = new DemoWorld().turn();
    assert.match(reply.text, /a script, not a language model/);
    assert.deepEqual(names(reply), ['read_file', 'memory_ls']);
  });

  it('starts from the defaults and writes down the goal and a hypothesis', () => {
    const world = new DemoWorld();
    world.turn();
    world.turn();
    assert.deepEqual(labels(world), ['lr=0.01 momentum=0 hidden=16']);
    assert.equal(world.runs[0]?.command, 'python3 train.py --lr 0.01 --momentum 0 --hidden 16');
    assert.match(world.notes.get('/goal') ?? '', /val_loss below 1.94/);
    assert.ok(world.notes.has('/hypotheses/1'));
  });

  it('meets the goal from measured values, with the run as evidence', () => {
    const world = new DemoWorld().play();
    assert.equal(world.finished?.outcome, 'goal_met');
    const run = world.runs.find(
      ({ number }) => `r-00000000${number}` === world.finished?.evidence[0]?.run,
    );
    assert.ok(
      run !== undefined && Number(run.value) < 1.94,
      'the evidence names a run that measured it',
    );
    assert.equal(world.finished?.evidence[0]?.metric, 'val_loss');
    assert.match(world.notes.get('/best') ?? '', new RegExp(run.label));
  });

  it('brings the project to the machine that the goal names, and runs there', () => {
    const goal = 'Bring val_loss below 1.94 on the demo task on gpu1.';
    const world = new DemoWorld({ goal, machines: ['gpu1'] }).play();
    const calls = world.replies.flatMap((reply) => reply.calls);
    const written = calls.filter(({ name }) => name === 'write_file').map(({ input }) => input);
    assert.deepEqual(
      written.map((input) => [input['machine_id'], input['path']]),
      [
        ['gpu1', 'helios-demo/train.py'],
        ['gpu1', 'helios-demo/corpus.txt'],
      ],
    );
    assert.equal(written[0]?.['content'], `${demoScript}\n`);
    const launched = calls
      .filter(({ name }) => name === 'remote_exec_background')
      .map(({ input }) => input);
    assert.ok(
      launched.every((input) => input['machine_id'] === 'gpu1' && input['cwd'] === 'helios-demo'),
    );
    assert.equal(world.finished?.outcome, 'goal_met');
  });

  it('stays on this computer where the last word of the goal is no machine', () => {
    const world = new DemoWorld({
      goal: 'val_loss < 1.94 on shakespeare',
      machines: ['gpu1'],
    }).play();
    assert.ok(world.runs.every(({ handle }) => handle.startsWith('local:')));
  });

  it('says so when the project cannot be written there', () => {
    const refuse = (name: string): string | undefined =>
      name === 'write_file' ? 'No space left.' : undefined;
    const world = new DemoWorld({
      goal: 'val_loss < 1.94 on gpu1',
      machines: ['gpu1'],
      refuse,
    }).play();
    assert.deepEqual([world.finished?.outcome, world.runs.length], ['blocked', 0]);
    assert.match(world.finished?.summary ?? '', /could not be written to gpu1/);
  });

  it('runs two points side by side, and none twice', () => {
    const world = new DemoWorld().play();
    assert.ok(
      world.replies.some(
        (reply) => names(reply).filter((name) => name === 'remote_exec_background').length === 2,
      ),
    );
    assert.equal(new Set(labels(world)).size, world.runs.length);
  });

  it('compares what it measured with the best before it', () => {
    const world = new DemoWorld().play();
    const compares = world.replies
      .flatMap(({ calls }) => calls)
      .filter(({ name }) => name === 'compare_runs');
    assert.deepEqual(compares[0]?.input, {
      task_a: 'local:1001',
      task_b: 'local:1002',
      metric_names: ['val_loss'],
    });
  });

  it('judges each experiment that ended by what it measured, and leaves those that failed to Helios', () => {
    const world = new DemoWorld().play();
    let best = Infinity;
    for (const { number, verdict, value } of world.runs) {
      const said = world.decisions.get(`e${number}`);
      if (verdict !== 'ok') {
        assert.equal(said, undefined);
        continue;
      }
      assert.match(
        said ?? '',
        Number(value) < best ? /^keep: Run/ : /^discard: Run/,
        `run ${number}`,
      );
      best = Math.min(best, Number(value));
    }
    assert.ok(world.decisions.size > 3);
    const unmeasured = new DemoWorld({
      landscape: ({ lr = 0 }) => (lr < 0.05 ? { verdict: 'ok' } : bowl({ lr })),
    });
    assert.match(
      unmeasured.play().decisions.get('e1') ?? '',
      /^invalid: .*printed no val_loss|^invalid: .*diverged/,
    );
  });

  it('judges before it launches the next', () => {
    const names = new DemoWorld().play().replies.map(({ calls }) => calls.map(({ name }) => name));
    const both = names.filter(
      (all) => all.includes('exp_decide') && all.includes('remote_exec_background'),
    );
    assert.ok(both.length > 0);
    for (const all of both)
      assert.ok(all.lastIndexOf('exp_decide') < all.indexOf('remote_exec_background'));
  });

  it('decides otherwise when the numbers are otherwise', () => {
    const small = new DemoWorld({
      landscape: ({ lr = 1 }) => 2 + 0.2 * Math.log10(lr / 0.0001) ** 2,
      goal: 'val_loss < 2.01',
    });
    small.play();
    assert.equal(small.finished?.outcome, 'goal_met');
    assert.match(small.finished?.summary ?? '', /lr=0.0001 /);
    const large = new DemoWorld().play();
    assert.notDeepEqual(labels(small), labels(large));
  });

  it('backs off when everything diverges at first', () => {
    const world = new DemoWorld({
      landscape: ({ lr = 1 }) => (lr > 0.002 ? { verdict: 'failed (exit code 1)' } : 1.9),
    }).play();
    assert.deepEqual(labels(world).slice(0, 2), [
      'lr=0.01 momentum=0 hidden=16',
      'lr=0.001 momentum=0 hidden=16',
    ]);
    assert.equal(world.finished?.outcome, 'goal_met');
    assert.match(world.notes.get('/observations/1') ?? '', /diverged/);
  });

  it('looks for the largest value when the goal says above', () => {
    const world = new DemoWorld({
      goal: 'Get val_loss above 3',
      landscape: ({ lr = 1 }) => 2 + Math.log10(lr) / 2,
    }).play();
    assert.equal(world.finished?.outcome, 'goal_met');
    assert.match(labels(world).at(-1) ?? '', /^lr=(100|300)/);
  });

  it('ends as blocked, with the best run named, when the search is exhausted', () => {
    const world = new DemoWorld({ goal: 'val_loss below 0.5' }).play();
    assert.equal(world.finished?.outcome, 'blocked');
    assert.match(world.finished?.summary ?? '', /exhausted after \d+ runs.*The best was run \d+/s);
    assert.equal(new Set(labels(world)).size, world.runs.length);
  });

  it('goes on when the engine does not accept its evidence', () => {
    let refusals = 0;
    const world = new DemoWorld({
      refuse: (name, input) =>
        name === 'finish' && input['outcome'] === 'goal_met' && refusals++ === 0
          ? 'The goal was not measured. Go on.'
          : undefined,
    }).play();
    assert.equal(refusals, 1);
    assert.equal(world.finished?.outcome, 'blocked');
  });
});

describe('demo researcher when things go wrong', () => {
  it('recovers what was measured from the briefing of a shortened conversation', () => {
    const world = new DemoWorld();
    for (let turn = 0; turn < 7; turn += 1) world.turn();
    const before = labels(world);
    world.shorten();
    const first = world.turn();
    assert.match(first.text, /was shortened; \d runs? (is|are) on record/);
    world.play();
    assert.equal(world.finished?.outcome, 'goal_met');
    assert.ok(world.runs.length > before.length);
    assert.equal(new Set(labels(world)).size, world.runs.length, 'nothing is tried again');
  });

  it('waits for a run that was going on when the conversation was shortened', () => {
    const world = new DemoWorld();
    world.turn();
    world.turn();
    world.shorten();
    world.turn();
    const reply = world.turn();
    assert.deepEqual(names(reply), ['memory_write', 'sleep']);
    assert.deepEqual(reply.calls[1]?.input['wake_conditions'], [
      { type: 'process_exit', machine_id: 'local', pid: 1001 },
    ]);
    assert.equal(world.play().finished?.outcome, 'goal_met');
  });

  it('gives up when it may not launch', () => {
    const world = new DemoWorld({
      refuse: (name) =>
        name === 'remote_exec_background' ? 'Not allowed: the user did not allow it.' : undefined,
    }).play();
    assert.equal(world.finished?.outcome, 'blocked');
    assert.match(world.finished?.summary ?? '', /could not be started: Not allowed/);
    assert.equal(world.runs.length, 0);
  });

  it('launches again what an interruption cut short', () => {
    let cuts = 0;
    const world = new DemoWorld({
      refuse: (name) =>
        name === 'remote_exec_background' && cuts++ === 0
          ? 'Interrupted by the user while it ran.'
          : undefined,
    }).play();
    assert.equal(world.finished?.outcome, 'goal_met');
    assert.equal(labels(world)[0], 'lr=0.01 momentum=0 hidden=16');
  });

  it('repeats a run that was lost once, and no more', () => {
    const world = new DemoWorld({
      landscape: () => ({ verdict: 'lost (the computer was restarted)' }),
    }).play();
    assert.equal(world.finished?.outcome, 'blocked');
    const counts = Map.groupBy(labels(world), (label) => label);
    assert.ok([...counts.values()].every((same) => same.length <= 2));
  });

  it('reads the output of a run when sleeping on it is refused', () => {
    const world = new DemoWorld({
      refuse: (name) => (name === 'sleep' ? 'The run has ended already.' : undefined),
    });
    for (let turn = 0; turn < 3; turn += 1) world.turn();
    assert.deepEqual(names(world.turn()), ['task_output']);
  });

  it('does what the user asks, and says so', () => {
    const world = new DemoWorld();
    for (let turn = 0; turn < 3; turn += 1) world.turn();
    world.steer('please use lr 0.25 and momentum=0.5');
    assert.match(world.turn().text, /^Noted: lr=0.25 momentum=0.5 is what I try next/);
    world.turn();
    assert.equal(labels(world)[1], 'lr=0.25 momentum=0.5 hidden=16');
    assert.equal(labels(world).filter((label) => label.includes('lr=0.25')).length, 1);
  });

  it('acknowledges once what it does not understand', () => {
    const world = new DemoWorld();
    world.turn();
    world.steer('What do you think of Adam?');
    assert.match(world.turn().text, /I am a script and understand only/);
    assert.doesNotMatch(world.turn().text, /Noted/);
  });

  it('ends when the user says stop', () => {
    const world = new DemoWorld();
    for (let turn = 0; turn < 4; turn += 1) world.turn();
    world.steer('Stop, that is enough');
    world.turn();
    assert.equal(world.finished?.outcome, 'blocked');
  });

  it('is blocked without a measurable goal, and without a script', () => {
    assert.match(
      new DemoWorld({ goal: 'Write a poem' }).play().finished?.summary ?? '',
      /only understands goals such as/,
    );
    assert.match(
      new DemoWorld({ script: 'print("hello")' }).play().finished?.summary ?? '',
      /needs a train\.py .* option --lr/,
    );
  });

  it('leaves out hyper-parameters that the script does not take', () => {
    const script = demoScript.split('\n')[0] ?? '';
    const world = new DemoWorld({ script, goal: 'val_loss below 1.98' }).play();
    assert.equal(world.finished?.outcome, 'goal_met');
    assert.ok(labels(world).every((label) => /^lr=\S+$/.test(label)));
  });
});

describe('demo provider', () => {
  const request: ModelRequest = { ...new DemoWorld().request };

  it('streams its text and its calls, at no cost', async () => {
    const provider = createDemoProvider();
    assert.equal(provider.label, 'Offline demo (scripted, not a language model)');
    const events = await read(provider.stream(request, new AbortController().signal));
    const last = events.at(-1);
    assert.ok(last?.type === 'finished');
    assert.equal(last.reply.stop, 'tools');
    assert.deepEqual(last.reply.usage, {
      inputTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 0,
    });
    assert.deepEqual(
      events.map(({ type }) => type),
      ['text.delta', 'tool_call.started', 'tool_call.started', 'finished'],
    );
  });

  it('never gives a call id twice', async () => {
    const provider = createDemoProvider();
    const ids = new Set<string>();
    for (let round = 0; round < 2; round += 1)
      for (const event of await read(provider.stream(request, new AbortController().signal)))
        if (event.type === 'tool_call.started') ids.add(event.id);
    assert.equal(ids.size, 4);
  });

  it('answers in words when it is given no tools', async () => {
    const events = await read(
      createDemoProvider().stream({ ...request, tools: [] }, new AbortController().signal),
    );
    const last = events.at(-1);
    assert.ok(last?.type === 'finished');
    assert.equal(last.reply.stop, 'stop');
    assert.match(JSON.stringify(last.reply.content), /a script, not a language model/);
  });

  it('paces its words by the clock, and stops when it is aborted', async () => {
    const clock = new ManualClock();
    const abort = new AbortController();
    const events: ModelEvent[] = [];
    const reading = (async () => {
      for await (const event of createDemoProvider({ paced: true, clock }).stream(
        request,
        abort.signal,
      ))
        events.push(event);
    })();
    await clock.advance(100);
    assert.ok(events.length > 2 && events.every(({ type }) => type === 'text.delta'));
    abort.abort();
    await reading;
    const last = events.at(-1);
    assert.ok(last?.type === 'finished' && last.reply.stop === 'aborted');
    assert.equal(clock.pendingTimers, 0);
  });
});
