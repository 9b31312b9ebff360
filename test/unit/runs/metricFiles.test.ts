import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, it } from 'mocha';
import { readerScript } from '../../../src/runs/metricFiles/readerScript.ts';
import { part, writtenEvents } from '../../fakes/protocolBuffer.ts';
import { scratchFolder, until } from '../../fakes/scratch.ts';
import { history, transactionLog } from '../../fakes/wandbLog.ts';
import { ended, useRuns } from './harness.ts';

describe('the reader of files with metrics', () => {
  const folder = scratchFolder();
  const at = (name: string): string => path.join(folder(), name);
  const put = (name: string, text: string | Buffer): void => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  };
  const rows = (): unknown[] =>
    (existsSync(at('run/metrics.jsonl')) ? readFileSync(at('run/metrics.jsonl'), 'utf8') : '')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line.replaceAll('NaN', '"NaN"')) as unknown);
  let stop: () => Promise<string> = () => Promise.resolve('');
  afterEach(() => stop());

  const argv = (): string[] => ['-I', '-S', at('run/metrics.py'), at('run/metrics_from.json')];
  /** Starts the reader, and waits until it knows what is there. */
  async function reading(...from: readonly string[]): Promise<void> {
    put('run/metrics_from.json', JSON.stringify(from));
    put('run/metrics.py', readerScript);
    const output = openSync(at('run/metrics.jsonl'), 'a');
    const child = spawn('python3', argv(), { cwd: folder(), stdio: ['pipe', output, 'pipe'] });
    closeSync(output);
    let said = '';
    child.stderr?.on('data', (chunk) => (said += String(chunk)));
    const exit = once(child, 'exit');
    stop = async () => {
      child.stdin?.end();
      await exit;
      return said;
    };
    await until('it is ready', () => statSync(at('run/metrics.jsonl')).size > 0);
  }
  const count = (wanted: number): Promise<void> =>
    until(`${wanted} rows are read`, () => rows().length === wanted);

  it('reads a table while it grows, with cells that are empty, no numbers or incomplete', async () => {
    await reading('log.csv');
    put('log.csv', 'epoch,train loss,note,val_loss\n1,0.5,"a, b",\n1,,x,0.61\n2,na');
    await count(2);
    appendFileSync(at('log.csv'), 'n,z,0.5\n3,0.25,q,1e-3');
    await count(3);
    assert.equal(await stop(), '');
    assert.deepEqual(rows(), [
      { epoch: 1, 'train loss': 0.5 },
      { epoch: 1, val_loss: 0.61 },
      { epoch: 2, 'train loss': 'NaN', val_loss: 0.5 },
      { epoch: 3, 'train loss': 0.25, val_loss: 0.001 },
    ]);
  });

  it('reads tables with tabs and semicolons, and says when the header is missing', async () => {
    await reading('a.tsv', 'b.csv', 'c.csv');
    put('a.tsv', 'step\tloss\n1\t0.5\n');
    put('b.csv', 'step;loss\n2;0.25\n');
    put('c.csv', '1,0.5\n2,0.4\n');
    assert.match(await stop(), /c\.csv has no header line with the names of its columns/);
    assert.deepEqual(rows().slice(0, 2), [
      { step: 1, loss: 0.5 },
      { step: 2, loss: 0.25 },
    ]);
  });

  it('leaves out what an earlier run wrote, also when the file is written again', async () => {
    put('log.csv', 'step,loss\n1,9\n2,8\n');
    await reading('log.csv');
    appendFileSync(at('log.csv'), '3,7\n');
    await count(1);
    put('new.csv', 'step,loss\n1,9\n2,8\n3,7\n4,6\n');
    renameSync(at('new.csv'), at('log.csv'));
    await count(2);
    await stop();
    assert.deepEqual(rows(), [
      { step: 3, loss: 7 },
      { step: 4, loss: 6 },
    ]);
  });

  it('reads all rows of a file that the run begins again, though an earlier run wrote the same', async () => {
    put('log.csv', 'step,loss\n1,9\n2,8\n3,7\n');
    await reading('log.csv');
    put('log.csv', 'step,loss\n1,9\n2,8\n');
    await stop();
    assert.deepEqual(rows(), [
      { step: 1, loss: 9 },
      { step: 2, loss: 8 },
    ]);
  });

  it('reads each row once of a file that is written again with every row', async () => {
    await reading('log.csv', 'state.json');
    const lines = ['step,loss'];
    const list: object[] = [];
    for (let step = 1; step <= 4; step += 1) {
      lines.push(`${step},0.${step}`);
      list.push({ step, acc: step / 8 });
      put('log.csv', '');
      put('log.csv', `${lines.join('\n')}\n`);
      put('state.json', '{"log_history": [');
      put('state.json', JSON.stringify({ log_history: list, best: null }));
      await count(2 * step);
    }
    assert.equal(await stop(), '');
    const read = rows().map((row) => JSON.stringify(row));
    assert.equal(new Set(read).size, 8);
  });

  it('reads JSON lines, and the metrics of MLflow', async () => {
    await reading('log.jsonl', 'mlruns', 'mlflow.db');
    put('log.jsonl', 'no JSON\n{"step": 1, "loss": 0.75, "eval": {"acc": 0.5}}\n[1]\n');
    put('mlruns/0/abc/meta.yaml', '');
    put('mlruns/0/abc/metrics/val/loss', '1700000000000 0.25 3\n1700000000001 0.125 4\n');
    const database = new DatabaseSync(at('mlflow.db'));
    database.exec(
      'CREATE TABLE metrics (key TEXT, value REAL, timestamp INTEGER, run_uuid TEXT, step INTEGER, is_nan INTEGER)',
    );
    const insert = database.prepare('INSERT INTO metrics VALUES (?, ?, 1, ?, ?, ?)');
    insert.run('loss', 0.5, 'a', 7, 0);
    insert.run('loss', 0, 'a', 8, 1);
    assert.equal(await stop(), '');
    database.close();
    assert.deepEqual(rows(), [
      { step: 1, loss: 0.75, eval: { acc: 0.5 } },
      { step: 3, 'val/loss': 0.25 },
      { step: 4, 'val/loss': 0.125 },
      { step: 7, loss: 0.5 },
      { step: 8, loss: 'NaN' },
    ]);
  });

  it('reads the database of Trackio while it is written, from the first row of the run', async () => {
    const database = new DatabaseSync(at('project.db'));
    database.exec(`PRAGMA journal_mode = WAL; CREATE TABLE metrics (id INTEGER PRIMARY KEY AUTOINCREMENT,
      timestamp TEXT, run_name TEXT, step INTEGER, metrics TEXT)`);
    const insert = database.prepare("INSERT INTO metrics VALUES (NULL, 't', 'r', ?, ?)");
    insert.run(1, JSON.stringify({ loss: 9 }));
    await reading('project.db');
    insert.run(2, JSON.stringify({ loss: 0.5, image: { _type: 'image', width: 3 }, text: 'a' }));
    await count(1);
    insert.run(3, JSON.stringify({ loss: 0.25 }));
    assert.equal(await stop(), '');
    database.close();
    assert.deepEqual(rows(), [
      { step: 2, loss: 0.5 },
      { step: 3, loss: 0.25 },
    ]);
  });

  it('reads event files of TensorBoard in a folder, with the digits that were meant', async () => {
    await reading('logs');
    put('logs/run/events.out.tfevents.1.host', writtenEvents.subarray(0, 150));
    await count(2);
    put('logs/run/events.out.tfevents.1.host', writtenEvents);
    assert.equal(await stop(), '');
    assert.deepEqual(
      rows(),
      [2, 1, 0.6666667, 0.5, 0.4].map((loss, index) => ({ step: 10 * index, loss })),
    );
  });

  it('reads a transaction log of W&B, also entries of several blocks', async () => {
    const steps = Array.from({ length: 900 }, (_, step) => ({
      _step: step,
      loss: 1 / (step + 1),
      ...(step === 5 && { text: 'x'.repeat(70_000) }),
      ...(step === 6 && { image: { _type: 'image-file', width: 640 } }),
    }));
    const log = transactionLog([part(17, Buffer.from('run')), ...steps.map(history)]);
    await reading('wandb');
    put('wandb/offline-run-1/run-1.wandb', log.subarray(0, 40_000));
    await until('a part is read', () => rows().length > 0);
    appendFileSync(at('wandb/offline-run-1/run-1.wandb'), log.subarray(40_000));
    assert.equal(await stop(), '');
    assert.deepEqual(
      rows(),
      steps.map(({ image: _, ...row }) => row),
    );
  });

  it('says what does not exist, is damaged or has no metrics, and follows no link', async () => {
    put('secret.csv', 'step,loss\n1,1\n');
    await reading('none.csv', 'empty', 'x.tfevents', 'bad.wandb', 'link.csv');
    mkdirSync(at('empty'));
    put('x.tfevents', Buffer.alloc(64, 255));
    put('bad.wandb', Buffer.alloc(64, 255));
    symlinkSync(at('secret.csv'), at('link.csv'));
    const said = await stop();
    for (const expected of [
      /none\.csv does not exist/,
      /empty has no metrics in a known format/,
      /x\.tfevents is unreadable from byte 0 on/,
      /bad\.wandb is unreadable from byte 7 on/,
      /link\.csv/,
    ])
      assert.match(said, expected);
    assert.deepEqual(rows(), []);
  });

  it('goes on after lines that no reader understands', async () => {
    const database = new DatabaseSync(at('project.db'));
    database.exec('CREATE TABLE metrics (step INTEGER, metrics TEXT)');
    await reading('log.csv', 'log.jsonl', 'state.json', 'project.db');
    put('state.json', '['.repeat(200_000));
    put('log.csv', `step,loss\n1,"${'9'.repeat(200_000)}"\n2,0.5\n`);
    put('log.jsonl', `${'['.repeat(200_000)}\n{"step": 3, "loss": 0.25}\n`);
    const insert = database.prepare('INSERT INTO metrics VALUES (?, ?)');
    for (const text of ['[1]', null, 'x', '{"loss": 0.125}']) insert.run(4, text);
    assert.match(await stop(), /state\.json is nested too deeply/);
    database.close();
    const steps = rows().map((row) => JSON.stringify(row));
    assert.deepEqual(steps.toSorted(), [
      '{"step":2,"loss":0.5}',
      '{"step":3,"loss":0.25}',
      '{"step":4,"loss":0.125}',
    ]);
  });

  it('goes on when metrics cannot be stored, and says so', async () => {
    put('run/metrics_from.json', '["log.csv"]');
    put('run/metrics.py', readerScript.replace('os.write(1, b"\\n")', 'say("ready")'));
    const full = openSync('/dev/full', 'w');
    const child = spawn('python3', argv(), { cwd: folder(), stdio: ['pipe', full, 'pipe'] });
    closeSync(full);
    let said = '';
    child.stderr?.on('data', (chunk) => (said += String(chunk)));
    await until('it is ready', () => said.includes('ready'));
    put('log.csv', 'step,loss\n1,9\n');
    await until('it is said', () => /metrics cannot be stored: No space left on device/.test(said));
    assert.equal(child.exitCode, null);
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
});

describe('runs whose metrics are in files', () => {
  const { folder, controller, spec } = useRuns();
  const from = { metrics: { from: ['log.csv'] } };
  const train = (steps: number, pause: string): string =>
    `echo step,loss > log.csv; for i in $(seq ${steps}); do echo "loss=99"; echo $i,0.$i >> log.csv; ${pause}; done`;

  it('have all points at their end, and none of the output', async () => {
    const { runs, changes } = controller();
    const run = await runs.launch(spec(train(200, ':'), from));
    assert.deepEqual(await ended(run), { kind: 'ok' });
    const { values, steps } = run.metrics.series('loss');
    assert.deepEqual([values.length, steps[199], values[199]], [200, 200, 0.2]);
    assert.match((await runs.output(run, { lines: 1 })).text, /loss=99/);
    const kinds = changes.map(({ kind }) => kind);
    assert.ok(kinds.indexOf('started') < kinds.indexOf('points'));
    assert.equal(kinds.at(-1), 'ended');
  });

  it('have the last points when they are killed', async () => {
    const { runs } = controller();
    const run = await runs.launch(spec(`${train(3, ':')}; sleep 60`, from));
    await until('the steps are written', () => existsSync(path.join(folder(), 'log.csv')));
    await runs.kill(run, { signal: 'KILL', graceMs: 0 });
    assert.deepEqual(await ended(run), { kind: 'killed' });
    const written = readFileSync(path.join(folder(), 'log.csv'), 'utf8').split('\n').length - 2;
    assert.equal(run.metrics.series('loss').values.length, written);
  });

  it('lose and double no point when Helios starts again meanwhile', async () => {
    const first = controller();
    const planned = spec(train(60, 'sleep 0.05'), from);
    const run = await first.runs.launch(planned);
    await until('points are read', () => run.metrics.series('loss').values.length > 5);
    first.runs.dispose();
    const again = await controller().runs.adopt(planned);
    assert.ok(again);
    await ended(again);
    const { steps } = again.metrics.series('loss');
    assert.deepEqual(
      [...steps],
      Array.from({ length: 60 }, (_, index) => index + 1),
    );
  });

  it('are read again with other names', async () => {
    const { runs } = controller();
    const run = await runs.launch(
      spec(train(5, ':'), { metrics: { from: ['log.csv'], names: ['acc'] } }),
    );
    await ended(run);
    assert.deepEqual(run.metrics.names(), []);
    await runs.reread(run.spec.id, { from: ['log.csv'], names: ['loss'] }, () => Promise.resolve());
    assert.equal(run.metrics.series('loss').values.length, 5);
  });

  it('do not start without python3, and say so', async () => {
    const { runs } = controller(undefined, (local) => {
      const spawnDetached = local.spawnDetached.bind(local);
      return Object.assign(local, {
        spawnDetached: (argv: readonly string[], options: Parameters<typeof spawnDetached>[1]) => {
          const script = argv[1] ?? '';
          const text = readFileSync(script, 'utf8');
          writeFileSync(script, text.replace('command -v python3', 'command -v python3-missing'));
          return spawnDetached(argv, options);
        },
      });
    });
    await assert.rejects(
      runs.launch(spec('echo hi', from)),
      /metrics_from needs python3 on this machine/,
    );
  });
});
