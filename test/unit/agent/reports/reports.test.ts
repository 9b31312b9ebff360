import assert from 'node:assert/strict';
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { UserFacing } from '../../../../src/base/errors.ts';
import { GitRepo } from '../../../fakes/gitRepo.ts';
import { ScriptedModel, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import {
  eventsOf,
  testEngine,
  until,
  type TestEngine,
  type TestEngineOptions,
} from '../../../fakes/testEngine.ts';

const train = 'for i in 1 2 3; do echo "step=$i loss=0.$((9 - i))"; done';
const launch = [
  {
    name: 'remote_exec_background',
    input: { command: train, metric_names: ['loss'], label: 'small' },
  },
];
const wait = [
  {
    name: 'sleep',
    input: {
      reason: 'it trains',
      wake_conditions: [{ type: 'process_exit', run: 1 }],
      deadline_minutes: 1,
    },
  },
];
const blocked = { outcome: 'blocked', summary: 'no data' };
const finish = [
  {
    name: 'finish',
    input: {
      outcome: 'goal_met',
      summary: 'loss 0.6, soon 0.05.',
      evidence: [{ run: '1', metric: 'loss' }],
    },
  },
];

describe('reports of a session', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  async function night(script: readonly ScriptedReply[], options: TestEngineOptions = {}) {
    bed = await testEngine(new ScriptedModel(script), options);
    const session = await bed.start({ goal: 'bring loss < 0.7' });
    await session.ended;
    return { session, bed, reports: bed.engine.reports };
  }

  it('writes the brief with its charts when a session ends that made a run', async () => {
    const { session, bed, reports } = await night([launch, wait, finish, finish]);
    const written = await reports.afterEnd(session.id);
    assert.ok(written);
    assert.ok(written.file.startsWith(path.join(bed.work, 'helios-reports')), written.file);
    const text = await readFile(written.file, 'utf8');
    assert.match(text, /\*\*Goal met: loss [\d.]+ [\\<= ]+[\d.]+\*\*/);
    assert.match(text, /\*\*loss 0\.6\*\*: \[run 1\]\(runs\.md#run-1\)/);
    assert.match(text, /> loss 0\.6, soon 0\.05 \*\(not measured\)\*\./);
    const [, chart = ''] = /!\[[^\]]*\]\((charts\/[\w-]+\.svg)\)/.exec(text) ?? [];
    assert.match(await readFile(path.join(path.dirname(written.file), chart), 'utf8'), /^<svg /);
    assert.equal(await reports.find(session.id), written.file);
    assert.match(text, new RegExp(`helios share ${session.id}`));
    assert.match(await reports.page(session.id), /<figure><svg /);
    const runs = await readFile(path.join(path.dirname(written.file), 'runs.md'), 'utf8');
    const [, output = ''] = /`([^`]+output\.log)`/.exec(runs) ?? [];
    assert.match(await readFile(output, 'utf8'), /loss=0\.6/);
  });

  it('names changes in a worktree that were neither committed nor launched', async () => {
    const branch = [{ name: 'exp_branch', input: { experiment_name: 'wide' } }];
    bed = await testEngine(new ScriptedModel([branch, [{ name: 'finish', input: blocked }]]));
    GitRepo.create(bed.work);
    const session = await bed.start({ goal: 'bring loss < 0.7' });
    await session.ended;
    assert.doesNotMatch(await bed.engine.reports.brief(session.id), /not committed/);
    const folder = path.join(bed.home, 'worktrees', session.id, 'wide');
    await writeFile(path.join(folder, 'new.py'), 'x = 1\n');
    assert.match(
      await bed.engine.reports.brief(session.id),
      /^- 1 file of branch wide is not committed, .*wide` on local/m,
    );
  });

  it('writes none where no run was made, or where none is wanted', async () => {
    const end = [{ name: 'finish', input: blocked }];
    const { session, bed, reports } = await night([end]);
    assert.equal(await reports.afterEnd(session.id), undefined);
    assert.deepEqual(await readdir(bed.work), []);
    await bed.dispose();
    const never = await night([launch, wait, finish, finish], { settings: { report: 'never' } });
    assert.equal(await never.reports.afterEnd(never.session.id), undefined);
    assert.equal(await never.reports.find(never.session.id), undefined);
  });

  it('tells later of runs that end after their session', async () => {
    const { session, bed, reports } = await night([
      [
        {
          name: 'remote_exec_background',
          input: { command: 'while [ ! -e go ]; do sleep 0.02; done; echo loss=0.25' },
        },
      ],
      [{ name: 'finish', input: { outcome: 'blocked', summary: 'I wait for you.' } }],
    ]);
    const first = await reports.afterEnd(session.id);
    const runs = path.join(path.dirname(first?.file ?? ''), 'runs.md');
    assert.match(await readFile(runs, 'utf8'), /\| running \|/);
    await writeFile(path.join(bed.work, 'go'), '');
    await until(() => eventsOf(session, 'run.ended').length === 1);
    const second = await reports.afterEnd(session.id);
    assert.equal(second?.file, first?.file);
    assert.match(await readFile(runs, 'utf8'), /\| ok \|/);
  });

  it('gives the brief of a session that another process worked on, and writes it on request', async () => {
    const { session, bed } = await night([launch, wait, finish, finish], {
      settings: { report: 'never' },
    });
    const again = await bed.restart(new ScriptedModel([]));
    try {
      assert.match(await again.engine.reports.brief(session.id), /\*\*loss 0\.6\*\*: \[run 1\]/);
      assert.deepEqual((await readdir(again.work)).includes('helios-reports'), false);
      const { file } = await again.engine.reports.write(session.id);
      assert.match(
        await readFile(file, 'utf8'),
        /!\[loss of run 1\]\(charts\/loss\.svg\)/,
        'points are read from the files',
      );
    } finally {
      await again.dispose();
    }
  });

  it('asks the model once for its account of an ended session, from the facts alone', async () => {
    const account = '| run | loss |\n|---|---|\n| run 1 | 0.6 |';
    const model = new ScriptedModel([launch, wait, finish, finish, account]);
    bed = await testEngine(model);
    const session = await bed.start({ goal: 'bring loss < 0.7' });
    await session.ended;
    await session.writeAccount();
    const { reports } = bed.engine;
    const request = model.requests.at(-1);
    assert.deepEqual(request?.tools, []);
    assert.match(JSON.stringify(request?.messages), /bring loss .{0,6} 0\.7.*\*\*loss 0\.6\*\*/);
    const { file } = await reports.writeup(session.id);
    assert.match(
      await readFile(file, 'utf8'),
      /> \| run \| loss \|\n> \|---\|---\|\n> \| run 1 \| 0\.6 \|/,
    );
    assert.deepEqual(
      eventsOf(session, 'model.consulted').map(({ purpose }) => purpose),
      ['account'],
    );
  });

  it('says why there is no account, and writes the reports without it', async () => {
    const failed = {
      reply: { failure: { reason: 'auth' as const, message: 'No key.' }, content: [] },
    };
    const { session, reports } = await night([
      launch,
      wait,
      finish,
      finish,
      failed as ScriptedReply,
    ]);
    await assert.rejects(
      session.writeAccount(),
      (error: unknown) =>
        error instanceof UserFacing &&
        /The account was not written: .*No key\./.test(error.message),
    );
    assert.match(await readFile((await reports.writeup(session.id)).file, 'utf8'), /## Champion/);
  });

  it('takes secrets out of what it writes', async () => {
    const key = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';
    const said = [
      { name: 'finish', input: { outcome: 'blocked', summary: `The key ${key} does not work.` } },
    ];
    const { session, reports } = await night([launch, wait, said]);
    const file = (await reports.afterEnd(session.id))?.file ?? '';
    assert.match(await readFile(file, 'utf8'), /The key ⟨secret [a-f\d]{8}⟩ does not work/);
    assert.doesNotMatch(await reports.brief(session.id), new RegExp(key));
  });

  it('takes secrets and home folders out of a page for others', async () => {
    const key = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';
    const secret = `OPENAI_API_KEY=PLANTED ${homedir()}/data /home/ada/data`;
    // Short texts are cut, which must not leave a part of a key that nothing recognizes.
    const long = `${'x'.repeat(150)} PLANTED ${'y'.repeat(70)} PLANTED PLANTED`;
    const command = `echo "${secret}"; ${train}; echo "${long}"; exit 1`;
    const [call] = launch;
    const planned = { ...call?.input, command, label: secret, hypothesis: long };
    const said = [{ name: 'finish', input: { outcome: 'blocked', summary: `${secret} ${long}` } }];
    const model = new ScriptedModel([
      [{ name: 'remote_exec_background', input: planned }],
      wait,
      said,
    ]);
    bed = await testEngine(model);
    const session = await bed.start({ goal: `bring loss < 0.7 with ${secret}` });
    await session.ended;
    // As an older version may have recorded it, which did not know the key.
    await bed.engine.close();
    const journal = path.join(bed.home, 'sessions', session.id, 'journal.jsonl');
    const recorded = await readFile(journal, 'utf8');
    await writeFile(journal, recorded.replaceAll('PLANTED', key));
    bed = await bed.restart(new ScriptedModel([]));
    const page = await bed.engine.reports.page(session.id);
    assert.ok((page.match(/⟨secret [a-f\d]{8}⟩/g)?.length ?? 0) > 5);
    assert.deepEqual(page.match(/.{0,80}(?:sk-ant|abcdefghij|\/home\/ada).{0,80}/g), null);
    assert.ok(!page.includes(`${homedir()}/`) && page.includes('~/data'));
  });

  it('lets the model write its account, and tells it which numbers were not measured', async () => {
    const account = [
      { name: 'writeup', input: { notes: 'It fell to 0.6.\n\nWith more data: 0.05 and 0.05.' } },
    ];
    const { session, reports } = await night([launch, wait, account, finish, finish]);
    const [result] = eventsOf(session, 'tool.finished').filter(({ name }) => name === 'writeup');
    const { file, not_measured: unmeasured } = JSON.parse(result?.text ?? '') as {
      file: string;
      not_measured: string[];
    };
    assert.deepEqual(unmeasured, ['0.05']);
    assert.deepEqual(result?.changedFiles, [file]);
    assert.match(
      await readFile(file, 'utf8'),
      /> It fell to 0\.6\.\n>\n> With more data: 0\.05† and 0\.05†\.\n\n† Not measured by any run: 0\.05\n/,
    );
    await rm(file);
    const again = await reports.writeup(session.id);
    assert.equal(again.file, file);
    assert.match(
      await readFile(file, 'utf8'),
      /It fell to 0\.6/,
      'without a model, its last account stands',
    );
  });

  it('says that the work folder is gone, and goes on', async () => {
    const { session, bed, reports } = await night([launch, wait, finish, finish]);
    await reports.afterEnd(session.id);
    await rm(bed.work, { recursive: true });
    await assert.rejects(reports.write(session.id), { reason: 'user' });
    assert.match(await reports.brief(session.id), /\*\*Goal met: loss [\d.]+ [\\<= ]+[\d.]+\*\*/);
  });

  it('writes one after the other, and is done when the engine has closed', async () => {
    const { session, bed, reports } = await night([launch, wait, finish, finish]);
    const written = await Promise.all([
      reports.write(session.id),
      reports.write(session.id),
      reports.writeup(session.id),
    ]);
    const folder = path.dirname(written[0].file);
    await bed.engine.close();
    assert.deepEqual((await readdir(folder)).sort(), [
      'brief.md',
      'charts',
      'runs.md',
      'writeup.md',
    ]);
  });

  it('knows no session that is not there', async () => {
    const { reports } = await night([launch, wait, finish, finish]);
    await assert.rejects(reports.brief('s-000000000aaaaaa' as never));
  });
});
