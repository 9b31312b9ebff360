import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { ScriptedModel, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'enough' } }];
const launch = (input: object) => ({ name: 'remote_exec_background', input });
const sleepFor = (what: object) => [
  { name: 'sleep', input: { reason: 'r', wake_conditions: [{ type: 'process_exit', ...what }] } },
];
const show = (reference: string) => [{ name: 'show_metrics', input: { runs: [reference] } }];

describe('a session whose runs write metrics to files', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  async function session(script: readonly ScriptedReply[], files: Record<string, string> = {}) {
    const folder = mkdtempSync(path.join(tmpdir(), 'helios-metric-files-'));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, 'work', name)), { recursive: true });
      writeFileSync(path.join(folder, 'work', name), text);
    }
    bed = await testEngine(new ScriptedModel(script), { folder });
    const started = await bed.start();
    await started.ended;
    return started;
  }
  const results = (of: Awaited<ReturnType<typeof session>>): string[] =>
    eventsOf(of, 'tool.finished').map(({ text }) => text);

  it('reads them instead of the output, and says from where', async () => {
    const command = 'echo val_loss=9; printf "epoch,val_loss\\n1,0.5\\n2,0.25\\n" > log.csv';
    const ended = await session([
      [launch({ command, metrics_from: ['log.csv'] })],
      sleepFor({ run: 1 }),
      show('1'),
      quit,
    ]);
    const [row] = ended.ledger.rows;
    assert.deepEqual(
      row?.metrics.map(({ metric, last, count }) => [metric, last, count]),
      [['val_loss', 0.25, 2]],
    );
    assert.match(results(ended)[0] ?? '', /detected from log\.csv/);
  });

  it('refuses two runs at once that write to the same file, and starts nothing', async () => {
    const first = { command: 'sleep 30', metrics_from: ['logs'], cwd: '.' };
    const ended = await session([
      [launch(first), launch({ ...first, command: 'sleep 31', metrics_from: ['./logs/'] })],
      quit,
    ]);
    assert.equal(eventsOf(ended, 'run.planned').length, 1);
    assert.match(
      results(ended)[1] ?? '',
      /logs of metrics_from belongs to run 1, which has not ended.*Nothing was started/,
    );
  });

  it('takes a path for each point of a sweep, and refuses the same path for several', async () => {
    const sweep = (where: string) => ({
      name: 'sweep',
      input: {
        command_template: `mkdir -p logs; printf 'step,loss\\n1,{lr}\\n' > logs/{lr}.csv`,
        params: { lr: [0.5, 0.25] },
        metrics_from: [where],
        max_parallel: 2,
      },
    });
    const ended = await session([
      [sweep('logs')],
      [sweep('logs/{lr}.csv')],
      sleepFor({ sweep: 's1' }),
      quit,
    ]);
    assert.match(results(ended)[0] ?? '', /Several points have the same path in metrics_from/);
    assert.deepEqual(
      ended.ledger.rows.map(({ metrics }) => metrics.map(({ metric, last }) => [metric, last])),
      [[['loss', 0.5]], [['loss', 0.25]]],
    );
  });

  it('does not read a file of keys', async () => {
    const ended = await session(
      [[launch({ command: 'true', metrics_from: ['keys/.env'] })], quit],
      { 'keys/.env': 'API_KEY=1\n' },
    );
    assert.equal(eventsOf(ended, 'run.planned').length, 0, results(ended).join('\n'));
  });
});
