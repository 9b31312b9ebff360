import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../../../src/base/clock.ts';
import { Worktrees } from '../../../../src/experiments/git/worktrees.ts';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { GitRepo } from '../../../fakes/gitRepo.ts';
import { ScriptedModel, type ScriptedCall } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const goal =
  'Bring time_ms of solve.py below 20. check.py must still pass, and leave bench.py alone.';
const files = {
  'solve.py': 'fast = True\n',
  'bench.py': 'import solve\nprint("time_ms=10" if solve.fast else "time_ms=50")\n',
  'check.py': 'import solve, sys\nprint("looked at", solve.__file__)\nsys.exit(not solve.fast)\n',
};

const launch: ScriptedCall = {
  name: 'remote_exec_background',
  input: { command: 'python3 bench.py', metric_names: ['time_ms'] },
};
const until = (run: number): ScriptedCall => ({
  name: 'sleep',
  input: { reason: 'r', wake_conditions: [{ type: 'process_exit', run }], deadline_minutes: 5 },
});
const write = (name: string, content: string): ScriptedCall => ({
  name: 'write_file',
  input: { path: name, content },
});
const decide = (decision: string): ScriptedCall => ({
  name: 'exp_decide',
  input: { experiment: 'e1', decision, why: 'measured' },
});
const finish = (checks: readonly string[], outcome = 'goal_met'): ScriptedCall => ({
  name: 'finish',
  input: { outcome, summary: 's', evidence: [{ runs: 'e1', metric: 'time_ms' }], checks },
});
const blocked: ScriptedCall = { name: 'finish', input: { outcome: 'blocked', summary: 's' } };

describe('what a goal asks for besides numbers, in a session', () => {
  let folder: string;
  let repo: GitRepo;
  let bed: TestEngine | undefined;
  let model: ScriptedModel;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'helios-requirements-'));
    repo = GitRepo.create(path.join(folder, 'work'), files);
  });
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  const night = async (...calls: readonly ScriptedCall[]): Promise<Session> => {
    model = new ScriptedModel([...calls, blocked].map((call) => [call]));
    bed = await testEngine(model, { folder });
    const session = await bed.start({ goal });
    await session.ended;
    return session;
  };
  const errors = (session: Session): string[] =>
    eventsOf(session, 'tool.finished').flatMap(({ isError, text }) => (isError ? [text] : []));

  it('is told to the model, and its checks are run again before the end', async () => {
    const session = await night(launch, until(1), finish([]), finish(['python3 check.py']));
    assert.match(
      JSON.stringify(model.requests[0]),
      /Besides: bench\.py unchanged; check\.py passes\./,
    );
    assert.match(errors(session)[0] ?? '', /asks that check\.py passes.*\[\\?"python3 check\.py/);
    const [end] = eventsOf(session, 'session.ended');
    assert.equal(end?.reason, 'goal');
    assert.deepEqual(end.checked, [
      'time_ms 10 < 20 (run 1)',
      'bench.py unchanged',
      'python3 check.py passed on the code of e1',
    ]);
  });

  it('says which parts of the goal nothing compares', async () => {
    model = new ScriptedModel([[blocked]]);
    bed = await testEngine(model, { folder });
    const session = await bed.start({ goal: 'Leave bench.py, other.py and the split alone.' });
    await session.ended;
    const { requirements } = session.state;
    assert.deepEqual(requirements?.unread, ['other.py (no such file)', 'the split']);
    assert.match(
      JSON.stringify(model.requests[0]),
      /Not checked by Helios: other\.py \(no such file\) unchanged; the split unchanged\..*Besides: bench\.py unchanged/,
    );
  });

  it('runs a check on the code that was measured, not on what came after', async () => {
    const seen = path.join(folder, 'seen');
    const place = `import os, solve\nopen(${JSON.stringify(seen)}, "w").write(os.getcwd())\n`;
    repo.write({ 'check.py': `${place}raise SystemExit(not solve.fast)\n` });
    const session = await night(
      launch,
      until(1),
      write('solve.py', 'fast = False\n'),
      finish(['python3 check.py']),
    );
    assert.deepEqual(errors(session), []);
    assert.equal(eventsOf(session, 'session.ended')[0]?.reason, 'goal');
    const looked = readFileSync(seen, 'utf8');
    assert.match(looked, /\/check-of-e1-\d+$/);
    assert.ok(!existsSync(looked), 'the worktree of the check is removed');
    assert.doesNotMatch(repo.git('worktree', 'list'), /check-of/);
  });

  it('leaves no worktree of a check behind that was killed, once the session is resumed', async () => {
    const session = await night(launch, until(1), finish(['python3 check.py', 'false']));
    const { id } = session;
    assert.match(errors(session)[0] ?? '', /false failed/);
    await bed?.engine.close();
    const file = path.join(session.folder, 'journal.jsonl');
    const lines = readFileSync(file, 'utf8').split('\n');
    const begun = lines.findIndex((line) => /"tool\.started".*"finish"/.test(line));
    writeFileSync(file, `${lines.slice(0, begun + 1).join('\n')}\n`);
    const machine = new LocalMachine({
      runsFolder: path.join(bed?.home ?? '', 'runs'),
      workFolder: repo.folder,
    });
    const worktrees = new Worktrees({ sessionId: id, clock: systemClock });
    const place = { machine, folder: repo.folder };
    const left = await worktrees.add(place, 'HEAD', 'check of e1 3');
    writeFileSync(path.join(left, 'output.txt'), 'of the check');
    const branch = await worktrees.branch({ ...place, name: 'check of ideas' });
    const again = await bed?.restart(new ScriptedModel([[blocked]]));
    await (
      await again?.engine.sessions.resume(id)
    )?.ended;
    assert.ok(!existsSync(left), left);
    assert.ok(existsSync(branch.path), 'a branch of the agent stays');
  });

  it('ends nothing while a check fails, and shows the end of its output', async () => {
    repo.write({ 'check.py': 'print("3 of 4 right")\nraise SystemExit(2)\n' });
    const session = await night(launch, until(1), finish(['python3 check.py']));
    assert.match(
      errors(session)[0] ?? '',
      /python3 check\.py failed \(exit code 2\) on local, on the code of e1\.[^]*3 of 4 right/,
    );
    assert.equal(eventsOf(session, 'session.ended')[0]?.reason, 'blocked');
  });

  it('says of a check that could not be started that it did not fail', async () => {
    const plain = path.join(folder, 'plain');
    mkdirSync(plain);
    writeFileSync(path.join(plain, 'bench.py'), 'print("time_ms=10")\n');
    const calls: readonly (() => ScriptedCall)[] = [
      () => ({
        name: 'remote_exec_background',
        input: { command: 'python3 bench.py', metric_names: ['time_ms'], cwd: plain },
      }),
      () => until(1),
      () => {
        rmSync(plain, { recursive: true });
        return finish(['python3 check.py']);
      },
    ];
    model = new ScriptedModel((_request, index) => [calls[index]?.() ?? blocked]);
    bed = await testEngine(model, { folder });
    const session = await bed.start({ goal: 'Bring time_ms below 20. check.py must pass.' });
    await session.ended;
    assert.equal(
      errors(session)[0],
      `Not ended: python3 check.py could not be started on local: There is no folder ${plain} to run a command in. It has not failed: call finish again. If it still does not start, repair what this names.`,
    );
    const [check] = eventsOf(session, 'check.ended');
    assert.deepEqual(
      [check?.outcome, check?.folder, check?.experimentId],
      ['not_started', plain, 'e1'],
    );
  });

  it('says at once that an edited file is to be left alone, and starts nothing with it', async () => {
    const session = await night(
      write('bench.py', 'print("time_ms=1")\n'),
      launch,
      write('bench.py', files['bench.py']),
      launch,
    );
    const texts = eventsOf(session, 'tool.finished').map(({ text }) => text);
    assert.match(
      texts[0] ?? '',
      /"warning":"bench\.py is to be left alone \(the goal\); results with this change do not count\./,
    );
    assert.match(
      texts[1] ?? '',
      /^Nothing was started: bench\.py was changed since the start.*undo_edits with paths \["[^"]*\/bench\.py"\]/,
    );
    assert.doesNotMatch(texts[2] ?? '', /warning/);
    assert.deepEqual(errors(session).length, 1);
    assert.equal(session.state.runs.size, 1);
    assert.deepEqual([...session.state.experiments.keys()], ['e1']);
  });

  it('says so of a branch, too: at the edit, at the commit and at the launch', async () => {
    const tree = (): string => {
      const [id = ''] = readdirSync(path.join(folder, 'home', 'sessions'));
      return path.join(folder, 'home', 'worktrees', id, 'faster');
    };
    const calls: readonly (() => ScriptedCall)[] = [
      () => ({ name: 'exp_branch', input: { experiment_name: 'faster' } }),
      () => write(path.join(tree(), 'bench.py'), 'print("time_ms=1")\n'),
      () => ({ name: 'exp_commit', input: { branch: 'faster', message: 'm' } }),
      () => ({ ...launch, input: { command: 'python3 bench.py', cwd: tree() } }),
      () => ({ name: 'undo_edits', input: { paths: [path.join(tree(), 'bench.py')] } }),
      () => ({ name: 'exp_commit', input: { branch: 'faster', message: 'back' } }),
      () => blocked,
    ];
    model = new ScriptedModel((_request, index) => [(calls[index] ?? (() => blocked))()]);
    bed = await testEngine(model, { folder });
    const session = await bed.start({ goal });
    await session.ended;
    const texts = eventsOf(session, 'tool.finished').map(({ text, summary }) => [text, summary]);
    for (const at of [1, 2]) {
      assert.match(texts[at]?.[0] ?? '', /"warning":"bench\.py is to be left alone/);
      assert.match(texts[at]?.[1] ?? '', / · bench\.py is to be left alone$/);
    }
    assert.match(texts[3]?.[0] ?? '', /^Nothing was started: bench\.py/);
    assert.match(texts[4]?.[1] ?? '', /1 file restored/);
    assert.doesNotMatch(texts[5]?.[0] ?? '', /warning/);
  });

  it('refuses to keep or end with a file that was changed after the launch', async () => {
    const session = await night(
      launch,
      until(1),
      write('bench.py', 'print("time_ms=1")\n'),
      decide('keep'),
      finish(['python3 check.py']),
      write('bench.py', files['bench.py']),
      decide('keep'),
      finish(['python3 check.py']),
    );
    assert.match(errors(session)[0] ?? '', /Not decided: in .*bench\.py was changed/);
    assert.match(errors(session)[1] ?? '', /Not ended: in .*bench\.py was changed/);
    assert.equal(eventsOf(session, 'session.ended')[0]?.reason, 'goal');
  });

  it('runs the check of the user, not one that the agent has edited', async () => {
    const failing = 'print("split changed")\nraise SystemExit(3)\n';
    repo.write({ 'check.py': failing });
    const session = await night(
      write('check.py', 'print("all fine")\n'),
      launch,
      until(1),
      finish(['python3 check.py']),
    );
    assert.match(
      errors(session)[0] ?? '',
      /python3 check\.py failed \(exit code 3\) on local, on the code of e1, run with the user's check\.py, which e1 changed\..*outcome blocked[^]*split changed/,
    );
    assert.equal(eventsOf(session, 'session.ended')[0]?.reason, 'blocked');
  });

  it('says that a check passed with the version of the user', async () => {
    const session = await night(
      write('check.py', 'print("all fine")\n'),
      launch,
      until(1),
      finish(['python3 check.py']),
    );
    assert.deepEqual(errors(session), []);
    assert.equal(
      eventsOf(session, 'session.ended')[0]?.checked?.at(-1),
      "python3 check.py passed on the code of e1, run with the user's check.py, which e1 changed",
    );
  });

  it('runs a check as it is where the goal asks to change it, or the agent wrote it', async () => {
    model = new ScriptedModel(
      [
        write('check.py', 'print("repaired")\n'),
        write('test_new.py', 'print("new")\n'),
        launch,
        until(1),
        finish(['python3 check.py', 'python3 test_new.py']),
      ].map((call) => [call]),
    );
    bed = await testEngine(model, { folder });
    const session = await bed.start({
      goal: 'Bring time_ms below 20. Fix check.py, which must pass.',
    });
    await session.ended;
    assert.deepEqual(eventsOf(session, 'session.ended')[0]?.checked?.slice(1), [
      'python3 check.py passed on the code of e1',
      'python3 test_new.py passed on the code of e1',
    ]);
  });

  it('says that a check was changed where no code is stored to run it on', async () => {
    model = new ScriptedModel(
      [
        write('check.py', 'print("all fine")\n'),
        {
          ...finish(['python3 check.py']),
          input: { outcome: 'goal_met', summary: 's', checks: ['python3 check.py'] },
        },
      ].map((call) => [call]),
    );
    bed = await testEngine(model, { folder });
    const session = await bed.start({ goal: 'make the program work, check.py must pass' });
    await session.ended;
    assert.deepEqual(eventsOf(session, 'session.ended')[0]?.checked, [
      "python3 check.py passed, check.py is not the user's: this session changed it",
    ]);
  });

  it('asks before it runs a check, as before any command', async () => {
    model = new ScriptedModel([[finish(['python3 check.py'])], [blocked]]);
    const asked: string[] = [];
    bed = await testEngine(model, {
      folder,
      settings: { permissionMode: 'ask' },
      approve: (call) => {
        asked.push(call.detail);
        return Promise.resolve('deny');
      },
    });
    const session = await bed.start({ goal: 'make check.py pass' });
    await session.ended;
    assert.match(asked[0] ?? '', /python3 check\.py/);
    assert.equal(eventsOf(session, 'session.ended')[0]?.reason, 'blocked');
  });
});
