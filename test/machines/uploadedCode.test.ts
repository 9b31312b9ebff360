/** The code that runs on another machine, which the agent uploaded there, is the code that is kept. */
import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import type { Session } from '../../src/agent/contract/sessions.ts';
import type { JournalEvent } from '../../src/agent/journal/events.ts';
import { systemClock } from '../../src/base/clock.ts';
import {
  promotable,
  promoteAsBranch,
  promoteAsPatch,
} from '../../src/compose/promoteExperiment.ts';
import { GitRepo } from '../fakes/gitRepo.ts';
import { LoginHost } from '../fakes/loginHost.ts';
import { until } from '../fakes/scratch.ts';
import { ScriptedModel, type Script, type ScriptedCall } from '../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../fakes/testEngine.ts';

type Step = (told: string) => ScriptedCall | Promise<ScriptedCall>;

const inSteps =
  (steps: readonly Step[]): Script =>
  async ({ messages }, index) => {
    const results = messages.flatMap(({ content }) =>
      content.filter((block) => block.type === 'tool_result'),
    );
    const quit = { name: 'finish', input: { outcome: 'blocked', summary: 'ok' } };
    return [(await steps[index]?.(results.at(-1)?.text ?? '')) ?? quit];
  };

const on = { machine_id: 'gpu1' };

const untilRun =
  (run: number): Step =>
  () => ({
    name: 'sleep',
    input: { reason: 'r', wake_conditions: [{ type: 'process_exit', run }], deadline_minutes: 60 },
  });

const upload =
  (local_path: string, remote_path: string, more: object = {}): Step =>
  () => ({ name: 'remote_upload', input: { ...on, local_path, remote_path, ...more } });

const launch =
  (command: string, cwd: string, more: object = {}): Step =>
  () => ({
    name: 'remote_exec_background',
    input: { ...on, command, cwd, metric_names: ['loss'], ...more },
  });

const decide =
  (experiment: string): Step =>
  () => ({ name: 'exp_decide', input: { experiment, decision: 'keep', why: 'less' } });

describe('code that was uploaded to an SSH machine', function () {
  this.timeout(120_000);
  let host: LoginHost;
  const beds: TestEngine[] = [];
  const cut = new Set<string>();
  before(async () => {
    host = await LoginHost.start('ssh');
  });
  afterEach(async () => {
    for (const bed of beds.splice(0)) await bed.dispose();
  });
  after(() => host?.dispose());

  /** A session over these steps; its work folder is a repository with `files`. */
  const played = async (
    files: Readonly<Record<string, string>>,
    steps: (place: { readonly work: string; readonly job: string }) => readonly Step[],
    onEvent: (event: JournalEvent, job: string) => void = () => undefined,
  ) => {
    const folder = mkdtempSync(join(tmpdir(), 'helios-engine-'));
    const job = mkdtempSync(join(host.home, 'job-'));
    const repo = GitRepo.create(join(folder, 'work'), files);
    const model = new ScriptedModel(inSteps(steps({ work: repo.folder, job })));
    const { createMachine } = host;
    const settings = { report: 'never', idleTurns: 100 } as const;
    const bed = await testEngine(model, { settings, createMachine, folder });
    beds.push(bed);
    await bed.engine.machines.add({ id: 'gpu1', kind: 'ssh', alias: 'login' });
    const session = await bed.start();
    session.onDidRecord((event) => onEvent(event, job));
    await session.ended;
    const told = eventsOf(session, 'tool.finished').map(({ text }) => text ?? '');
    return { bed, session, told, repo, job };
  };

  /** The step, once the host answers again, as after the seconds that a model takes. */
  const again =
    (step: Step): Step =>
    async (text) => {
      const machine = beds[0]?.engine.machines.get('gpu1');
      for (let isThere = false; !isThere;)
        isThere = await (async () => {
          await machine?.ready?.({ isAnew: true });
          return (await machine?.query('echo here')) === 'here\n';
        })().catch(() => false);
      return step(text);
    };

  /** The file of the code of an experiment, as `promote` gives it. */
  const promoted = async (
    { engine, work }: TestEngine,
    session: Session,
    id: string,
    file: string,
  ): Promise<string> => {
    const from = promotable(session.ledger, id);
    const deps = { machines: engine.machines, clock: systemClock, workFolder: work };
    const { branch, repo } = await promoteAsBranch(deps, from, `promoted-${id}`);
    return new GitRepo(repo).git('show', `${branch}:${file}`);
  };

  it('is kept, repeated, promoted and reproduced, also after the folder is gone', async () => {
    let tree = '';
    // The upload refuses helios.json.
    const files = { 'train.sh': 'echo loss=9\n', 'helios.json': '{}\n' };
    const { bed, session, told, job } = await played(files, ({ job }) => [
      () => ({ name: 'exp_branch', input: { repo_path: '.', experiment_name: 'half' } }),
      (text) => {
        tree = String((JSON.parse(text) as { path: unknown }).path);
        const input = { path: `${tree}/train.sh`, content: 'echo loss=$1\n' };
        return { name: 'write_file', input };
      },
      (text) => upload(tree, `${job}/`)(text),
      launch('sh train.sh 0.5', job, { hypothesis: 'Half is less' }),
      untilRun(1),
      decide('e1'),
      launch('sh  train.sh 0.5', job),
      () => ({
        name: 'write_file',
        input: { ...on, path: `${job}/train.sh`, content: 'echo loss=0.25\n' },
      }),
      launch('sh train.sh 0.5', job),
      untilRun(2),
      decide('e2'),
      launch('sh train.sh 0.5', job),
    ]);
    assert.match(told[6] ?? '', /^Nothing was started: this was tried before/);
    assert.match(told[8] ?? '', /The code on gpu1 differs from what was uploaded: train\.sh\./);
    assert.match(told[11] ?? '', /^Nothing was started: this was tried before/);
    rmSync(job, { recursive: true });
    assert.equal(await promoted(bed, session, 'e1', 'train.sh'), 'echo loss=$1');
    assert.equal(await promoted(bed, session, 'e2', 'train.sh'), 'echo loss=0.25');
    assert.equal(new GitRepo(bed.work).git('show', 'promoted-e1:helios.json'), '{}');
    for (const [experimentId, loss] of [
      ['e1', 0.5],
      ['e2', 0.25],
    ] as const) {
      const { verdict, metrics } = await session.reproduce({ experimentId });
      assert.deepEqual(
        [verdict, metrics.map(({ now, before: was }) => [now, was])],
        [{ kind: 'ok' }, [[loss, loss]]],
      );
    }
  });

  it('is found through links, ~, cd, paths and parts, and the later upload counts', async () => {
    const files = { 'run.sh': '. ./lib/a.sh\n', 'lib/a.sh': 'echo loss=1\n', 'lib/b.sh': ':\n' };
    const { bed, session, told } = await played(files, ({ work, job }) => {
      const name = job.slice(host.home.length + 1);
      mkdirSync(`${job}/in`);
      symlinkSync(`${job}/in`, `${job}/link`);
      return [
        upload('.', `~/${name}/in`),
        launch(`cd ~/${name}/link && sh run.sh`, '~'),
        untilRun(1),
        () => {
          writeFileSync(join(work, 'lib/a.sh'), 'echo loss=2\n');
          rmSync(join(work, 'lib/b.sh'));
          return upload('lib/', `${name}/in/lib/`)('');
        },
        launch('sh run.sh', `${name}/link/`),
        untilRun(2),
        () => {
          writeFileSync(join(work, 'lib/a.sh'), 'echo loss=3\n');
          return upload('lib/a.sh', `${job}/in/lib/a.sh`)('');
        },
        launch(`cd ${job}/in; sh ${job}/in/run.sh`, '.'),
        untilRun(3),
      ];
    });
    assert.deepEqual(
      session.ledger.experiments.map(({ plan }) => plan?.code.kind),
      ['git', 'git', 'git'],
      told.join('\n'),
    );
    for (const loss of [1, 2, 3])
      assert.equal(await promoted(bed, session, `e${loss}`, 'lib/a.sh'), `echo loss=${loss}`);
    assert.equal(await promoted(bed, session, 'e3', 'lib/b.sh').catch(String), ':');
    assert.ok(
      !told.some((text) => text.includes('differs from what was uploaded')),
      told.join('\n'),
    );
  });

  it('is kept from a folder without a repository, without secrets', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'helios-plain-'));
    writeFileSync(join(folder, 'train.sh'), 'echo loss=4\n');
    writeFileSync(join(folder, '.env'), 'KEY=1\n');
    const { bed, session, told, job } = await played({ a: '' }, ({ job }) => [
      upload(folder, job, { exclude: ['.env'] }),
      launch('sh train.sh', job),
      untilRun(1),
    ]);
    rmSync(folder, { recursive: true });
    rmSync(job, { recursive: true });
    const from = promotable(session.ledger, 'e1');
    const patch = await promoteAsPatch({ machines: bed.engine.machines, clock: systemClock }, from);
    assert.match(Buffer.from(patch).toString(), /\+echo loss=4/, told.join('\n'));
    assert.doesNotMatch(Buffer.from(patch).toString(), /KEY=1/);
    const { verdict } = await session.reproduce({ experimentId: 'e1' });
    assert.deepEqual(verdict, { kind: 'ok' });
    assert.equal(readFileSync(join(bed.work, 'a'), 'utf8'), '');
  });

  it('is what ran, with what was changed on the machine, bounded', async () => {
    const files = { 'run.sh': '. ./a.sh\n. ./b.sh\n', 'a.sh': ':\n', 'b.sh': ':\n', 'c.sh': ':\n' };
    const key = `-----BEGIN ${'PRIVATE'} KEY-----`;
    const { bed, session, told, job } = await played(files, ({ job }) => [
      upload('.', job),
      () => {
        rmSync(`${job}/c.sh`);
        writeFileSync(`${job}/a.sh`, `: '${key}'\n`);
        writeFileSync(`${job}/b.sh`, 'echo loss=3\n');
        writeFileSync(`${job}/new.yaml`, 'lr: 1\n');
        return launch('sh run.sh --config new.yaml', job)('');
      },
      untilRun(1),
      () => {
        writeFileSync(`${job}/a.sh`, `: '${key} 2'\n`);
        return launch('sh run.sh --config new.yaml', job)('');
      },
      untilRun(2),
    ]);
    assert.match(
      told[1] ?? '',
      /The code on gpu1 differs from what was uploaded: a\.sh, b\.sh, c\.sh \(missing\)\. The version on gpu1 is stored, except: a\.sh \(changed on gpu1, looks like a secret\)\./,
    );
    assert.match(told[3] ?? '', /"experiment":"e2"/);
    rmSync(job, { recursive: true });
    assert.equal(await promoted(bed, session, 'e1', 'b.sh'), 'echo loss=3');
    assert.equal(await promoted(bed, session, 'e2', 'new.yaml'), 'lr: 1');
    await assert.rejects(async () => new GitRepo(bed.work).git('show', 'promoted-e1:c.sh'));
    assert.equal(new GitRepo(bed.work).git('show', 'promoted-e1:a.sh'), ':');
  });

  it('is neither lost nor mistaken when the link breaks in an upload and in a launch', async () => {
    const files = { 'train.sh': 'echo loss=5\n' };
    const { bed, session, told, job } = await played(
      files,
      ({ work, job }) => [
        () => {
          writeFileSync(join(work, 'data.npy'), Buffer.alloc(30_000_000, 7));
          return upload('.', job)('');
        },
        again(upload('.', job)),
        launch('sh train.sh', job),
        again(launch('sh train.sh', job)),
        // The launch that was cut may have started its run.
        (text) => untilRun(Number(/"run":(\d)/.exec(text)?.[1] ?? 1))(text),
      ],
      (event, job) => {
        if (event.type !== 'tool.started' || cut.has(event.name)) return;
        cut.add(event.name);
        if (event.name === 'remote_exec_background') host.sshd.cut();
        if (event.name === 'remote_upload')
          void until('the upload has begun', () => readdirSync(job).length > 0).then(() =>
            host.sshd.cut(),
          );
      },
    );
    assert.match(told[0] ?? '', /Call again to resume|"files_sent":/);
    assert.match(told[1] ?? '', /"(?:files_sent|unchanged)":[12]/);
    assert.match(told[2] ?? '', /the connection was lost|"run":1/);
    const measured = session.ledger.rows.filter(({ verdict }) => verdict?.kind === 'ok');
    assert.deepEqual(
      [...new Set(measured.map(({ metrics }) => metrics[0]?.last))],
      [5],
      told.join('\n'),
    );
    rmSync(job, { recursive: true });
    const id = measured[0]?.experimentId ?? '';
    assert.equal(await promoted(bed, session, id, 'train.sh'), 'echo loss=5');
  });
});
