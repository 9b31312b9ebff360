/** Checks of a goal and reproductions, confined, of code that was uploaded to an SSH host. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import { GitRepo } from '../fakes/gitRepo.ts';
import { LoginHost } from '../fakes/loginHost.ts';
import { ScriptedModel, type ScriptedCall } from '../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../fakes/testEngine.ts';

const goal = 'Bring loss below 1. check.py must pass.';
const on = { machine_id: 'gpu1' };
const untilRun: ScriptedCall = {
  name: 'sleep',
  input: { reason: 'r', wake_conditions: [{ type: 'process_exit', run: 1 }], deadline_minutes: 5 },
};
const finish: ScriptedCall = {
  name: 'finish',
  input: {
    outcome: 'goal_met',
    summary: 's',
    evidence: [{ runs: 'e1', metric: 'loss' }],
    checks: ['python3 check.py'],
  },
};
const blocked: ScriptedCall = { name: 'finish', input: { outcome: 'blocked', summary: 's' } };

describe('confined code that was uploaded to an SSH machine', function () {
  this.timeout(120_000);
  let host: LoginHost;
  const beds: TestEngine[] = [];
  before(async () => {
    host = await LoginHost.start('ssh');
  });
  afterEach(async () => {
    for (const bed of beds.splice(0)) await bed.dispose();
  });
  after(() => host?.dispose());

  /** A session that uploads its code to `job`, runs it, calls `change`, and then finishes. */
  const played = async (change: (job: string) => void) => {
    const folder = mkdtempSync(join(tmpdir(), 'helios-engine-'));
    const job = mkdtempSync(join(host.home, 'job-'));
    const seen = join(job, 'seen.txt');
    const check = [
      'import os',
      `with open(${JSON.stringify(seen)}, "a") as file: file.write(os.getcwd() + "\\n")`,
      'open("left.txt", "w").close()',
      'raise SystemExit("0.5" not in open("train.sh").read())',
    ];
    const repo = GitRepo.create(join(folder, 'work'), {
      'train.sh': 'echo loss=0.5\n',
      'check.py': `${check.join('\n')}\n`,
    });
    const launch = { ...on, command: 'sh train.sh', cwd: job, metric_names: ['loss'] };
    const calls: readonly (() => ScriptedCall)[] = [
      () => ({ name: 'remote_upload', input: { ...on, local_path: '.', remote_path: `${job}/` } }),
      () => ({ name: 'remote_exec_background', input: launch }),
      () => untilRun,
      () => {
        change(job);
        return finish;
      },
    ];
    const model = new ScriptedModel((_request, index) => [calls[index]?.() ?? blocked]);
    const bed = await testEngine(model, {
      settings: { report: 'never', confinement: 'always' },
      createMachine: host.createMachine,
      folder,
    });
    beds.push(bed);
    await bed.engine.machines.add({ id: 'gpu1', kind: 'ssh', alias: 'login', workFolder: job });
    const session = await bed.start({ goal });
    await session.ended;
    const errors = eventsOf(session, 'tool.finished').flatMap(({ isError, text }) =>
      isError ? [text] : [],
    );
    const copies = join(host.home, '.helios', 'copies', session.id);
    return { bed, repo, session, errors, job, seen, copies };
  };

  it('is checked and reproduced in copies where its folder has other code now', async () => {
    const { repo, session, errors, seen, copies } = await played((job) =>
      writeFileSync(join(job, 'train.sh'), 'echo loss=7\n'),
    );
    assert.deepEqual(errors, []);
    const [end] = eventsOf(session, 'session.ended');
    assert.equal(end?.reason, 'goal');
    assert.equal(end.checked?.at(-1), 'python3 check.py passed on the code of e1');
    assert.match(readFileSync(seen, 'utf8'), /\/\.helios\/copies\/[^/]+\/check-of-e1-\d+\n$/);
    assert.deepEqual(readdirSync(copies), [], 'the copy of the check is removed');
    assert.doesNotMatch(repo.git('worktree', 'list'), /check-of/);
    const { verdict, metrics } = await session.reproduce({ experimentId: 'e1' });
    assert.deepEqual(verdict, { kind: 'ok' });
    assert.deepEqual(
      metrics.map(({ now, before: was }) => [now, was]),
      [[0.5, 0.5]],
    );
  });

  it('is checked in the folder of its runs while that has the code, without git there', async () => {
    const { session, errors, job, seen, copies } = await played((job) => {
      mkdirSync(join(job, 'out'));
      writeFileSync(join(job, 'out', 'model.pt'), 'of the run');
    });
    assert.deepEqual(errors, []);
    assert.equal(eventsOf(session, 'session.ended')[0]?.reason, 'goal');
    assert.equal(readFileSync(seen, 'utf8'), `${job}\n`);
    assert.ok(!existsSync(copies), 'nothing is sent again');
  });

  it('leaves no copy behind for a check that was killed, once the session is resumed', async () => {
    const { bed, session, copies } = await played(() => undefined);
    await bed.engine.close();
    const file = join(session.folder, 'journal.jsonl');
    const lines = readFileSync(file, 'utf8').split('\n');
    const begun = lines.findIndex((line) => /"tool\.started".*"finish"/.test(line));
    writeFileSync(file, `${lines.slice(0, begun + 1).join('\n')}\n`);
    for (const name of ['check-of-e1-4', 'reproduction-e1-run-2'])
      mkdirSync(join(copies, name), { recursive: true });
    const again = await bed.restart(new ScriptedModel([[blocked]]));
    await (
      await again.engine.sessions.resume(session.id)
    ).ended;
    assert.deepEqual(readdirSync(copies), ['reproduction-e1-run-2']);
  });
});
