import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { checkoutName } from '../../../../src/experiments/git/worktrees.ts';
import type { ExperimentRow } from '../../../../src/experiments/ledger.ts';
import { GitRepo } from '../../../fakes/gitRepo.ts';
import { random } from '../../../fakes/random.ts';
import {
  ScriptedModel,
  type ScriptedCall,
  type ScriptedReply,
} from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';
import { isLong } from '../../../setup/needs.ts';

const run = (command: string, more: Readonly<Record<string, unknown>> = {}): ScriptedCall => ({
  name: 'remote_exec_background',
  input: { command, metric_names: ['loss'], ...more },
});
const train = (more = ''): string => `python3 train.py ${more}`.trim();
const until = (number: number): ScriptedCall => ({
  name: 'sleep',
  input: {
    reason: 'r',
    wake_conditions: [{ type: 'process_exit', run: number }],
    deadline_minutes: 5,
  },
});
const decide = (experiment: string, decision: string, why = 'measured'): ScriptedCall => ({
  name: 'exp_decide',
  input: { experiment, decision, why },
});
const quit: ScriptedCall = { name: 'finish', input: { outcome: 'blocked', summary: 'ok' } };

/** `python3 train.py --lr 0.5` measures loss=0.5, and what `--fail` says fails. */
const program = `import sys
args = dict(zip(sys.argv[1::2], sys.argv[2::2]))
lr = float(args.get("--lr", 1)) + 0.01 * float(args.get("--seed", 0))
for epoch in range(int(args.get("--shown", 0))):
    print(f"epoch {epoch + 1}/{args.get('--shown')} loss={lr}")
print(f"loss={lr}")
sys.exit(3 if args.get("--seed") == "9" else int(args.get("--fail", 0)))
`;

describe('experiments of a session', () => {
  let folder: string;
  let repo: GitRepo;
  let bed: TestEngine | undefined;
  let model: ScriptedModel;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'helios-experiments-'));
    repo = GitRepo.create(path.join(folder, 'work'), { 'train.py': program });
  });
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  /** Makes the calls one after the other, each in a turn of its own. */
  const night = async (...replies: (ScriptedCall | ScriptedReply)[]): Promise<Session> => {
    const script = [
      ...replies.map((one): ScriptedReply =>
        typeof one === 'object' && 'name' in one ? [one] : one,
      ),
      [quit],
    ];
    model = new ScriptedModel(script);
    bed = await testEngine(model, { folder });
    const session = await bed.start();
    assert.equal(await session.ended, 'blocked');
    return session;
  };
  const results = (
    session: Session,
    name = 'remote_exec_background',
  ): { text: string; isError: boolean }[] =>
    eventsOf(session, 'tool.finished').filter((event) => event.name === name);
  const row = (session: Session, id: string): ExperimentRow => {
    const found = session.ledger.experiments.find((one) => one.id === id);
    assert.ok(found, id);
    return found;
  };

  it('plans an experiment before its run, with what the code was', async () => {
    repo.write({ 'notes.md': 'not committed' });
    const session = await night(
      run(train('--lr 0.5 --seed 3'), { hypothesis: 'half is better' }),
      until(1),
    );
    const [planned] = eventsOf(session, 'experiment.planned');
    const [launched] = eventsOf(session, 'run.planned');
    assert.ok(
      planned && launched && session.events().indexOf(planned) < session.events().indexOf(launched),
    );
    assert.equal(launched.spec.experimentId, 'e1');
    assert.equal(launched.callId, planned.callId);
    const { code, fingerprint, ...plan } = planned.plan;
    assert.deepEqual(plan, {
      ...{ id: 'e1', number: 1, machineId: 'local', hypothesis: 'half is better', seed: '3' },
      ...{ command: train('--lr 0.5 --seed 3'), cwd: repo.folder },
    });
    assert.match(fingerprint, /^[0-9a-f]{16}$/);
    assert.ok(code.kind === 'git' && code.isDirty && code.head === repo.git('rev-parse', 'HEAD'));
    assert.deepEqual(repo.names(code.commit ?? ''), ['notes.md', 'train.py']);
    assert.match(results(session)[0]?.text ?? '', /"experiment":"e1"/);
    const { status, verdicts, result, runs, cost } = row(session, 'e1');
    assert.deepEqual(
      { status, verdicts, n: result?.n, mean: result?.mean },
      { status: 'over', verdicts: '1 ok', n: 1, mean: 0.53 },
    );
    assert.equal(runs[0]?.experimentId, 'e1');
    assert.ok(cost && cost.tokens > 0);
  });

  it('refuses what was tried before, in other words, and says what came of it', async () => {
    const session = await night(
      ...[
        run(train('--lr 0.5 --bs 8'), { label: 'first' }),
        until(1),
        decide('e1', 'discard', 'no gain'),
      ],
      run(`python  train.py '--bs' 8 --lr=5e-1 > log.txt`, {
        label: 'another idea',
        hypothesis: 'new',
      }),
    );
    const [, refused] = results(session);
    assert.ok(refused?.isError);
    assert.match(
      refused.text,
      /Nothing was started: this was tried before\.\n- experiment e1 "first" ran the same code/,
    );
    assert.match(refused.text, /run 1\): 1 ok, loss 0\.5; discard: no gain/);
    assert.match(refused.text, /retest: "<why>"/);
    assert.equal(session.state.runs.size, 1);
    assert.equal(session.state.experiments.size, 1);
  });

  it('makes it again on purpose: as a retest, or as a repeat with another seed', async () => {
    const session = await night(
      ...[run(train('--lr 0.5 --seed 1')), until(1), run(train('--seed 1 --lr 0.5'))],
      run(train('--seed 1 --lr 0.5'), { experiment: 'e1' }),
      ...[run(train('--lr 0.5 --seed 2'), { experiment: 'e1' }), until(2)],
      ...[run(train('--seed 1 --lr 0.5'), { retest: 'the disk was full' }), until(3)],
    );
    assert.deepEqual(
      results(session).map(({ isError }) => isError),
      [false, true, true, false, false],
    );
    for (const refused of results(session).slice(1, 3))
      assert.match(refused.text, /ran the same code .* with the same arguments \(run 1, seed 1\)/);
    const { result, runs } = row(session, 'e1');
    // The retest counts as a repeat of seed 1.
    assert.deepEqual([result?.n, runs.length], [2, 2]);
    assert.equal(row(session, 'e2').result?.mean, result?.mean);
    assert.ok(
      Math.abs((result?.mean ?? 0) - 0.515) < 1e-9 &&
        Math.abs((result?.spread ?? 0) - 0.00707) < 1e-4,
    );
    assert.deepEqual(row(session, 'e2').plan?.retest, { of: 'e1', why: 'the disk was full' });
  });

  it('lets the same command run in other code, unless only comments are other', async () => {
    const edit = (line: string): ScriptedCall => ({
      name: 'write_file',
      input: { path: path.join(repo.folder, 'train.py'), content: `${program}${line}\n` },
    });
    const session = await night(
      ...[
        run(train()),
        until(1),
        edit('# a thought'),
        run(train()),
        edit('print("more")'),
        run(train()),
        until(2),
      ],
      run(train(), { experiment: 'e1' }),
    );
    const [, words, code, joined] = results(session);
    assert.match(words?.text ?? '', /ran the same code \(ignoring comments and outputs\)/);
    assert.equal(code?.isError, false);
    assert.equal(
      joined?.text,
      'Nothing was started: the code has changed since experiment e1 (train.py, 1 line). To add a seed to e1: exp_branch from e1, launch there; for the new code omit the argument experiment.',
    );
    assert.equal(session.state.experiments.size, 2);
  });

  it('runs again what failed, with a note of how it ended', async () => {
    const failing = run(train('--fail 3'));
    const session = await night(failing, until(1), failing, until(2));
    const [, again] = results(session);
    assert.equal(again?.isError, false);
    assert.match(again?.text ?? '', /Similar: experiment e1 .*crash: its run failed/);
  });

  it('notes similar runs with their seeds, and refuses none of them', async () => {
    const session = await night(
      ...[run(train('--seed 0')), until(1), decide('e1', 'invalid', 'nothing counts')],
      ...[run(train('--seed 0')), until(2), run(train('--seed 3')), until(3)],
    );
    const [, again, other] = results(session);
    assert.deepEqual([again?.isError, other?.isError], [false, false]);
    assert.match(other?.text ?? '', /differ only in seed.*\(run 2, seed 0\)/);
  });

  it('never moves the code of an experiment with runs, and keeps none of a refused launch', async () => {
    const file = path.join(repo.folder, 'train.py');
    const edit = (line: string): ScriptedCall => ({
      name: 'write_file',
      input: { path: file, content: `${program}${line}\n` },
    });
    const session = await night(
      ...[run(train('--seed 0')), until(1), run(train('--seed 0'))],
      ...[edit('# words'), run(train('--seed 1'), { experiment: 'e1' }), until(2)],
      ...[edit('print("other")'), run(train('--seed 2'), { experiment: 'e1' })],
    );
    assert.deepEqual(
      results(session).map(({ isError }) => isError),
      [false, true, false, true],
    );
    const { plan } = row(session, 'e1');
    assert.ok(plan?.code.kind === 'git' && plan.code.commit);
    const names = repo.git('for-each-ref', '--format=%(refname:lstrip=3)', 'refs/helios');
    assert.deepEqual(names.split('\n'), ['e1', 'e1-2', checkoutName]);
    const ref = `refs/helios/${session.id}/e1`;
    assert.equal(repo.git('rev-parse', ref), plan.code.commit);
    assert.match(repo.git('show', `${ref}-2:train.py`), /# words$/);
    repo.git('gc', '--quiet', '--prune=now');
    assert.equal(repo.git('cat-file', '-t', plan.code.commit), 'commit');
  });

  it('without a repository knows the code only while nothing was done', async () => {
    rmSync(path.join(repo.folder, '.git'), { recursive: true });
    const write = {
      name: 'write_file',
      input: { path: path.join(repo.folder, 'data'), content: 'x' },
    };
    const note = { name: 'memory_write', input: { path: '/n', gist: 'g' } };
    const session = await night(
      run(train()),
      until(1),
      note,
      run(train()),
      write,
      run(train()),
      until(2),
    );
    assert.deepEqual(
      results(session).map(({ isError }) => isError),
      [false, true, false],
    );
    assert.equal(row(session, 'e1').plan?.code.kind, 'none');
  });

  it('makes one experiment of a sweep, and refuses points that were tried', async () => {
    const sweep = (rates: readonly number[], more = {}): ScriptedCall => ({
      name: 'sweep',
      input: {
        command_template: 'python3 train.py --lr {lr}',
        params: { lr: rates },
        metric_names: ['loss'],
        max_parallel: 3,
        ...more,
      },
    });
    const untilSwept = {
      name: 'sleep',
      input: { reason: 'r', wake_conditions: [{ type: 'process_exit', sweep: 's1' }] },
    };
    const session = await night(
      ...[
        run(train('--lr 0.5')),
        until(1),
        sweep([0.5, 0.6]),
        sweep([0.6, 0.7], { hypothesis: 'more' }),
        untilSwept,
      ],
      run(train('--lr 0.70')),
    );
    const [refused, made] = results(session, 'sweep');
    assert.match(refused?.text ?? '', /1 of 2 points were tried before\.\n- experiment e1/);
    assert.match(made?.text ?? '', /"experiment":"e2"/);
    assert.match(results(session)[1]?.text ?? '', /experiment e2 "more"/);
    const { runs, plan, result } = row(session, 'e2');
    assert.deepEqual(
      [runs.map(({ sweepId }) => sweepId), plan?.command],
      [['s1', 's1'], 'python3 train.py --lr {lr}'],
    );
    assert.equal(result?.mean, 0.6, 'of the best point, not of them all');
    assert.equal(session.state.sweeps.get('s1')?.plan.experimentId, 'e2');
  });

  it('decides when it is over, with what was measured, and warns where that speaks against it', async () => {
    const session = await night(
      ...[
        run('sleep 5; echo loss=1'),
        decide('e1', 'keep'),
        { name: 'kill_task', input: { run: 1 } },
      ],
      ...[run(train('--lr 0.5')), until(2), decide('2', 'keep', 'the best so far')],
      ...[
        run(train('--lr 0.7')),
        until(3),
        decide('experiment 3', 'keep', 'nice'),
        decide('e3', 'discard', 'worse'),
      ],
      ...[decide('e3', 'discard', 'worse'), decide('e9', 'keep'), decide('e1', 'keep')],
    );
    const [going, kept, worse, , , missing, empty] = results(session, 'exp_decide').map(
      ({ text }) => text,
    );
    assert.match(going ?? '', /Experiment e1 is still running \(run 1\): sleep until it is over/);
    assert.match(kept ?? '', /"measured":"1 ok, loss 0\.5",.*provisional: it rests on one run/);
    assert.match(
      worse ?? '',
      /worse than the best so far: loss 0\.7 against loss 0\.5 of run 2 of experiment e2/,
    );
    assert.match(missing ?? '', /There is no experiment e9\. Experiments: e1, e2, e3\./);
    assert.match(empty ?? '', /no result to compare/);
    assert.deepEqual(
      row(session, 'e3').decisions.map(({ decision, by }) => [decision, by]),
      [
        ['keep', 'agent'],
        ['discard', 'agent'],
      ],
    );
    assert.equal(session.ledger.champion?.experimentId, 'e2');
  });

  it('decides on one setting of a sweep, with its repeats', async () => {
    const sweep: ScriptedCall = {
      name: 'sweep',
      input: {
        command_template: train('--lr {lr} --seed {seed}'),
        params: { lr: [0.3, 0.5], seed: [0, 1] },
        ...{ metric_names: ['loss'], max_parallel: 4, hypothesis: 'rates' },
      },
    };
    const over: ScriptedCall = {
      name: 'sleep',
      input: { reason: 'r', wake_conditions: [{ type: 'process_exit', sweep: 's1' }] },
    };
    const setting = (runs: unknown, decision: string): ScriptedCall => ({
      name: 'exp_decide',
      input: { experiment: 'e1', decision, why: 'w', runs },
    });
    const session = await night(
      ...[sweep, over, setting(3, 'keep'), setting(['run 1'], 'invalid'), setting(9, 'keep')],
    );
    const [kept, , unknown] = results(session, 'exp_decide').map(({ text }) => text);
    assert.match(kept ?? '', /"decision":"keep \(runs 3, 4\)","measured":"2 ok, loss 0\.505 ± /);
    assert.match(unknown ?? '', /e1 has no run 9\. Runs: 1, 2, 3, 4\./);
    assert.deepEqual(
      session.ledger.rows.map(({ decision }) => decision?.decision),
      ['invalid', 'invalid', 'keep', 'keep'],
    );
    const { decision, result } = row(session, 'e1');
    assert.deepEqual([decision?.decision, result?.mean], ['keep', 0.505]);
    assert.equal(session.ledger.champion?.number, 3);
  });

  it('keeps the best setting alone where a sweep is kept as a whole', async () => {
    const sweep: ScriptedCall = {
      name: 'sweep',
      input: {
        command_template: train('--lr {lr}'),
        params: { lr: [0.5, 0.3, 0.4, 0.6] },
        ...{ metric_names: ['loss'], max_parallel: 4, hypothesis: 'rates' },
      },
    };
    const over: ScriptedCall = {
      name: 'sleep',
      input: { reason: 'r', wake_conditions: [{ type: 'process_exit', sweep: 's1' }] },
    };
    const session = await night(sweep, over, decide('e1', 'keep', 'lr 0.3 is best'));
    const [kept] = results(session, 'exp_decide').map(({ text }) => text);
    assert.match(
      kept ?? '',
      /"decision":"keep \(run 2, provisional\)","measured":"1 ok, loss 0\.3"/,
    );
    assert.deepEqual(
      session.ledger.rows.map(({ decision }) => decision?.decision),
      [undefined, 'keep', undefined, undefined],
    );
    assert.equal(row(session, 'e1').decision?.decision, 'keep');
  });

  it('takes no run as evidence whose command breaks a limit of the goal', async () => {
    const finish: ScriptedCall = {
      name: 'finish',
      input: { outcome: 'goal_met', summary: 's', evidence: [{ runs: [1], metric: 'loss' }] },
    };
    model = new ScriptedModel([
      [run(train('--lr 0.1 --epochs 5'))],
      [until(1)],
      [decide('e1', 'keep', 'good')],
      [decide('e1', 'discard', 'too long')],
      [finish],
      [quit],
    ]);
    bed = await testEngine(model, { folder });
    const session = await bed.start({ goal: 'bring loss below 0.2 with at most 3 epochs per run' });
    assert.equal(await session.ended, 'blocked');
    const [{ decision } = {}] = session.ledger.rows;
    const why = 'its command asks for 5 epochs, and the goal allows at most 3';
    assert.deepEqual([decision?.decision, decision?.by, decision?.why], ['invalid', 'engine', why]);
    assert.match(results(session, 'exp_decide')[0]?.text ?? '', /e1 is invalid: its command asks/);
    assert.match(results(session, 'finish')[0]?.text ?? '', /run 1 is no evidence/);
    const digest = eventsOf(session, 'message.added').find(({ origin }) => origin === 'wake');
    assert.match(digest?.text ?? '', /- run 1 .*invalid: its command asks for 5 epochs/);
  });

  it('judges limits of epochs by the epochs that a run printed', async () => {
    model = new ScriptedModel([
      [run(train('--lr 0.1 --shown 4')), run(train('--lr 0.15 --epochs 5 --shown 2'))],
      [until(2)],
      [until(1)],
      [quit],
    ]);
    bed = await testEngine(model, { folder });
    const session = await bed.start({ goal: 'bring loss below 0.2 with at most 3 epochs per run' });
    assert.equal(await session.ended, 'blocked');
    assert.deepEqual(
      session.ledger.rows.map(({ decision }) => decision && [decision.decision, decision.why]),
      [['invalid', 'it printed epoch 4, and the goal allows at most 3'], undefined],
    );
    const digests = eventsOf(session, 'message.added').filter(({ origin }) => origin === 'wake');
    assert.match(
      digests.map(({ text }) => text).join('\n'),
      /- run 2 .*valid: its command asks for 5 epochs, but it printed no epoch above 2/,
    );
  });

  it('takes the seeds of a launch for seeds, wherever the command has them', async () => {
    const session = await night(run(train('--lr 0.5 --at {seed}'), { seeds: [0, 1] }), {
      name: 'sleep',
      input: { reason: 'r', wake_conditions: [{ type: 'process_exit', sweep: 's1' }] },
    });
    const { result } = row(session, 'e1');
    assert.deepEqual(
      result?.runs.map(({ seed }) => seed),
      ['0', '1'],
    );
  });

  it('says of a reason and of a note which of their numbers no run measured', async () => {
    const note = (path: string, gist: string): ScriptedCall => ({
      name: 'memory_write',
      input: { path, gist },
    });
    const session = await night(
      ...[run(train('--lr 0.5')), until(1), decide('e1', 'keep', 'loss 0.457')],
      ...[note('/a', 'run 1: loss 0.457'), note('/b', 'loss 0.5 with lr 0.5')],
    );
    const [decided = ''] = results(session, 'exp_decide').map(({ text }) => text);
    assert.match(decided, /"unmeasured":"0\.457 was measured by no run\."/);
    const [wrong = '', right = ''] = results(session, 'memory_write').map(({ text }) => text);
    assert.match(wrong, /"unmeasured":"0\.457 \(run 1 measured 0\.5\) was measured by no run\."/);
    assert.doesNotMatch(right, /measured/);
  });

  it('launches one command with several seeds as one experiment', async () => {
    const session = await night(
      run(train('--lr 0.5 --seed {seed}'), { seeds: [0, 1, 2], hypothesis: 'half' }),
      {
        name: 'sleep',
        input: { reason: 'r', wake_conditions: [{ type: 'process_exit', sweep: 's1' }] },
      },
      run(train('--lr 0.4 --seed {seed}'), { seeds: [0], log_path: 'log.txt' }),
    );
    const [launched, refused] = results(session);
    assert.match(launched?.text ?? '', /"sweep":"s1","experiment":"e1","points":3/);
    assert.match(refused?.text ?? '', /^log_path cannot be combined with seeds: leave it out/);
    const { result, runs } = row(session, 'e1');
    assert.deepEqual([result?.n, result?.mean, runs.length], [3, 0.51, 3]);
  });

  it('names no run as evidence of a keep that did not end ok', async () => {
    const again = { experiment: 'e1' };
    const kept = (runs: number[]): ScriptedCall => ({
      name: 'exp_decide',
      input: { experiment: 'e1', decision: 'keep', why: 'measured', runs },
    });
    const session = await night(
      [run(train('--seed 0')), run(train('--seed 9'), again), run(train('--seed 1'), again)],
      until(3),
      kept([1, 2, 3]),
      kept([2]),
    );
    const [first, second] = results(session, 'exp_decide').map(({ text }) => text);
    assert.match(first ?? '', /"keep \(runs 1, 3\)"/);
    assert.match(second ?? '', /"keep \(runs 1, 3\)"/);
    assert.equal(row(session, 'e1').decision?.decision, 'keep');
  });

  it('records a keep that rests on one run or lies within the noise as provisional', async () => {
    const seeds = [0, 1, 2].map((seed) => run(train(`--lr 0.5 --seed ${seed}`)));
    const again = { experiment: 'e4' };
    const session = await night(
      ...[[...seeds], until(3)],
      ...[run(train('--lr 0.497')), until(4), decide('e4', 'keep', 'better')],
      ...[run(train('--lr 0.497 --seed 1'), again), until(5), decide('e4', 'keep', 'better')],
      ...[run(train('--lr 0.3 --seed 0')), until(6), decide('e5', 'keep', 'far better')],
      ...[run(train('--lr 0.3 --seed 1'), { experiment: 'e5' }), until(7)],
      decide('e5', 'keep', 'far better'),
    );
    const texts = results(session, 'exp_decide').map(({ text }) => text);
    assert.match(texts[0] ?? '', /"keep \(provisional\)".*it rests on one run/);
    assert.match(texts[1] ?? '', /within the noise \(loss 0\.502 ± 0\.007\d* over 2 runs/);
    assert.match(texts[2] ?? '', /it rests on one run\. More seeds \(experiment: e5\)/);
    assert.doesNotMatch(texts[3] ?? '', /provisional/);
    assert.deepEqual(
      row(session, 'e5').decisions.map(({ isProvisional }) => isProvisional),
      [true, undefined],
    );
  });

  it('tells the whole experiment when seeds join it, and that its keep can be decided', async () => {
    const untilAll: ScriptedCall = {
      name: 'sleep',
      input: { reason: 'r', wake_conditions: [{ type: 'process_exit' }], deadline_minutes: 5 },
    };
    const seeds = (experiment: string): ScriptedReply => [
      run(train('--lr 0.3 --seed {seed}'), { seeds: [1, 2], experiment }),
      untilAll,
    ];
    const session = await night(
      ...[run(train('--lr 0.5 --seed 0')), until(1), decide('e1', 'reference')],
      ...[run(train('--lr 0.3 --seed 0')), until(2), decide('e2', 'keep')],
      ...[seeds('e2'), decide('e2', 'keep')],
    );
    const [ended] = eventsOf(session, 'sweep.ended');
    assert.match(
      ended?.text ?? '',
      /^Sweep s1 .*: 2 ok; best loss 0\.315 ± .* by lr=0\.3 \(run 3, run 4\); .*; with run 2: loss 0\.31 ± 0\.01 over 3 runs$/m,
    );
    assert.doesNotMatch(ended?.text ?? '', /^- run 2 /m);
    const said = JSON.stringify(model.requests.at(-1)?.messages);
    const words = 'has more runs than its provisional keep rests on: call exp_decide.]';
    assert.equal(said.split(words).length, 2);
    assert.ok(said.includes(`[Experiment e2 (python3 train.py --lr 0.3 --seed 0) ${words}`), said);
  });

  it('tells once what is over and not decided, and decides crashes itself', async () => {
    const session = await night(
      run(train('--lr 0.5'), { label: 'half' }),
      until(1),
      run(train('--fail 1')),
      until(2),
    );
    const [decided] = eventsOf(session, 'experiment.decided');
    assert.deepEqual(
      [decided?.experimentId, decided?.decision, decided?.by],
      ['e2', 'crash', 'engine'],
    );
    const said = JSON.stringify(model.requests.at(-1)?.messages);
    assert.equal(
      said.split('[Experiment e1 (half) has ended and is not decided: call exp_decide.]').length,
      2,
    );
    assert.equal(
      said.split('[Decided for you: experiment e2 is crash, its run failed.]').length,
      2,
    );
    assert.ok(!said.includes('Experiment e2'));
    const asked = model.requests.map(({ messages }) => JSON.stringify(messages.slice(0, -2)));
    for (const [index, text] of asked.entries())
      assert.ok(
        (asked[index + 1] ?? text).startsWith(text.slice(0, -1)),
        'what was said before is never said otherwise',
      );
  });

  it('leaves a crash to the reply in which the agent decides it', async () => {
    const over = Promise.withResolvers<void>();
    const replies = [
      [run('until [ -e go ]; do sleep 0.02; done; exit 1')],
      [decide('e1', 'invalid', 'the path was wrong')],
      [quit],
    ];
    model = new ScriptedModel(async (_request, index) => {
      if (index === 1) {
        repo.write({ go: '' });
        await over.promise;
      }
      return replies[index] ?? 'done';
    });
    bed = await testEngine(model, { folder });
    const session = await bed.start();
    session.onDidRecord(({ type }) => {
      if (type === 'run.ended') over.resolve();
    });
    assert.equal(await session.ended, 'blocked');
    assert.deepEqual(
      eventsOf(session, 'experiment.decided').map(({ by, decision }) => [by, decision]),
      [['agent', 'invalid']],
    );
    assert.ok(!JSON.stringify(model.requests.at(-1)?.messages).includes('Decided for you'));
  });

  it('decides a crash after a reply that says nothing of it', async () => {
    const over = Promise.withResolvers<void>();
    model = new ScriptedModel(async (_request, index) => {
      if (index !== 1)
        return [index === 0 ? run('until [ -e go ]; do sleep 0.02; done; exit 1') : quit];
      repo.write({ go: '' });
      await over.promise;
      return 'Let us see.';
    });
    bed = await testEngine(model, { folder });
    const session = await bed.start();
    session.onDidRecord(({ type }) => {
      if (type === 'run.ended') over.resolve();
    });
    assert.equal(await session.ended, 'blocked');
    const said = JSON.stringify(model.requests[2]?.messages);
    assert.equal(said.split('[Decided for you: experiment e1 is crash').length, 2, said);
  });

  it('launches at most 2 % of what a forgetful model repeats', async function () {
    this.timeout(300_000);
    const next = random(7);
    const ideas: string[] = [];
    const rewrite = (lr: string, bs: string): string => {
      const forms = [
        `python3 train.py --lr ${lr} --bs ${bs}`,
        `python train.py --bs=${bs} --lr=${Number(lr).toExponential()}`,
        `PYTHONUNBUFFERED=1 python3 -u train.py --bs '${bs}.0' "--lr" ${lr.replace(/^0/, '')}`,
        `mkdir -p out && python3 train.py --lr ${lr} --bs ${bs} 2> out/log`,
        `python3 train.py --run-name try-${Math.floor(next() * 1e6)} --lr ${lr}  --bs ${bs}`,
      ];
      return forms[Math.floor(next() * forms.length)] ?? '';
    };
    let repeated = 0;
    const replies: ScriptedReply[] = [];
    for (let index = 0; index < (isLong ? 50 : 25); index += 1) {
      const isRepeat = ideas.length > 0 && next() < 0.6;
      repeated += isRepeat ? 1 : 0;
      const idea = isRepeat
        ? (ideas[Math.floor(next() * ideas.length)] ?? '')
        : `0.${index + 101} ${8 + index}`;
      if (!isRepeat) ideas.push(idea);
      const [lr = '', bs = ''] = idea.split(' ');
      replies.push([
        run(rewrite(lr, bs), { label: `idea ${index}`, hypothesis: `hunch ${index}` }),
      ]);
    }
    const session = await night(...replies);
    const launched = session.state.runs.size;
    const doubled = launched - ideas.length;
    assert.ok(repeated >= 10, `${repeated}`);
    assert.ok(launched >= ideas.length, 'no new idea was refused');
    assert.ok(doubled <= 0.02 * repeated, `${doubled} of ${repeated} repetitions were launched`);
  });
});
