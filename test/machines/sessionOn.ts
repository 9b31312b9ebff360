/**
 * What a session has to do alike wherever its machine is: experiments as git states, watchdogs,
 * runs seen from elsewhere.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import type { Session } from '../../src/agent/contract/sessions.ts';
import type { MachineEntry } from '../../src/machines/machineEntry.ts';
import { differences, GitRepo, pictureOf } from '../fakes/gitRepo.ts';
import { LoginHost } from '../fakes/loginHost.ts';
import { killedAfter, nanCommand } from '../fakes/nanRun.ts';
import { until } from '../fakes/scratch.ts';
import { ScriptedModel, type Script, type ScriptedCall } from '../fakes/scriptedModel.ts';
import { eventsOf, eventually, testEngine, type TestEngine } from '../fakes/testEngine.ts';

/** The next call of the model, with what the last one told it. */
type Step = (told: Told) => ScriptedCall;

interface Told {
  readonly text: string;
  readonly isError: boolean;
}

const quit: ScriptedCall = { name: 'finish', input: { outcome: 'blocked', summary: 'ok' } };

const untilRun = (run: number): ScriptedCall => ({
  name: 'sleep',
  input: { reason: 'r', wake_conditions: [{ type: 'process_exit', run }], deadline_minutes: 60 },
});

/** One call after the other. */
const inSteps =
  (steps: readonly Step[]): Script =>
  ({ messages }, index) => {
    const results = messages.flatMap(({ content }) =>
      content.filter((block) => block.type === 'tool_result'),
    );
    const { text = '', isError = false } = results.at(-1) ?? {};
    return [steps[index]?.({ text, isError }) ?? quit];
  };

export interface SessionHost {
  readonly kind: 'ssh' | 'slurm';
  readonly entry: MachineEntry;
}

export function sessionOn({ kind, entry }: SessionHost): void {
  describe(`a session whose machine is reached by ${kind === 'ssh' ? 'SSH' : 'SSH and runs jobs on Slurm'}`, function () {
    this.timeout(120_000);
    const on = { machine_id: entry.id };
    let host: LoginHost;
    const beds: TestEngine[] = [];
    before(async () => {
      host = await LoginHost.start(kind);
    });
    afterEach(async () => {
      for (const bed of beds.splice(0)) await bed.dispose();
    });
    after(() => host?.dispose());

    const open = async (
      steps: readonly Step[],
      folder = mkdtempSync(join(tmpdir(), 'helios-engine-')),
    ) => {
      const { createMachine } = host;
      const settings = { report: 'never', idleTurns: 100 } as const;
      const bed = await testEngine(new ScriptedModel(inSteps(steps)), {
        settings,
        createMachine,
        folder,
      });
      beds.push(bed);
      if (!bed.engine.machines.list().some(({ id }) => id === entry.id))
        await bed.engine.machines.add(entry);
      return { ...bed, folder };
    };
    const launch = (command: string, more: object = {}): ScriptedCall => ({
      name: 'remote_exec_background',
      input: { ...on, command, metric_names: ['loss'], ...more },
    });

    it('keeps the code of experiments, guards the repository of the user, and runs one again', async () => {
      const repo = GitRepo.create(join(host.home, 'repo'), {
        'train.sh': 'echo loss=9\n',
        '.gitignore': 'data/\n',
      });
      repo.write({ 'train.sh': 'echo loss=8\n', '.env': 'KEY=1\n' });
      const before = pictureOf(repo.folder);
      const place = { ...on, repo_path: repo.folder };
      const branch = { ...on, branch: 'half' };
      const script =
        'echo loss=$1\ngit stash 2>&1\nsh -c "exec git commit -qam x" 2>&1\ngit rev-parse HEAD\n';
      const git =
        (words: string): Step =>
        () => ({
          name: 'remote_exec',
          input: { ...on, command: `cd ${repo.folder} && git ${words}` },
        });
      let tree = '';
      const train =
        (more: object): Step =>
        () =>
          launch('sh train.sh 0.5', { cwd: tree, ...more });
      const bed = await open([
        () => ({ name: 'exp_branch', input: { ...place, experiment_name: 'half' } }),
        ({ text }) => {
          tree = String((JSON.parse(text) as { path: unknown }).path);
          return {
            name: 'write_file',
            input: { ...on, path: `${tree}/train.sh`, content: script },
          };
        },
        () => ({ name: 'exp_commit', input: { ...branch, message: 'halve' } }),
        () => ({ name: 'exp_diff', input: { ...place, branch_a: 'HEAD', branch_b: 'half' } }),
        () => ({ name: 'exp_checkout', input: branch }),
        train({ hypothesis: 'Half is less' }),
        () => untilRun(1),
        train({}),
        train({ retest: 'is it luck?' }),
        () => untilRun(2),
        () => ({ name: 'exp_decide', input: { experiment: 'e1', decision: 'keep', why: 'less' } }),
        () => launch('sh train.sh', { cwd: repo.folder }),
        () => untilRun(3),
        git('stash'),
        git('log --oneline'),
        () => ({
          name: 'write_file',
          input: { ...on, path: `${repo.folder}/.git/hooks/pre-commit`, content: 'x' },
        }),
      ]);
      const session = await bed.start();
      await session.ended;

      const told = eventsOf(session, 'tool.finished');
      const [branched, , committed, diff, checkout, , , again, retest, , , , , stash, log, hook] =
        told.map(({ text }) => text);
      assert.match(branched ?? '', /"left_out":"<untrusted from=\\"names of files\\">\\n\.env/);
      assert.match(committed ?? '', /"committed":true/);
      assert.match(diff ?? '', /-echo loss=9\\n\+echo loss=\$1/);
      assert.match(checkout ?? '', new RegExp(`"path":"${tree}".*"created":false`));
      assert.match(again ?? '', /^Nothing was started: this was tried before/);
      assert.match(retest ?? '', /"experiment":"e2"/);
      assert.match(stash ?? '', /git stash was not run/);
      assert.match(log ?? '', /first/);
      assert.match(hook ?? '', /^Not allowed: .* is in the internals of a git repository/);
      assert.deepEqual(
        told.flatMap(({ isError }, index) => (isError ? [index] : [])),
        [7, 15],
        'the repetition and the hook; a command that git refuses has only failed',
      );
      const [first] = session.ledger.experiments;
      const code = first?.plan?.code;
      assert.deepEqual(
        [first?.result?.mean, first?.decision?.decision, code?.kind],
        [0.5, 'keep', 'git'],
      );
      assert.ok(code?.kind === 'git' && !code.isDirty && code.commit !== undefined);
      assert.equal(repo.git('rev-parse', `refs/helios/${session.id}/half^{tree}`), code.tree);
      const [run] = session.state.runs.values();
      assert.ok(run);
      const machine = bed.engine.machines.get(entry.id);
      const output = readFileSync(join(machine.runsFolder, run.spec.id, 'output.log'), 'utf8');
      assert.match(output, /git stash was not run[^]*git commit was not run[^]*\n[0-9a-f]{40}\n/);

      repo.write({ 'train.sh': 'echo loss=7\n' });
      for (const [experimentId, loss] of [
        ['e1', 0.5],
        ['e3', 8],
      ] as const) {
        const { verdict, metrics, differences: told } = await session.reproduce({ experimentId });
        assert.deepEqual(
          [verdict, metrics.map(({ now, before: was }) => [now, was])],
          [{ kind: 'ok' }, [[loss, loss]]],
        );
        assert.equal(
          told.includes('Not stored with its code: .env (looks like a secret).'),
          experimentId === 'e3',
          told.join('\n'),
        );
      }
      const ranIn = [...session.state.runs.values()].map(({ spec }) => spec.cwd);
      assert.equal(new Set(ranIn).size, 4, 'each reproduction in a worktree of its own');
      assert.deepEqual(
        differences(before, pictureOf(repo.folder)).filter((name) => name !== 'train.sh'),
        [],
      );
    });

    for (const isStubborn of [false, true])
      it(`ends every process at the first NaN${isStubborn ? ', also one that does not heed TERM' : ''}`, async () => {
        const folder = join(host.home, isStubborn ? 'stubborn' : 'usual');
        mkdirSync(folder);
        const bed = await open([() => launch(nanCommand(folder, isStubborn)), () => untilRun(1)]);
        const session = await bed.start();
        const tookMs = await killedAfter(folder);
        console.log(`      first NaN → every process gone: ${Math.round(tookMs)} ms`);
        assert.deepEqual((await eventually(session, 'run.ended')).verdict, { kind: 'killed' });
        await session.ended;
        // What makes it quick: nothing is waited for but 0.3 s for those that do not heed TERM.
        const [run] = bed.engine.runs.all();
        assert.equal(
          readFileSync(join(dirname(run?.outputPath ?? ''), 'kill'), 'utf8'),
          'grace_ms=300\n',
        );
        assert.deepEqual(
          eventsOf(session, 'run.alarmed').map(({ detail, action }) => [detail, action]),
          [['loss became NaN at step 21', 'kill']],
        );
        assert.equal(eventsOf(session, 'sleep.ended').length, 1);
      });

    it('ends the one point of a sweep that computes NaN, and no other', async () => {
      const call = {
        command_template:
          'for loss in 2 1.5 {x} {x}; do echo "step=$((step += 1)) loss=$loss"; sleep 0.3; done; [ {x} != nan ] || sleep 600',
        params: { x: ['0.5', 'nan', '0.25'] },
        machines: [entry.id],
        max_parallel: 2,
        metric_names: ['loss'],
      };
      const untilOver = { reason: 'r', wake_conditions: [{ type: 'process_exit', sweep: 's1' }] };
      const bed = await open([
        () => ({ name: 'sweep', input: call }),
        () => ({ name: 'sleep', input: untilOver }),
      ]);
      const session = await bed.start();
      await session.ended;
      assert.deepEqual(
        session.ledger.rows.map(({ label, verdict }) => [label.split(' ')[0], verdict?.kind]),
        [
          ['x=0.5', 'ok'],
          ['x=nan', 'killed'],
          ['x=0.25', 'ok'],
        ],
      );
      assert.deepEqual(
        eventsOf(session, 'run.alarmed').map(({ detail }) => detail),
        ['loss became NaN at step 3'],
      );
    });

    it('reads the metrics that runs write to files', async () => {
      const call = {
        command_template:
          'mkdir -p logs; echo loss=9; echo step,loss > logs/{seed}.csv; for i in 1 2 3; do echo $i,{seed}.$i >> logs/{seed}.csv; sleep 0.3; done',
        params: { seed: [1, 2] },
        machines: [entry.id],
        max_parallel: 2,
        metrics_from: ['logs/{seed}.csv'],
      };
      const untilOver = { reason: 'r', wake_conditions: [{ type: 'process_exit', sweep: 's1' }] };
      const bed = await open([
        () => ({ name: 'sweep', input: call }),
        () => ({ name: 'sleep', input: untilOver }),
      ]);
      const session = await bed.start();
      await session.ended;
      assert.deepEqual(
        session.ledger.rows.map(({ metrics }) =>
          metrics.map(({ metric, last, count }) => [metric, last, count]),
        ),
        [[['loss', 1.3, 3]], [['loss', 2.3, 3]]],
      );
    });

    it('has its runs watched and ended by another process, and by one after it', async () => {
      const counting = (name: string): ScriptedCall =>
        launch(`for i in $(seq 3000); do echo "${name} $i"; sleep 0.1; done`);
      const bed = await open([
        () => counting('a'),
        () => untilRun(1),
        () => counting('b'),
        () => untilRun(2),
      ]);
      const session = await bed.start();
      const begun = (number: number) =>
        eventually(
          session,
          'run.started',
          ({ runId }) => session.state.runs.get(runId)?.spec.number === number,
        );
      await begun(1);
      const other = await open([], bed.folder);
      const place = await placeOf(other, session, 1);
      let output = '';
      const troubles: string[] = [];
      const watching = other.engine.sessions.watchRun(
        place,
        {
          onOutput: (bytes) => (output += Buffer.from(bytes).toString()),
          onTrouble: (why) => troubles.push(why),
        },
        new AbortController().signal,
      );
      await until('it prints', () => output.includes('a 20\n'));
      const killed = await other.engine.sessions.killRun(place);
      assert.deepEqual(
        [killed.owner?.pid, killed.left, killed.liveness],
        [process.pid, [], undefined],
      );
      assert.deepEqual((await eventually(session, 'run.ended')).verdict, { kind: 'killed' });
      assert.deepEqual([(await watching)?.verdict, troubles], [{ kind: 'killed' }, []]);
      // A shell that loses its `sleep` first prints that before it ends itself.
      const lines = output
        .trim()
        .replace(/^.*Terminated.*\n?/m, '')
        .trim()
        .split('\n');
      assert.deepEqual(
        lines,
        lines.map((_line, index) => `a ${index + 1}`),
      );

      await begun(2);
      await bed.engine.close();
      const last = await other.engine.sessions.killRun(await placeOf(other, session, 2));
      assert.deepEqual([last.owner, last.left], [undefined, []]);
      assert.deepEqual(last.liveness?.kind === 'ended' && last.liveness.verdict, {
        kind: 'killed',
      });
      const { state } = await other.engine.sessions.read(session.id);
      assert.deepEqual(
        [...state.runs.values()].map(({ verdict }) => verdict),
        [{ kind: 'killed' }, { kind: 'killed' }],
      );
    });
  });
}

/** Found as a user names it. */
async function placeOf({ engine }: TestEngine, session: Session, number: number) {
  const run = [...session.state.runs.values()].find(({ spec }) => spec.number === number);
  const { jobId, pid } = run?.process ?? {};
  const place = await engine.sessions.findRun(`${run?.spec.machineId}:${jobId ?? pid}`);
  assert.deepEqual(place, { sessionId: session.id, runId: run?.spec.id });
  return place;
}
