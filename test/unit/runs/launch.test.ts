import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import type { FollowSink, Machine } from '../../../src/machines/machine.ts';
import { LiveRun } from '../../../src/runs/liveRun.ts';
import type { Verdict } from '../../../src/runs/run.ts';
import { eventsOnly } from '../../fakes/eventsOnly.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { until } from '../../fakes/scratch.ts';
import { apart, ended, isAlive, parentOf, useRuns } from './harness.ts';
import { procFolder } from '../../setup/proc.ts';

const truths: readonly (readonly [
  what: string,
  command: string,
  verdict: Verdict,
  output?: string,
])[] = [
  ['success', 'echo hi; exit 0', { kind: 'ok' }, 'hi'],
  ['exit code', 'exit 3', { kind: 'failed', code: 3 }],
  ['exec', 'exec sh -c "echo in; exit 4"', { kind: 'failed', code: 4 }, 'in'],
  ['set -e', 'set -e\nfalse\necho not reached', { kind: 'failed', code: 1 }, ''],
  ['missing command', 'no_such_command_here', { kind: 'failed', code: 127 }],
  ['syntax error', 'if then', { kind: 'failed', code: 2 }],
  ['TERM', 'kill -TERM $$; sleep 5', { kind: 'signalled', signal: 'TERM' }],
  ['KILL', 'kill -KILL $$; sleep 5', { kind: 'signalled', signal: 'KILL' }],
  ['KILL of the program', 'sh -c "kill -KILL \\$\\$"', { kind: 'signalled', signal: 'KILL' }],
  ['SEGV', 'kill -SEGV $$; sleep 5', { kind: 'signalled', signal: 'SEGV' }],
  ['code beyond the signals', 'exit 255', { kind: 'failed', code: 255 }],
  ['grandchildren', '(sh -c "(exit 5)"; exit $?)', { kind: 'failed', code: 5 }],
  ['trailing &', '(sleep 0.2; echo late; exit 6) &', { kind: 'failed', code: 6 }, 'late'],
  ['trailing & of a failed start', 'false # not a job &', { kind: 'failed', code: 1 }],
  ['set -u and a trailing &', 'set -u; false # &', { kind: 'failed', code: 1 }],
  ['comment at the end', 'echo a # comment', { kind: 'ok' }, 'a'],
  ['quotes', `printf '%s|' "it's" '"' \\$HOME`, { kind: 'ok' }, `it's|"|$HOME|`],
  ['heredoc', 'cat <<EOF\n$((1+1)) "x"\nEOF', { kind: 'ok' }, '2 "x"'],
  ['heredoc without its end', 'cat <<EOF\nopen', { kind: 'ok' }],
  ['bash', 'x=(1 2); [[ ${x[1]} == 2 ]] && echo yes', { kind: 'ok' }, 'yes'],
  ['standard input is empty', 'cat; echo $?', { kind: 'ok' }, '0'],
  ['both outputs', 'echo out; echo err >&2', { kind: 'ok' }, 'out\nerr'],
  ['environment', 'echo $LR $PYTHONUNBUFFERED', { kind: 'ok' }, '3e-4 1'],
  ['&& and a subshell', 'cd / && (pwd)', { kind: 'ok' }, '/'],
];

describe('launching runs', () => {
  const { folder, controller, spec } = useRuns();

  it('tells truly how each command ended', async () => {
    const { runs } = controller();
    const launched = await Promise.all(
      truths.map(([, command]) => runs.launch(spec(command, { env: { LR: '3e-4' } }))),
    );
    for (const [index, [what, , verdict, output]] of truths.entries()) {
      const run = launched[index];
      assert.ok(run);
      assert.deepEqual(await ended(run), verdict, what);
      if (output !== undefined)
        assert.equal((await runs.output(run, { lines: 10 })).text, output, what);
    }
  });

  it('says the same with bash as the shell of the supervisor', async () => {
    const { runs } = controller(undefined, (machine) => {
      const spawnDetached = machine.spawnDetached.bind(machine);
      return Object.assign(machine, {
        spawnDetached: (
          argv: readonly string[],
          options: Parameters<Machine['spawnDetached']>[1],
        ) => spawnDetached(['/bin/bash', '--posix', ...argv.slice(1)], options),
      });
    });
    const commands = ['exit 3', 'kill -KILL $$; sleep 5', 'echo ok'];
    const launched = await Promise.all(commands.map((command) => runs.launch(spec(command))));
    const verdicts = await Promise.all(launched.map(ended));
    assert.deepEqual(verdicts, [
      { kind: 'failed', code: 3 },
      { kind: 'signalled', signal: 'KILL' },
      { kind: 'ok' },
    ]);
  });

  it('tells of a run in order: started, what it printed, ended; each once', async () => {
    const { runs, changes } = controller();
    const run = await runs.launch(
      spec("printf 'step=1 lo'; sleep 0.1; printf 'ss=0.5\\nstep=2 loss=0.25'"),
    );
    assert.equal(run.handle, `local:${run.process?.pid}`);
    await ended(run);
    const kinds = changes.map(({ kind }) => kind);
    assert.equal(kinds[0], 'started');
    assert.equal(kinds.at(-1), 'ended');
    assert.equal(kinds.filter((kind) => kind === 'started' || kind === 'ended').length, 2);
    const points = changes.flatMap((change) => (change.kind === 'points' ? change.points : []));
    assert.deepEqual(
      points.map(({ step, value }) => [step, value]),
      [
        [1, 0.5],
        [2, 0.25],
      ],
    );
    assert.equal(run.metrics.summary('loss')?.last, 0.25);
  });

  it('notices the end at once, by file events', async () => {
    // Whoever only looked now and then would never look.
    const { runs } = controller(new ManualClock(), eventsOnly);
    const run = await runs.launch(spec('while [ ! -e go ]; do sleep 0.02; done'));
    assert.equal(run.liveness.kind, 'running');
    writeFileSync(join(folder(), 'go'), '');
    assert.deepEqual(await ended(run), { kind: 'ok' });
  });

  it('looks when something changes beside its output, but not at each heartbeat', async () => {
    let probes = 0;
    let tell: FollowSink['onChange'] = () => undefined;
    let isHushed = false;
    const counted = (machine: Machine): Machine => {
      const [readFile, follow] = [machine.readFile.bind(machine), machine.follow.bind(machine)];
      return Object.assign(machine, {
        readFile: (...args: Parameters<Machine['readFile']>) => {
          if (args[0].endsWith('/exit')) probes += 1;
          return readFile(...args);
        },
        follow: (path: string, offset: number, sink: FollowSink) => {
          tell = (name) => sink.onChange(name);
          const onChange = (name?: string): unknown => isHushed || sink.onChange(name);
          return follow(path, offset, { ...sink, onChange });
        },
      });
    };
    const { runs } = controller(new ManualClock(), counted);
    const run = await runs.launch(spec('sleep 60'));
    isHushed = true;
    assert.ok(run instanceof LiveRun);
    await run.refresh();
    const before = probes;
    for (const name of ['heartbeat', 'hosts.log']) tell(name);
    await runs.output(run, { lines: 1 });
    assert.equal(probes, before);
    for (const name of ['exit', undefined]) {
      const asked = probes;
      tell(name);
      await until('it looked', () => probes > asked);
    }
    isHushed = false;
    await runs.kill(run, { signal: 'KILL', graceMs: 0 });
  });

  it('reads every point of a burst of five megabytes', async () => {
    const { runs } = controller();
    const run = await runs.launch(
      spec("seq -f 'step=%.0f loss=0.5' 1 250000; printf 'step=250001 loss=0.25'"),
    );
    assert.deepEqual(await ended(run), { kind: 'ok' });
    const summary = run.metrics.summary('loss');
    assert.deepEqual([summary?.count, summary?.last, summary?.lastStep], [250_001, 0.25, 250_001]);
  });

  it('gives each of four runs at once its own log and metrics', async () => {
    const { runs } = controller();
    const launched = await Promise.all(
      [1, 2, 3, 4].map((n) => runs.launch(spec(`echo step=1 loss=${n}`))),
    );
    await Promise.all(launched.map(ended));
    assert.equal(new Set(launched.map((run) => run.outputPath)).size, 4);
    assert.deepEqual(
      launched.map((run) => run.metrics.summary('loss')?.last),
      [1, 2, 3, 4],
    );
  });

  it('ends with its shell, and says so, when it leaves a daemon behind', async () => {
    const { runs } = controller();
    const run = await runs.launch(spec(`${apart} sleep 60 >/dev/null 2>&1 & echo $!; exit 0`));
    assert.deepEqual(await ended(run), { kind: 'ok' });
    const daemon = Number((await runs.output(run, { lines: 1 })).text);
    assert.ok(isAlive(daemon));
    const result = await runs.kill(run, { graceMs: 2000 });
    assert.equal(result.wasRunning, false);
    assert.deepEqual(result.signalled, [daemon]);
    assert.ok(!isAlive(daemon));
    assert.deepEqual(
      run.liveness.kind === 'ended' && run.liveness.verdict,
      { kind: 'ok' },
      'the verdict stays',
    );
  });

  it('starts nothing when a pattern does not compile', async () => {
    const { runs } = controller();
    const bad = spec('touch started', { metrics: { patterns: { loss: '(' } } });
    await assert.rejects(runs.launch(bad), { name: /Error/, reason: /./ });
    assert.ok(!existsSync(join(folder(), 'runs', bad.id)));
    assert.deepEqual(runs.all(), []);
  });

  it('says why a run could not be started, and forgets it', async () => {
    const { runs, changes } = controller();
    const nowhere = spec('true', { cwd: join(folder(), 'no such folder') });
    await assert.rejects(runs.launch(nowhere), {
      reason: 'not_started',
      message: /There is no folder/,
    });
    const elsewhere = spec('true', { machineId: 'gpu9' });
    await assert.rejects(runs.launch(elsewhere), {
      reason: 'not_started',
      message: /no machine "gpu9"/,
    });
    assert.deepEqual(runs.all(), []);
    assert.deepEqual(changes, []);
  });

  it('reports what kept the supervisor from starting the command', async () => {
    const { runs, changes } = controller();
    const blocked = spec('touch started');
    mkdirSync(join(folder(), 'runs', blocked.id), { recursive: true });
    symlinkSync('missing/file', join(folder(), 'runs', blocked.id, 'process'));
    await assert.rejects(runs.launch(blocked), { reason: 'not_started', message: /process/ });
    assert.ok(!existsSync(join(folder(), 'started')));
    assert.deepEqual(changes, []);
  });

  it('does not start a run when it was interrupted before', async () => {
    const { runs } = controller();
    await assert.rejects(
      runs.launch(spec('touch started'), AbortSignal.abort(new Error('stop'))),
      /stop/,
    );
    assert.ok(!existsSync(join(folder(), 'started')));
  });

  it('keeps the folder of a run to its owner and its environment out of the command line', async () => {
    const { runs } = controller();
    const run = await runs.launch(spec('sleep 30', { env: { SECRET_VALUE: 'hush' } }));
    assert.equal(statSync(join(folder(), 'runs', run.spec.id)).mode & 0o077, 0);
    assert.doesNotMatch(readFileSync(`${procFolder}/${run.process?.pid}/cmdline`, 'utf8'), /hush/);
    assert.match(
      readFileSync(`${procFolder}/${run.process?.pid}/environ`, 'utf8'),
      /SECRET_VALUE=hush/,
    );
  });

  it('works where paths have spaces and quotes', async () => {
    const { runs } = controller();
    const cwd = join(folder(), `it's a "folder"`);
    mkdirSync(cwd);
    const run = await runs.launch(spec('pwd; touch here', { cwd }));
    assert.deepEqual(await ended(run), { kind: 'ok' });
    assert.deepEqual(readdirSync(cwd), ['here']);
  });

  it('shows the last lines, a progress bar as its last state', async () => {
    const { runs } = controller();
    const run = await runs.launch(
      spec("seq 1 100; printf '10%%\\r50%%\\r100%%\\n\\033[31mred\\033[0m\\n'"),
    );
    await ended(run);
    const { text, isCut, sizeBytes, path } = await runs.output(run, { lines: 3 });
    assert.equal(text, '100\n100%\nred');
    assert.ok(isCut);
    assert.equal(sizeBytes, statSync(path).size);
  });

  it('keeps a run that has ended', async () => {
    const { runs } = controller();
    const first = await runs.launch(spec('true', { number: 1 }));
    const other = await runs.launch(
      spec('true', { number: 1, sessionId: 's-other0000' as typeof first.spec.sessionId }),
    );
    await Promise.all([ended(first), ended(other)]);
    assert.equal(runs.get(other.spec.id), other);
    assert.deepEqual(runs.all(), [first, other]);
  });

  it('goes on with its record to come when its supervisor is asked to end', async () => {
    const { runs } = controller();
    const run = await runs.launch(spec('while [ ! -e go ]; do sleep 0.02; done; exit 4'));
    const supervisor = parentOf(run.process?.pid ?? 0);
    for (const signal of ['HUP', 'INT', 'TERM'] as const) process.kill(supervisor, `SIG${signal}`);
    writeFileSync(join(folder(), 'go'), '');
    assert.deepEqual(await ended(run), { kind: 'failed', code: 4 });
  });

  it('lets go of runs without ending them', async () => {
    const { runs } = controller();
    const run = await runs.launch(spec('sleep 30'));
    const pid = run.process?.pid ?? 0;
    runs.dispose();
    assert.ok(isAlive(pid));
    const adopted = await controller().runs.adopt(run.spec);
    assert.equal(adopted?.process?.pid, pid);
    await until('running', () => adopted?.liveness.kind === 'running');
  });
});
