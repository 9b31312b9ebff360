import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { ScriptedModel, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'loss 0.125, then 0.75' } }];
const call = (name: string, input: object) => [{ name, input }];
const launch = (command: string) => [{ name: 'remote_exec_background', input: { command } }];
const untilRun = (run: number) => [
  { name: 'sleep', input: { reason: 'r', wake_conditions: [{ type: 'process_exit', run }] } },
];

/** As the project autoresearch writes it: a crash holds zero, which would be the lowest loss. */
const ledger = `commit\tloss\tmemory_gb\tstatus\tdescription
a1b2c3d\t0.500000\t44.0\tkeep\tbaseline
b2c3d4e\t0.125000\t44.2\tdiscard\twider
c3d4e5f\t0.000000\t0.0\tcrash\tout of memory
`;

describe('results that a session imports', () => {
  let folder: string;
  let bed: TestEngine | undefined;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'helios-imports-'));
    mkdirSync(path.join(folder, 'foreign'));
    put('results.tsv', ledger);
    put('log.csv', 'step,loss,acc\n1,0.75,0.1\n2,0.25,0.2\n');
  });
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });
  const at = (name: string): string => path.join(folder, 'foreign', name);
  const put = (name: string, text: string): void => writeFileSync(at(name), text);

  async function session(script: readonly ScriptedReply[]): Promise<Session> {
    bed = await testEngine(new ScriptedModel(script), { folder });
    writeFileSync(path.join(bed.work, 'run.sh'), 'echo step=1 loss=0.9\n');
    const started = await bed.start({ goal: 'bring loss < 0.1' });
    await started.ended;
    return started;
  }
  const results = (of: Session): string[] => eventsOf(of, 'tool.finished').map(({ text }) => text);

  it('are listed with their source, and a crash has no value', async () => {
    const [said = '', listed = '', sorted = '', own = ''] = results(
      await session([
        call('import_metrics', { path: at('results.tsv') }),
        call('exp_list', { scope: 'imported' }),
        call('exp_list', { scope: 'imported', metric: 'loss' }),
        call('exp_list', {}),
        quit,
      ]),
    );
    assert.match(said, /"import":"i1","measured":"outside Helios, files of \d{4}-.*no evidence/);
    assert.match(said, /keep: baseline · loss 0\.5 · a1b2c3d · i1#1/);
    assert.match(said, /crash: out of memory · c3d4e5f · i1#3/);
    assert.match(said, /<untrusted from=[^>]*results\.tsv/);
    assert.match(listed, /"total":3/);
    assert.match(listed, /i1#3 · crash · no value at c3d4e5f/);
    assert.match(sorted, /"total":2/);
    assert.ok(sorted.indexOf('i1#2') < sorted.indexOf('i1#1'), sorted);
    assert.match(own, /"total":0/);
  });

  it('are shown, and compared with a run of the session, as what they are', async () => {
    const ended = await session([
      launch('for i in 1 2; do echo step=$i loss=0.$((6 / i)); done'),
      untilRun(1),
      call('import_metrics', { path: at('log.csv') }),
      call('show_metrics', { task_id: 'i1#1', metric_names: ['loss'] }),
      call('compare_runs', { task_a: 'i1#1', task_b: 1, metric_names: ['loss'] }),
      call('show_metrics', {}),
      call('show_metrics', { task_id: 'i7#1' }),
      call('clear_metrics', { task_id: 'i1#1' }),
      quit,
    ]);
    const [, , , values = '', compared = '', all = '', unknown = '', cleared = ''] = results(ended);
    assert.match(values, /"run":"i1#1","label":"log\.csv"/);
    assert.match(values, /imported from .*log\.csv, file of .*, not measured by Helios/);
    assert.match(values, /"latest":0\.25,"latest_step":2.*"values":\[0\.75,0\.25\]/);
    assert.match(compared, /"baseline":\{"run":"i1#1".*not measured by Helios/);
    assert.match(compared, /"delta":0\.05.*"verdict":"worse"/);
    assert.doesNotMatch(all, /i1#1/);
    assert.match(unknown, /no run i7#1\. Imported results/);
    assert.match(cleared, /no run i1#1\. Imported results can only be shown/);
    assert.equal(readFileSync(at('log.csv'), 'utf8'), 'step,loss,acc\n1,0.75,0.1\n2,0.25,0.2\n');
  });

  it('are told with their best value and their other metrics, but not one that is not finite', async () => {
    put('best.csv', 'step,val_loss,acc\n1,0.25,0.1\n2,0.75,0.2\n');
    put('nan.csv', 'step,val_loss\n1,0.25\n2,nan\n');
    const [said = ''] = results(
      await session([call('import_metrics', { path: path.join(folder, 'foreign') }), quit]),
    );
    assert.match(said, /unknown: best\.csv · val_loss 0\.75 \(best 0\.25\) · also acc · i1#1/);
    assert.match(said, /unknown: nan\.csv · also val_loss · i1#3/);
  });

  it('are no evidence and no champion, and a claim about them is marked', async () => {
    const ended = await session([
      launch('sh run.sh'),
      untilRun(1),
      call('import_metrics', { path: at('results.tsv') }),
      call('finish', {
        outcome: 'goal_met',
        summary: 'x',
        evidence: [{ runs: ['i1#2'], metric: 'loss' }],
      }),
      quit,
      quit,
    ]);
    assert.match(
      results(ended)[3] ?? '',
      /i1#2 was imported and not measured by Helios, so it is no evidence/,
    );
    assert.equal(ended.ledger.champion?.number, 1);
    assert.equal(ended.ledger.best?.mean, 0.9);
    const brief = await bed?.engine.reports.brief(ended.id);
    const text = JSON.stringify(brief);
    assert.match(
      text,
      /0\.125 \*\(imported, not measured by Helios\)\*, then 0\.75 \*\(not measured\)\*/,
    );
    assert.match(
      text,
      /## Imported, not measured by Helios\\n- i1: 3 results, 1 of them crashed from /,
    );
  });

  it('are read again after a restart, and replaced when the file is imported again', async () => {
    const first = await session([call('import_metrics', { path: folder + '/foreign' }), quit]);
    assert.equal(first.state.imported.length, 4);
    const again = await bed?.restart(
      new ScriptedModel([
        call('show_metrics', { task_id: 'i1#1', metric_names: ['acc'] }),
        call('import_metrics', { path: folder + '/foreign' }),
        quit,
      ]),
    );
    assert.ok(again);
    bed = again;
    const resumed = await again.engine.sessions.resume(first.id);
    await resumed.say('Go on.');
    await resumed.ended;
    const shown = results(resumed).join('\n');
    assert.match(shown, /"values":\[0\.1,0\.2\]/);
    assert.deepEqual(
      resumed.state.imported.map(({ id }) => id),
      ['i2#1', 'i2#2', 'i2#3', 'i2#4'],
    );
  });

  it('are refused with what to do, and keys are not read', async () => {
    put('.env', 'KEY=1\n');
    put('bad.tsv', ledger.replace('discard', 'maybe'));
    const ended = await session([
      call('import_metrics', { path: at('none') }),
      call('import_metrics', { path: at('bad.tsv') }),
      call('import_metrics', { path: at('.env') }),
      quit,
    ]);
    const [missing = '', bad = '', key = ''] = results(ended);
    assert.match(missing, /it does not exist\. Name a file, or a folder/);
    assert.match(bad, /Line 3: its status is \\?"maybe\\?".*Fix these lines/);
    assert.equal(eventsOf(ended, 'results.imported').length, 0, key);
  });

  it('of the user are told to the model', async () => {
    const model = new ScriptedModel([quit, quit]);
    bed = await testEngine(model, { folder });
    const started = await bed.start();
    await started.ended;
    assert.match(
      await started.importFiles('local', at('results.tsv')),
      /^Imported 3 results from .*results\.tsv as i1, measured outside Helios\.$/,
    );
    await assert.rejects(started.importFiles('local', at('none')), /it does not exist/);
    await started.say('Go on.');
    await started.ended;
    assert.match(
      JSON.stringify(model.requests.at(-1)?.messages),
      /The user imported 3 earlier results.*outside Helios.*keep: baseline · loss 0\.5 · a1b2c3d · i1#1/,
    );
  });
});
