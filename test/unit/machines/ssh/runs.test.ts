import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import { systemClock } from '../../../../src/base/clock.ts';
import { newRunId, type SessionId } from '../../../../src/base/ids.ts';
import { hostAccess } from '../../../../src/cli/doctor/access.ts';
import { shellQuote } from '../../../../src/base/text.ts';
import { createMachines } from '../../../../src/machines/list/machineList.ts';
import type { Machine } from '../../../../src/machines/machine.ts';
import { SshConnection } from '../../../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../../../src/machines/ssh/sshMachine.ts';
import type { Run } from '../../../../src/runs/liveRun.ts';
import type { RunSpec, Verdict } from '../../../../src/runs/run.ts';
import { Runs } from '../../../../src/runs/runs.ts';
import { scratchFolder, until } from '../../../fakes/scratch.ts';
import { scriptedPrompts, TestSshd } from '../../../fakes/sshd.ts';
import { apart } from '../../runs/harness.ts';

describe('runs over SSH', () => {
  const folder = scratchFolder();
  let sshd: TestSshd;
  const owned: { dispose(): void }[] = [];
  let number = 0;
  before(async () => {
    sshd = await TestSshd.start();
  });
  after(() => sshd.dispose());
  afterEach(() => {
    for (const one of owned.splice(0).reverse()) one.dispose();
  });

  /** One Helios: its own home for metrics, its own connection to the host that all share. */
  function controller(home: string, wrap = (machine: SshMachine): Machine => machine): Runs {
    const connection = new SshConnection(sshd.target(), { ...scriptedPrompts(), random: () => 0 });
    const machine = new SshMachine({ id: 'gpu1', connection, homeFolder: folder() });
    const metrics = join(folder(), home);
    mkdirSync(metrics, { recursive: true });
    const runs = new Runs({
      machines: createMachines([wrap(machine)]),
      folder: metrics,
      clock: systemClock,
    });
    owned.push(connection, machine, runs);
    return runs;
  }

  const spec = (command: string): RunSpec => ({
    id: newRunId(Date.now()),
    sessionId: 's-test00000' as SessionId,
    number: ++number,
    machineId: 'gpu1',
    command,
    cwd: folder(),
    env: { LR: "it's 3e-4" },
    metrics: {},
    label: '',
    plannedMs: Date.now() + number,
  });

  async function verdictOf(run: Run): Promise<Verdict> {
    await until('the run ends', () => run.liveness.kind === 'ended');
    assert.ok(run.liveness.kind === 'ended');
    return run.liveness.verdict;
  }

  const count = (upTo: number, pause = '0.02'): string =>
    `for i in $(seq 1 ${upTo}); do echo "step=$i loss=0.$i"; sleep ${pause}; done`;
  const untilGo = (): string =>
    `until [ -e ${shellQuote(join(folder(), 'go'))} ]; do sleep 0.02; done`;
  const steps = (run: Run): number[] => [...run.metrics.series('loss').steps];
  const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

  it('lie in folders that their user alone can access, also where others could before', async () => {
    const helios = join(folder(), '.helios');
    mkdirSync(join(helios, 'runs'), { recursive: true });
    for (const open of [helios, join(helios, 'runs')]) chmodSync(open, 0o775);
    let machine: Machine | undefined;
    const runs = controller('one', (real) => (machine = real));
    assert.ok(machine);
    const before = await hostAccess(machine);
    assert.match(before?.text ?? '', /can access \S+\.helios, \S+\.helios\/runs\.$/);
    const command = 'echo loss=1; umask >mask; mkfifo wait; : <wait';
    const run = await runs.launch({ ...spec(command), limit: { ms: 600_000, from: 'launch' } });
    await until('the command runs', () => existsSync(join(folder(), 'wait')));
    await runs.kill(run, { graceMs: 1000 });
    assert.deepEqual(await verdictOf(run), { kind: 'killed' });
    const names = readdirSync(helios, { recursive: true, encoding: 'utf8' });
    assert.ok(names.some((name) => name.endsWith('/kill')) && names.length > 8, names.join());
    const open = ['.', ...names].filter((name) => statSync(join(helios, name)).mode & 0o077);
    assert.deepEqual(open, []);
    assert.equal(await hostAccess(machine), undefined);
    assert.equal(readFileSync(join(folder(), 'mask'), 'utf8'), '0022\n');
  });

  it('tell every end by its name', async () => {
    const runs = controller('one');
    const cases: readonly (readonly [string, Verdict])[] = [
      ['exit 0', { kind: 'ok' }],
      ['[ "$LR" = "it\'s 3e-4" ] && exit 3', { kind: 'failed', code: 3 }],
      ['exec sh -c "exit 4"', { kind: 'failed', code: 4 }],
      ['set -e; false; exit 9', { kind: 'failed', code: 1 }],
      ['kill -KILL $$', { kind: 'signalled', signal: 'KILL' }],
      ['(sleep 0.2; exit 6) &', { kind: 'failed', code: 6 }],
    ];
    const launched = await Promise.all(cases.map(([command]) => runs.launch(spec(command))));
    assert.deepEqual(
      await Promise.all(launched.map(verdictOf)),
      cases.map(([, verdict]) => verdict),
    );
    const tree = await runs.launch(spec(`sleep 60 & ${apart} sleep 60 & wait`));
    const killed = await runs.kill(tree, { graceMs: 1000 });
    assert.ok(killed.isVerified && killed.signalled.length >= 3);
    assert.deepEqual(await verdictOf(tree), { kind: 'killed' });
  });

  it('keep every line of a burst', async () => {
    const run = await controller('one').launch(spec('seq -f "step=%.0f loss=1" 1 200000'));
    assert.deepEqual(await verdictOf(run), { kind: 'ok' });
    assert.equal(run.metrics.summary('loss')?.count, 200_000);
  });

  it('go on while the link breaks, with every point once, and are never over for it', async () => {
    const runs = controller('one');
    const kinds: string[] = [];
    runs.onDidChange(({ kind }) => kinds.push(kind));
    const held = `[ "$i" != 40 ] || ${untilGo()}`;
    const run = await runs.launch(spec(`${count(60, `0.02; ${held}`)}; exit 5`));
    for (const step of [10, 30]) {
      await until(`step ${step}`, () => steps(run).length >= step);
      sshd.cut();
    }
    // A link that is back before anybody looks is not noticed; an outage is.
    await sshd.stop();
    await until('the outage is noticed', () => kinds.includes('unknown'));
    await sshd.start();
    writeFileSync(join(folder(), 'go'), '');
    assert.deepEqual(await verdictOf(run), { kind: 'failed', code: 5 });
    assert.deepEqual(steps(run), upTo(60));
    assert.equal(kinds.filter((kind) => kind === 'ended').length, 1);
    assert.equal(kinds.at(-1), 'ended');
  });

  it('end while the host cannot be reached, and are judged rightly when it can', async () => {
    const runs = controller('one');
    const run = await runs.launch(spec(`${untilGo()}; ${count(20, '0')}; exit 2`));
    await sshd.stop();
    await until('it is unknown', () => run.liveness.kind === 'unknown');
    writeFileSync(join(folder(), 'go'), '');
    const exit = join(folder(), '.helios/runs', run.spec.id, 'exit');
    await until('it is over', () =>
      /^code=2$/m.test(readFileSync(exit, { encoding: 'utf8', flag: 'a+' })),
    );
    assert.equal(run.liveness.kind, 'unknown');
    await sshd.start();
    assert.deepEqual(await verdictOf(run), { kind: 'failed', code: 2 });
    assert.deepEqual(steps(run), upTo(20));
  });

  it('are adopted by another Helios, given the same host', async () => {
    const first = controller('one');
    const run = await first.launch(spec(`${count(20)}; ${untilGo()}; exit 7`));
    await until('some points', () => steps(run).length > 5);
    for (const one of owned.splice(0).reverse()) one.dispose();
    const adopted = await controller('two').adopt(run.spec);
    assert.ok(adopted);
    assert.equal(adopted.liveness.kind, 'running');
    writeFileSync(join(folder(), 'go'), '');
    assert.equal(adopted.handle, run.handle);
    assert.deepEqual(await verdictOf(adopted), { kind: 'failed', code: 7 });
    assert.deepEqual(steps(adopted), upTo(20));
  });

  it('start once when the link breaks while they are started', async () => {
    let cuts = 0;
    const planned = spec('echo once >> started; sleep 0.2; exit 3');
    const runs = controller('one', (machine) => {
      const spawn = machine.spawnDetached.bind(machine);
      return Object.assign(machine, {
        spawnDetached: async (...args: Parameters<Machine['spawnDetached']>) => {
          const spawned = spawn(...args);
          // The first time before, the second time after the host was told.
          if (cuts < 2) {
            spawned.catch(() => undefined);
            if (cuts++ === 1)
              await until('the host was told', () =>
                existsSync(join(folder(), '.helios/runs', planned.id, 'claim')),
              );
            sshd.cut();
          }
          return spawned;
        },
      });
    });
    const run = await runs.launch(planned);
    assert.deepEqual(await verdictOf(run), { kind: 'failed', code: 3 });
    assert.equal(readFileSync(join(folder(), 'started'), 'utf8'), 'once\n');
    assert.ok(cuts > 0);
  });
});
