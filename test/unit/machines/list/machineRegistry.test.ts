import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { systemClock } from '../../../../src/base/clock.ts';
import { silentLogger } from '../../../../src/base/logger.ts';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import { MachineFailure, type Machine } from '../../../../src/machines/machine.ts';
import type { MachineEntry } from '../../../../src/machines/machineEntry.ts';
import { MachineFile } from '../../../../src/machines/list/machineFile.ts';
import { MachineRegistry } from '../../../../src/machines/list/machineRegistry.ts';
import { writeFileAtomic } from '../../../../src/storage/atomicFile.ts';
import { scratchFolder, until } from '../../../fakes/scratch.ts';
import { standIn, type StandIn } from '../../../fakes/scriptedMachine.ts';

const gpu1: MachineEntry = { id: 'gpu1', kind: 'ssh', host: 'gpu1.lab' };
const gpu2: MachineEntry = { id: 'gpu2', kind: 'ssh', alias: 'lab2' };

describe('the list of machines', () => {
  const folder = scratchFolder();
  const path = (): string => join(folder(), 'home', 'machines.json');
  const file = (): MachineFile =>
    new MachineFile({ path: path(), write: (where, text) => writeFileAtomic(where, text, 0o600) });
  const made: StandIn[] = [];
  const warned: string[] = [];
  let busy: string[] = [];
  let answer: (() => Promise<string>) | undefined;
  let registry: MachineRegistry | undefined;

  const open = async (): Promise<MachineRegistry> => {
    const local = new LocalMachine({ runsFolder: '/r', workFolder: folder() });
    registry = await MachineRegistry.open({
      local,
      file: file(),
      create(entry) {
        const machine = standIn(
          entry,
          join(folder(), `${entry.id}-${made.length}`),
          answer && (() => answer!()),
        );
        made.push(machine);
        return machine;
      },
      isBusy: (id) => busy.includes(id),
      clock: systemClock,
      logger: { ...silentLogger, warn: (message) => void warned.push(message) },
    });
    return registry;
  };
  afterEach(() => {
    registry?.dispose();
    registry = undefined;
    made.splice(0);
    warned.splice(0);
    busy = [];
    answer = undefined;
  });
  const ids = (machines: { list(): readonly Machine[] }): string[] =>
    machines.list().map(({ id }) => id);

  it('is this computer and the machines of the file', async () => {
    await file().put(gpu1);
    const machines = await open();
    assert.deepEqual(ids(machines), ['local', 'gpu1']);
    assert.equal(machines.get('gpu1').kind, 'ssh');
    assert.throws(() => machines.get('gpu9'), {
      reason: 'unknown_machine',
      message: /"gpu9"\. Machines: local, gpu1\./,
    });
  });

  it('has a machine as soon as it was added, also for those who hold a view of it', async () => {
    const machines = await open();
    const other = new LocalMachine({ runsFolder: '/r', workFolder: '/elsewhere' });
    const view = machines.with(other);
    let changes = 0;
    view.onDidChange?.(() => (changes += 1));
    await machines.add(gpu1, gpu2);
    assert.deepEqual(ids(view), ['local', 'gpu1', 'gpu2']);
    assert.equal(view.get('local'), other);
    assert.equal(view.get('gpu1'), machines.get('gpu1'));
    assert.ok(changes > 0);
    await machines.remove('gpu1');
    assert.deepEqual(ids(view), ['local', 'gpu2']);
    assert.deepEqual(
      made.map(({ isDisposed }) => isDisposed),
      [true, false],
    );
  });

  it('hears of what another program writes into the file', async () => {
    const machines = await open();
    await file().put(gpu1);
    await until('the machine is there', () => ids(machines).includes('gpu1'));
    await rm(path());
    await until('the machine is gone', () => !ids(machines).includes('gpu1'));
  });

  it('leaves the machines that did not change as they are', async () => {
    const machines = await open();
    await machines.add(gpu1);
    await machines.add(gpu2);
    await machines.reload();
    assert.equal(made.length, 2);
    assert.ok(made.every(({ isDisposed }) => !isDisposed));
  });

  it('follows on where a machine is replaced, each byte once', async () => {
    const machines = await open();
    await machines.add(gpu1);
    const handle = machines.get('gpu1');
    const log = join(folder(), 'log');
    await writeFile(log, 'one ');
    let text = '';
    const follow = handle.follow(log, 0, {
      onBytes: (bytes) => void (text += Buffer.from(bytes).toString()),
      onChange: () => undefined,
      onError: (error) => assert.fail(error),
    });
    await follow.drain();
    await machines.add({ ...gpu1, port: 2222 });
    assert.equal(machines.get('gpu1'), handle);
    assert.deepEqual([made[0]?.isDisposed, made[1]?.entry.port], [true, 2222]);
    await writeFile(log, 'one two');
    await follow.drain();
    assert.equal(text, 'one two');
    follow.dispose();
  });

  it('reads on where the receiver is ready for more', async () => {
    const machines = await open();
    await machines.add(gpu1);
    const log = join(folder(), 'log');
    await writeFile(log, 'x'.repeat(10_000));
    const ready = Promise.withResolvers<void>();
    let chunks = 0;
    const follow = machines.get('gpu1').follow(log, 0, {
      onBytes: () => {
        chunks += 1;
        return ready.promise;
      },
      onChange: () => undefined,
      onError: (error) => assert.fail(error),
    });
    const drained = follow.drain();
    await until('the first bytes are read', () => chunks > 0);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(chunks, 1);
    ready.resolve();
    await drained;
    assert.equal(chunks, 2);
    follow.dispose();
  });

  it('knows from what was done last how a machine can be reached', async () => {
    answer = () => Promise.reject(new MachineFailure('unreachable', 'no route to gpu1.lab'));
    const machines = await open();
    await machines.add(gpu1);
    assert.deepEqual(machines.status('local'), { kind: 'connected' });
    assert.deepEqual(machines.status('gpu1'), { kind: 'unused' });
    await machines.get('gpu1').exec('true', { signal: AbortSignal.abort() });
    assert.deepEqual(machines.status('gpu1'), { kind: 'unused' });
    let changes = 0;
    machines.onDidChange(() => (changes += 1));
    await assert.rejects(machines.get('gpu1').describe());
    assert.deepEqual(machines.status('gpu1'), { kind: 'unreachable', why: 'no route to gpu1.lab' });
    await assert.rejects(machines.get('gpu1').describe());
    assert.equal(changes, 1);
    await assert.rejects(machines.get('gpu1').readFile('/there/is/none'), { reason: 'missing' });
    assert.deepEqual(machines.status('gpu1'), { kind: 'connected' });
  });

  it('keeps the machines it knew while the file is broken, and says so once', async () => {
    const machines = await open();
    await machines.add(gpu1);
    await writeFile(path(), '{');
    await machines.reload();
    await machines.reload();
    assert.deepEqual(ids(machines), ['local', 'gpu1']);
    assert.match(machines.problems.join(), /line 1: it is not valid JSON/);
    assert.equal(warned.length, 1);
    await assert.rejects(machines.add(gpu2), { reason: 'user' });
    await rm(path());
    await machines.add(gpu2);
    assert.deepEqual([ids(machines), machines.problems], [['local', 'gpu2'], []]);
  });

  it('takes no machine away from its runs', async () => {
    const machines = await open();
    await machines.add(gpu1);
    const handle = machines.get('gpu1');
    busy = ['gpu1'];
    await assert.rejects(machines.remove('gpu1'), {
      reason: 'user',
      message: /Runs are active on gpu1/,
    });
    await file().remove('gpu1');
    await machines.reload();
    assert.deepEqual(ids(machines), ['local']);
    assert.equal(machines.get('gpu1'), handle);
    assert.equal(made[0]?.isDisposed, false);
    await machines.add(gpu1);
    assert.equal(machines.get('gpu1'), handle);
    assert.equal(made[0]?.isDisposed, true);
  });

  it('refuses to remove what is not there, and this computer', async () => {
    const machines = await open();
    await assert.rejects(machines.remove('local'), { reason: 'user', message: /this computer/ });
    await assert.rejects(machines.remove('gpu9'), { reason: 'user', action: 'Machines: local.' });
  });

  it('lets every machine go', async () => {
    const machines = await open();
    await mkdir(folder(), { recursive: true });
    await machines.add(gpu1, gpu2);
    machines.dispose();
    assert.ok(made.every(({ isDisposed }) => isDisposed));
  });
});
