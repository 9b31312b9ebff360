import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { RunMetrics } from '../../../../src/metrics/runMetrics.ts';
import { ScriptedModel, type ScriptedCall } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const launch = (command: string, more = {}): ScriptedCall => ({
  name: 'remote_exec_background',
  input: { command, ...more },
});
const until = (condition: object): ScriptedCall => ({
  name: 'sleep',
  input: { reason: 'r', wake_conditions: [condition], deadline_minutes: 5 },
});
const reread = (run: number, pattern: string): ScriptedCall => ({
  name: 'show_metrics',
  input: { task_id: run, metric_patterns: { test_ppl: pattern } },
});
const quit: ScriptedCall = { name: 'finish', input: { outcome: 'blocked', summary: 'ok' } };
const pattern = 'test ppl = ([\\d.]+)';
/** Prints a loss per line, and a perplexity in a form that the pattern `wrong` does not match. */
const train =
  'for i in 1 2 3; do echo "step=$i loss=0.$i"; done; echo ">>> eval: test ppl = 5.200"';
const wrong = { metric_names: ['loss'], metric_patterns: { test_ppl: 'perplexity: ([0-9.]+)' } };

describe('output that is read again', () => {
  let folder: string;
  let bed: TestEngine | undefined;
  let model: ScriptedModel;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'helios-reread-'));
  });
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  const night = async (...calls: ScriptedCall[]): Promise<Session> => {
    model = new ScriptedModel([...calls, quit].map((call) => [call]));
    bed = await testEngine(model, { folder });
    const session = await bed.start();
    assert.equal(await session.ended, 'blocked');
    return session;
  };
  const shown = (session: Session): string[] =>
    eventsOf(session, 'tool.finished')
      .filter(({ name }) => name === 'show_metrics')
      .map(({ text }) => text);

  it('has the metrics of the new pattern beside those that were read, as often as it is read', async () => {
    const session = await night(
      launch(train, wrong),
      until({ type: 'process_exit', run: 1 }),
      reread(1, pattern),
      reread(1, pattern),
    );
    assert.match(
      JSON.stringify(model.requests.at(-1)?.messages),
      /Never read from its output: test_ppl\. Nearest line: .{0,4}>>> eval: test ppl = 5\.200/,
    );
    const [first, second] = shown(session);
    assert.match(first ?? '', /"name":"test_ppl","points":1,"latest":5\.2/);
    assert.equal(second, first);
    const [row] = session.ledger.rows;
    assert.deepEqual(
      row?.metrics.map(({ metric, count, last }) => [metric, count, last]),
      [
        ['loss', 3, 0.3],
        ['test_ppl', 1, 5.2],
      ],
    );
    const run = [...session.state.runs.values()][0];
    assert.deepEqual(
      run?.metrics.map(({ metric }) => metric),
      ['loss', 'test_ppl'],
      'also for those who read the journal alone',
    );
  });

  it('says what was not read, with the nearest line', async () => {
    const session = await night(
      launch(train, wrong),
      until({ type: 'process_exit', run: 1 }),
      { name: 'show_metrics', input: {} },
      reread(1, 'also wrong: ([0-9.]+)'),
    );
    const [list, failure] = shown(session);
    assert.match(list ?? '', /"not_read":\["test_ppl"\],"nearest_line":".*test ppl = 5\.200"/);
    assert.match(failure ?? '', /No metric test_ppl was read.*Nearest line of run 1: ".*5\.200"\./);
  });

  it('has a known metric of the target also where the launch gave only a pattern', async () => {
    const spec = { patterns: { params: 'has (.)' }, also: ['val_acc', 'weights'] };
    const metrics = await RunMetrics.open(folder, spec);
    metrics.ingest(Buffer.from('has 3 weights\nepoch 1 loss 2 val acc 0.8\n'), 0, 1);
    await metrics.finish(1);
    assert.deepEqual([...metrics.names()].sort(), ['params', 'val_acc']);
    metrics.dispose();
  });

  it('gives its pattern to later launches, if the target names the metric', async () => {
    const late = { metric_names: ['loss'] };
    for (const [goal, patterns] of [
      ['bring test_ppl below 5', { test_ppl: pattern }],
      ['bring loss below 5', undefined],
    ] as const) {
      bed = await testEngine(
        new ScriptedModel(
          [
            launch(train, wrong),
            until({ type: 'process_exit', run: 1 }),
            reread(1, pattern),
            launch(`echo again; ${train}`, late),
            until({ type: 'process_exit', run: 2 }),
            quit,
          ].map((call) => [call]),
        ),
        { folder },
      );
      const session = await bed.start({ goal });
      await session.ended;
      const spec = [...session.state.runs.values()].at(-1)?.spec;
      assert.deepEqual(spec?.metrics.patterns, patterns, goal);
      await bed.dispose();
      bed = undefined;
    }
  });

  it('keeps the times of the points, and gives the new ones times between them', async () => {
    const output =
      'echo test ppl = 9; echo step=1 loss=0.5; until [ -e go ]; do sleep 0.05; done; echo test ppl = 5; echo step=2 loss=0.4';
    const session = await night(
      launch(output, { metric_names: ['loss'] }),
      until({ type: 'metric', run: 1, metric: 'loss', below: 0.6 }),
      { name: 'remote_exec', input: { command: 'touch go' } },
      until({ type: 'process_exit', run: 1 }),
      reread(1, pattern),
    );
    const home = bed?.home ?? assert.fail();
    const points = readdirSync(home, { recursive: true, encoding: 'utf8' }).find(
      (name) => path.basename(name) === 'points.bin',
    );
    const metrics = await RunMetrics.open(path.dirname(path.join(home, points ?? '')), {
      names: ['loss', 'test_ppl'],
    });
    const timesOf = (metric: string): number[] => [...metrics.series(metric).timesMs];
    const [first = 0, last = 0, ...others] = timesOf('loss');
    const [begin = 0, middle = 0] = timesOf('test_ppl');
    metrics.dispose();
    assert.deepEqual(others, []);
    const endMs = eventsOf(session, 'run.ended')[0]?.at ?? assert.fail();
    assert.ok(begin <= first && first < last && last <= endMs, `${first} ${last} ${endMs}`);
    assert.ok(first <= middle && middle <= last);
  });

  it('continues where the run goes on', async () => {
    const wait = `until [ -e ${JSON.stringify('go')} ]; do sleep 0.05; done`;
    const more = 'echo "step=9 loss=0.9"; echo "test ppl = 4.1"';
    const session = await night(
      launch(`${train}; ${wait}; ${more}`, wrong),
      until({ type: 'metric', run: 1, metric: 'loss', below: 0.35 }),
      reread(1, pattern),
      { name: 'remote_exec', input: { command: 'touch go' } },
      until({ type: 'process_exit', run: 1 }),
    );
    assert.deepEqual(
      session.ledger.rows[0]?.metrics.map(({ metric, count, last }) => [metric, count, last]),
      [
        ['loss', 4, 0.9],
        ['test_ppl', 2, 4.1],
      ],
    );
  });

  it('needs the runs, and a pattern that can be used', async () => {
    const session = await night(
      launch(train, wrong),
      until({ type: 'process_exit', run: 1 }),
      { name: 'show_metrics', input: { metric_patterns: { a: 'a=(.)' } } },
      reread(1, 'ppl = '),
    );
    assert.match(shown(session)[0] ?? '', /metric_patterns needs task_id/);
    assert.match(shown(session)[1] ?? '', /has no capture group/);
    assert.equal(eventsOf(session, 'run.metrics_changed').length, 0);
  });

  it('is read from its start with the old names, if Helios ended before the new ones were recorded', async () => {
    const output = Buffer.from('loss=1\nppl: 5\nloss=2\n');
    const metrics = await RunMetrics.open(folder, { names: ['loss'] });
    metrics.ingest(output, 0, 1);
    await metrics.finish(1);
    metrics.restart({ names: ['loss', 'ppl'] });
    metrics.dispose();
    const again = await RunMetrics.open(folder, { names: ['loss'] });
    assert.deepEqual([again.resumeOffset, again.names()], [0, []]);
    again.ingest(output, 0, 1);
    assert.equal(again.summary('loss')?.count, 2);
    again.dispose();
  });
});
