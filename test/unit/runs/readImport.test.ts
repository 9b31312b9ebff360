import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, afterEach, before, describe, it } from 'mocha';
import { adviceOf, UserFacing } from '../../../src/base/errors.ts';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import type { Machine } from '../../../src/machines/machine.ts';
import { SshConnection } from '../../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../../src/machines/ssh/sshMachine.ts';
import { FixedMetrics } from '../../../src/metrics/fixedMetrics.ts';
import { readImport, type FoundFiles } from '../../../src/runs/metricFiles/readImport.ts';
import { writtenEvents } from '../../fakes/protocolBuffer.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { scriptedPrompts, TestSshd } from '../../fakes/sshd.ts';
import { exitEntry, history, runEntry, transactionLog } from '../../fakes/wandbLog.ts';

describe('results made outside Helios', () => {
  const folder = scratchFolder();
  const at = (name = ''): string => path.join(folder(), 'foreign', name);
  const put = (name: string, content: string | Buffer): void => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), content);
  };
  const local = (): LocalMachine =>
    new LocalMachine({ runsFolder: path.join(folder(), 'runs'), workFolder: folder() });
  const open: DatabaseSync[] = [];
  afterEach(() => open.splice(0).forEach((database) => database.close()));
  const database = (name: string): DatabaseSync => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    const made = new DatabaseSync(at(name));
    open.push(made);
    return made;
  };

  /** Every name in the folder, with its content and its times. */
  const snapshot = (): readonly unknown[] =>
    readdirSync(at(), { recursive: true, encoding: 'utf8' }).map((name) => {
      const { mtimeNs, ctimeNs, size } = lstatSync(at(name), { bigint: true });
      const isFile = lstatSync(at(name)).isFile();
      const hash = isFile
        ? createHash('md5')
            .update(readFileSync(at(name)))
            .digest('hex')
        : '';
      return [name, mtimeNs, ctimeNs, size, hash];
    });
  /** Reads, and checks that nothing was changed. */
  async function read(
    name: string,
    machine: Pick<Machine, 'stream'> = local(),
  ): Promise<FoundFiles> {
    const unchanged = snapshot();
    try {
      return await readImport(machine, at(name));
    } finally {
      assert.deepEqual(snapshot(), unchanged, 'the foreign folder is unchanged');
    }
  }
  const shown = ({ runs }: FoundFiles): unknown[] =>
    runs.map(({ name, state, note, rows }) => {
      const metrics = new FixedMetrics(rows).summaries();
      const values = metrics.map(({ metric, last, best, count }) => [metric, last, best, count]);
      return [name, state, note, ...values];
    });
  const refuses = (name: string, said: RegExp): Promise<void> =>
    assert.rejects(read(name), (error) => {
      assert.ok(error instanceof UserFacing);
      assert.match(adviceOf(error), said);
      return true;
    });

  const tables = (): void => {
    put('log.csv', '\uFEFFepoch,train loss,Größe\n1,0.5,1\n2,0.25,2\n');
    put('metrics.jsonl', '{"step": 1, "eval": {"acc": 0.5}}\n{"step": 2, "eval": {"acc": 0.75}}');
  };

  it('are read from tables and JSON, also the last line without its end', async () => {
    tables();
    put('trainer_state.json', JSON.stringify({ log_history: [{ step: 5, loss: 0.125 }] }));
    put('notes.txt', 'loss 9');
    assert.deepEqual(shown(await read('')), [
      ['log.csv', 'unknown', '', ['train_loss', 0.25, 0.25, 2], ['Größe', 2, 2, 2]],
      ['metrics.jsonl', 'unknown', '', ['eval/acc', 0.75, 0.75, 2]],
      ['trainer_state.json', 'unknown', '', ['loss', 0.125, 0.125, 1]],
    ]);
  });

  it('are read from event files, a run for each folder', async () => {
    put('tb/a/events.out.tfevents.1.host', writtenEvents);
    put('tb/b/events.out.tfevents.1.host', writtenEvents.subarray(0, 150));
    assert.deepEqual(shown(await read('tb')), [
      ['a', 'unknown', '', ['loss', 0.4, 0.4, 5]],
      ['b', 'unknown', '', ['loss', 1, 1, 2]],
    ]);
    assert.deepEqual(shown(await read('tb/a/events.out.tfevents.1.host')).length, 1);
  });

  it('are read from logs of W&B, with the name and the end of each run', async () => {
    const steps = [2, 1, 0.5].map((loss, _step) => history({ _step, loss, text: 'x' }));
    const run = (name: string, end: readonly Buffer[]): void =>
      put(
        `wandb/offline-run-${name}/run-${name}.wandb`,
        transactionLog([runEntry(name, `näme ${name}`), ...steps, ...end]),
      );
    run('a', [exitEntry(0)]);
    run('b', [exitEntry(1)]);
    run('c', []);
    assert.deepEqual(shown(await read('wandb')), [
      ['offline-run-a/run-a.wandb', 'ok', 'näme a', ['loss', 0.5, 0.5, 3]],
      ['offline-run-b/run-b.wandb', 'failed', 'näme b', ['loss', 0.5, 0.5, 3]],
      ['offline-run-c/run-c.wandb', 'unknown', 'näme c', ['loss', 0.5, 0.5, 3]],
    ]);
  });

  it('are read from the folder of MLflow, without runs that were deleted', async () => {
    const run = (id: string, meta: string): void => {
      put(`mlruns/0/${id}/meta.yaml`, meta);
      put(`mlruns/0/${id}/metrics/val/loss`, '1700000000000 0.25 3\n1700000000001 0.125 4\n');
      put(`mlruns/0/${id}/metrics/acc`, '1700000000000 0.5 3\n');
    };
    put('mlruns/0/meta.yaml', 'name: Default\n');
    run('abc', 'lifecycle_stage: active\nrun_name: "swift owl"\nstatus: 3\n');
    run('bad', "run_name: 'sad owl'\nstatus: 4\n");
    run('old', 'lifecycle_stage: deleted\nstatus: 3\n');
    const metrics = [
      ['acc', 0.5, 0.5, 1],
      ['val/loss', 0.125, 0.125, 2],
    ];
    assert.deepEqual(shown(await read('mlruns')), [
      ['0/abc', 'ok', 'swift owl', ...metrics],
      ['0/bad', 'failed', 'sad owl', ...metrics],
    ]);
  });

  it('are read from the database of MLflow, a run for each of its runs', async () => {
    const mlflow = database('mlflow.db');
    mlflow.exec(`CREATE TABLE runs (run_uuid TEXT, name TEXT, status TEXT, lifecycle_stage TEXT);
      CREATE TABLE metrics (key TEXT, value REAL, timestamp INTEGER, run_uuid TEXT, step INTEGER, is_nan INTEGER)`);
    const run = mlflow.prepare('INSERT INTO runs VALUES (?, ?, ?, ?)');
    run.run('a', 'owl', 'FINISHED', 'active');
    run.run('b', 'emu', 'FAILED', 'active');
    run.run('c', 'gone', 'FINISHED', 'deleted');
    const metric = mlflow.prepare('INSERT INTO metrics VALUES (?, ?, 1, ?, ?, ?)');
    for (const step of [1, 2])
      for (const id of ['a', 'b', 'c']) metric.run('loss', 1 / step, id, step, 0);
    metric.run('loss', 0, 'b', 3, 1);
    assert.deepEqual(shown(await read('mlflow.db')), [
      ['owl', 'ok', '', ['loss', 0.5, 0.5, 2]],
      ['emu', 'failed', '', ['loss', NaN, 0.5, 3]],
    ]);
  });

  it('are read from a database that another program has open, and nothing is written beside it', async () => {
    const trackio = database('trackio/project.db');
    trackio.exec(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
      CREATE TABLE metrics (id INTEGER PRIMARY KEY, timestamp TEXT, run_name TEXT, step INTEGER, metrics TEXT)`);
    const insert = trackio.prepare("INSERT INTO metrics VALUES (NULL, 't', ?, ?, ?)");
    insert.run('first', 1, '{"loss": 0.5, "text": "a"}');
    insert.run('second', 1, '{"loss": NaN}');
    insert.run('first', 2, '{"loss": 0.25}');
    assert.ok(readdirSync(at('trackio')).includes('project.db-wal'));
    assert.deepEqual(shown(await read('trackio/project.db')), [
      ['first', 'unknown', '', ['loss', 0.25, 0.25, 2]],
      ['second', 'unknown', '', ['loss', NaN, NaN, 1]],
    ]);
    trackio.close();
    open.pop();
    assert.equal((await read('trackio/project.db')).runs.length, 2);
    assert.deepEqual(readdirSync(at('trackio')), ['project.db']);
  });

  it('are ledgers where a table has a status and no steps, in either separator', async () => {
    put('results.tsv', 'commit\tval_bpb\tstatus\tdescription\na\t0.9\tkeep\tsay "hi\n');
    put('other.csv', 'hash,score,decision,notes\nb,0.5,discard,"two\nlines, ""quoted"""\n');
    put('log.csv', 'step,loss,status\n1,0.5,ok\n');
    const { ledgers, runs } = await read('');
    assert.deepEqual(
      ledgers.map(({ name, lines }) => [name, lines[1]]),
      [
        ['other.csv', ['b', '0.5', 'discard', 'two\nlines, "quoted"']],
        ['results.tsv', ['a', '0.9', 'keep', 'say "hi']],
      ],
    );
    assert.deepEqual(
      runs.map(({ name }) => name),
      ['log.csv'],
    );
  });

  it('are read as far as they can be, and the rest is named', async () => {
    tables();
    put('binary.csv', Buffer.from([0, 255, 254, 10, 0, 1]));
    put('huge.csv', `step,loss\n1,"${'9'.repeat(200_000)}"\n2,0.5\n`);
    put('deep.jsonl', `${'['.repeat(200_000)}\n{"step": 1, "loss": "NaN"}\n`);
    put('ragged.csv', 'step,loss,loss\n1,0.5\n2,0.25,0.75,9\n');
    put('bad.wandb', Buffer.alloc(64, 255));
    put('metrics.csv', '');
    symlinkSync('/etc/passwd', at('link.csv'));
    const found = await read('');
    assert.deepEqual(
      shown(found).filter(
        (run) => !['log.csv', 'metrics.jsonl'].includes(String((run as unknown[])[0])),
      ),
      [
        ['deep.jsonl', 'unknown', '', ['loss', NaN, NaN, 1]],
        ['huge.csv', 'unknown', '', ['loss', 0.5, 0.5, 1]],
        ['ragged.csv', 'unknown', '', ['loss', 0.75, 0.5, 2]],
      ],
    );
    const said = found.problems.join('\n');
    for (const part of [
      /binary\.csv has no values/,
      /metrics\.csv has no values/,
      /bad\.wandb is unreadable/,
    ])
      assert.match(said, part);
    assert.doesNotMatch(said, /link/);
  });

  it('are refused with the reason where there is nothing to read', async () => {
    mkdirSync(at('empty'), { recursive: true });
    put('notes.txt', 'nothing here');
    put('other.db', '');
    put('large.csv', '');
    symlinkSync(at('notes.txt'), at('link.csv'));
    symlinkSync('/dev/zero', at('device.csv'));
    await refuses('none.csv', /none\.csv was not imported: it does not exist\. Name a file/);
    await refuses('empty', /it has no metrics in a known format/);
    await refuses('notes.txt', /notes\.txt has no values/);
    await refuses('other.db', /other\.db has no metrics of Trackio or MLflow/);
    await refuses('link.csv', /it is a link: name what it leads to/);
    await refuses('device.csv', /it is a link/);
    await assert.rejects(readImport(local(), '/dev/zero'), /it is no regular file/);
  });

  it('are refused where they are too large, before they are read', async () => {
    put('large.csv', 'step,loss\n');
    truncateSync(at('large.csv'), 65 << 20);
    await assert.rejects(readImport(local(), at('large.csv')), /it has more than 64 MiB/);
  });

  it('are refused without python3, which is said', () => {
    put('log.csv', 'step,loss\n1,0.5\n');
    const machine = local();
    const stream = machine.stream.bind(machine);
    const without: Pick<Machine, 'stream'> = {
      stream: (command, options) => stream(`PATH=/nonexistent; ${command}`, options),
    };
    return assert.rejects(readImport(without, at('log.csv')), /needs python3 on the machine/);
  });

  it('run no code of the folder that they are read from', async () => {
    put('log.csv', 'step,loss\n1,0.5\n');
    put('csv.py', 'raise SystemExit(7)\n');
    const machine = local();
    const stream = machine.stream.bind(machine);
    const there: Pick<Machine, 'stream'> = {
      stream: (command, options) => stream(command, { ...options, cwd: at() }),
    };
    assert.equal((await read('log.csv', there)).runs.length, 1);
  });

  describe('on a machine over SSH', () => {
    let sshd: TestSshd;
    let connection: SshConnection;
    before(async () => {
      sshd = await TestSshd.start();
      connection = new SshConnection(sshd.target(), scriptedPrompts());
    });
    after(async () => {
      connection.dispose();
      await sshd.dispose();
    });

    it('are read as on this computer', async () => {
      tables();
      const options = { id: 'gpu1', connection, homeFolder: folder(), workFolder: folder() };
      const machine = new SshMachine(options);
      try {
        assert.deepEqual(await read('', machine), await read(''));
        await assert.rejects(readImport(machine, at('none')), /it does not exist/);
      } finally {
        machine.dispose();
      }
    });
  });
});
