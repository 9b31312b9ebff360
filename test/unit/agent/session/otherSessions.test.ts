import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { ScriptedModel, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'enough' } }];
const launch = (command: string, hypothesis: string) => [
  { name: 'remote_exec_background', input: { command, hypothesis } },
];
const untilRun = (run: number) => [
  { name: 'sleep', input: { reason: 'r', wake_conditions: [{ type: 'process_exit', run }] } },
];
const decide = (experiment: string, decision: string, why: string) => [
  { name: 'exp_decide', input: { experiment, decision, reason: why } },
];
const call = (name: string, input: object) => [{ name, input }];

describe('the work of other sessions', () => {
  const beds: TestEngine[] = [];
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'helios-other-sessions-'));
  });
  afterEach(async () => {
    for (const bed of beds.splice(0).reverse()) await bed.dispose();
  });

  async function session(
    script: readonly ScriptedReply[],
    more: { readonly goal?: string; readonly workFolder?: string } = {},
  ): Promise<Session> {
    const bed = await testEngine(new ScriptedModel(script), { folder });
    beds.push(bed);
    const started = await bed.start(more);
    await started.ended;
    return started;
  }
  const results = (of: Session): string[] => eventsOf(of, 'tool.finished').map(({ text }) => text);

  const first = () =>
    session(
      [
        launch('for i in 1 2 3; do echo step=$i val_loss=0.$i; done', 'Warmup helps'),
        untilRun(1),
        decide('e1', 'reference', 'the baseline'),
        launch('echo step=3 val_loss=0.25; echo zebra', 'Cosine decay helps'),
        untilRun(2),
        decide('e2', 'discard', 'not better than the spread'),
        quit,
      ],
      { goal: 'find the lowest val_loss' },
    );

  it('is listed by experiment, with what was measured and decided', async () => {
    const { id } = await first();
    const second = await session([
      call('exp_list', {}),
      call('exp_list', { scope: 'folder' }),
      call('exp_list', { scope: 'all', text: 'COSINE spread' }),
      call('exp_list', { scope: 'all', metric: 'val loss' }),
      call('exp_list', { scope: 'all', decision: 'discard', limit: 1 }),
      call('exp_list', { scope: 'all', limit: 1 }),
      quit,
    ]);
    const [own = '', inFolder = '', byText = '', byMetric = '', byDecision = '', page = ''] =
      results(second);
    assert.match(own, /"total":0/);
    assert.match(
      inFolder,
      new RegExp(
        `${id}#e2 · discard · val_loss 0\\.25 · its runs 2 · Cosine decay helps · echo step=3`,
      ),
    );
    assert.ok(inFolder.indexOf('#e2') < inFolder.indexOf('#e1'), inFolder);
    assert.match(inFolder, /its goal: find the lowest val_loss/);
    assert.match(byText, /"total":1/);
    assert.ok(byMetric.indexOf('#e2') < byMetric.indexOf('#e1'), byMetric);
    assert.match(byMetric, /earlier sessions/);
    assert.match(byDecision, /"total":1,.*#e2/);
    assert.match(page, /"more":"1: call again with skip: 1"/);
  });

  it('is marked as text of others, apart from the experiments of the session itself', async () => {
    await first();
    const second = await session([
      launch('echo step=3 val_loss=0.2', 'mine'),
      untilRun(1),
      call('exp_list', { scope: 'all' }),
      quit,
    ]);
    const [, , listed = ''] = results(second);
    assert.match(listed, /"experiments":"e1 · .*mine/);
    assert.match(listed, /"other_sessions":"<untrusted from=[^>]*earlier sessions/);
    assert.doesNotMatch(/<untrusted[^]*/.exec(listed)?.[0] ?? '', /mine/);
  });

  it('is listed for the folder of the session only', async () => {
    await first();
    const elsewhere = mkdtempSync(path.join(tmpdir(), 'helios-elsewhere-'));
    const script = [
      call('exp_list', { scope: 'folder' }),
      call('exp_list', { scope: 'all' }),
      quit,
    ];
    const [inFolder = '', everywhere = ''] = results(
      await session(script, { workFolder: elsewhere }),
    );
    assert.match(inFolder, /"total":0/);
    assert.match(everywhere, /"total":2/);
  });

  it('has metrics and output that a run, an experiment or a run id names', async () => {
    const before = await first();
    const [run] = before.ledger.rows;
    assert.ok(run);
    const second = await session([
      launch('echo step=3 val_loss=0.2', 'mine'),
      untilRun(1),
      call('show_metrics', { task_id: `${before.id}#1`, metric_names: ['val_loss'] }),
      call('show_metrics', { task_id: run.runId }),
      call('compare_runs', { task_a: `${before.id}#e2`, task_b: 1 }),
      call('task_output', { run: `${before.id}#2` }),
      call('clear_metrics', { task_id: `${before.id}#1` }),
      call('show_metrics', { task_id: `${before.id}#9` }),
      quit,
    ]);
    const [, , shown = '', byId = '', compared = '', output = '', cleared = '', none = ''] =
      results(second);
    assert.match(shown, new RegExp(`"run":"${before.id}#1","label":"[^"]+".*"latest":0\\.3`));
    assert.match(byId, new RegExp(`${before.id}#1.*"latest":0\\.3`));
    assert.match(compared, /val_loss.*better/);
    assert.match(output, /"command":"echo step=3 val_loss=0\.25; echo zebra".*zebra/);
    assert.match(cleared, /There is no run/);
    assert.match(none, /There is no run/);
    assert.equal(before.ledger.rows[0]?.metrics[0]?.count, 3);
  });

  it('is found by its words', async () => {
    const { id } = await first();
    const second = await session([
      call('search_sessions', { query: 'zebra' }),
      call('search_sessions', { query: 'no such word' }),
      quit,
    ]);
    const [found = '', nothing = ''] = results(second);
    assert.match(found, new RegExp(`${id}: find the lowest val_loss`));
    assert.match(found, /earlier sessions/);
    assert.match(nothing, /"found":"nothing"/);
  });
});
