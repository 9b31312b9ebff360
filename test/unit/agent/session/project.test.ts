import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { EngineSettings } from '../../../../src/agent/contract/settings.ts';
import type { GoalRequest, Session } from '../../../../src/agent/contract/sessions.ts';
import { UserFacing } from '../../../../src/base/errors.ts';
import { allowProject } from '../../../fakes/allowProject.ts';
import { TestProxy } from '../../../fakes/httpProxy.ts';
import { notifySite, type NotifySite } from '../../../fakes/notifySite.ts';
import { ScriptedModel, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'enough' } }];
const launch = (input: object) => [{ name: 'remote_exec_background', input }];
const waitFor = (run: number) => [
  { name: 'sleep', input: { reason: 'runs', wake_conditions: [{ type: 'process_exit', run }] } },
];

describe('a session in a project', () => {
  let bed: TestEngine | undefined;
  let site: NotifySite;
  let proxy: TestProxy;
  before(async () => {
    site = await notifySite();
    proxy = await TestProxy.start({
      hosts: { 'hooks.helios.test': Number(new URL(site.url).port) },
    });
  });
  after(async () => {
    await proxy.close();
    await site.close();
  });
  beforeEach(() => void (site.calls.length = 0));
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  async function begin(
    project: object | string,
    script: readonly ScriptedReply[],
    {
      settings = {},
      request = {},
    }: { settings?: Partial<EngineSettings>; request?: Partial<GoalRequest> } = {},
  ): Promise<{ session: Session; model: ScriptedModel }> {
    const folder = mkdtempSync(path.join(tmpdir(), 'helios-project-'));
    const model = new ScriptedModel(script);
    bed = await testEngine(model, { folder, settings: { proxy: proxy.url, ...settings } });
    writeFileSync(
      path.join(bed.work, 'helios.json'),
      typeof project === 'string' ? project : JSON.stringify(project),
    );
    if (typeof project === 'object') await allowProject(bed.home, bed.work);
    return { session: await bed.start(request), model };
  }
  const told = (): { event: string; title: string; run?: string; metrics?: object }[] =>
    site.calls.map(({ body }) => JSON.parse(body) as { event: string; title: string });
  const webhook = () => ({ type: 'webhook', url: 'http://hooks.helios.test/hook' });

  it('tells of the events that were documented', async () => {
    const { session } = await begin(
      {
        metricNames: ['loss'],
        notifications: { channels: [webhook()], events: ['experiment_complete', 'error'] },
      },
      [launch({ command: 'echo loss=0.5; echo other=1' }), waitFor(1), quit],
    );
    await session.ended;
    await site.taken(1);
    const [first] = told();
    assert.deepEqual(
      [first?.event, first?.title, first?.run],
      ['experiment_complete', 'Run 1: ok', 'run 1'],
    );
    assert.deepEqual(first?.metrics, { loss: 0.5 });
  });

  it('tells of runs that failed and of the end, and not again after a restart', async () => {
    const { session } = await begin(
      { notifications: { channels: [webhook()], events: ['task_failed', 'session_ended'] } },
      [launch({ command: 'exit 3' }), waitFor(1), quit],
    );
    await session.ended;
    await site.taken(2);
    assert.deepEqual(
      told().map(({ event, title }) => [event, title]),
      [
        ['task_failed', 'Run 1: failed (exit code 3)'],
        ['session_ended', 'Blocked'],
      ],
    );
    bed = await bed?.restart(new ScriptedModel([]));
    await bed?.engine.sessions.resume(session.id);
    await bed?.engine.close();
    assert.equal(site.calls.length, 2);
  });

  it('loses no session by a channel that fails', async () => {
    const { session } = await begin(
      {
        notifications: {
          channels: [{ type: 'webhook', url: 'http://127.0.0.1:1/' }, { type: 'desktop' }],
        },
      },
      [quit],
    );
    assert.equal(await session.ended, 'blocked');
  });

  it('does not begin with a file that is broken', async () => {
    await assert.rejects(
      begin('{"model": ', [quit]),
      (error) => error instanceof UserFacing && /helios\.json:1:/.test(error.message),
    );
    assert.deepEqual(await bed?.engine.sessions.list(), []);
  });

  it('reads the metrics that it names, by patterns before names and beside those of a launch', async () => {
    const { session } = await begin(
      { metricNames: ['acc'], metricPatterns: { loss: 'Loss:\\s+([\\d.]+)' } },
      [
        launch({ command: 'echo Loss: 0.5' }),
        launch({ command: 'echo other', metric_names: ['ppl'] }),
        [{ name: 'show_metrics', input: {} }],
        quit,
      ],
    );
    await session.ended;
    const metrics = eventsOf(session, 'run.planned').map(({ spec }) => spec.metrics);
    const patterns = { loss: 'Loss:\\s+([\\d.]+)' };
    assert.deepEqual(metrics, [{ patterns }, { names: ['ppl'], patterns }]);
    // The patterns are for launches: the tool that shows metrics reads no output again for them.
    const shown = eventsOf(session, 'tool.finished').find(({ name }) => name === 'show_metrics');
    assert.equal(shown?.isError, false);
  });

  it('runs on its machine unless a call names another, and says so to the model', async () => {
    const { session, model } = await begin(
      { defaultMachine: 'local', instructions: 'Use pl.Trainer.' },
      [launch({ command: 'true' }), quit],
    );
    await session.ended;
    const [request] = model.requests;
    const tool = request?.tools.find(({ name }) => name === 'remote_exec');
    // With one machine, calls need not name it.
    assert.doesNotMatch(JSON.stringify(tool?.inputSchema), /machine_id/);
    assert.match(JSON.stringify(request?.system), /Use pl\.Trainer\./);
  });

  it('does not begin with a machine that is not there', async () => {
    await assert.rejects(
      begin({ defaultMachine: 'gpu9' }, [quit]),
      /names the default machine gpu9, which does not exist/,
    );
  });

  const models: readonly (readonly [
    name: string,
    project: object,
    request: Partial<GoalRequest>,
    model: string,
  ])[] = [
    ['the one that it names', { model: 'big-1' }, {}, 'big-1'],
    [
      'that one of the provider that the user names too',
      { model: 'big-1' },
      { provider: 'demo' },
      'big-1',
    ],
    ['the one that the user names', { model: 'big-1' }, { model: 'scripted-1' }, 'scripted-1'],
    [
      'the default of another provider, which its own does not belong to',
      { provider: 'openai', model: 'gpt-9' },
      { provider: 'demo' },
      'scripted-1',
    ],
  ];
  for (const [name, project, request, model] of models)
    it(`works with ${name}`, async () => {
      const { session } = await begin(project, [quit], { request });
      assert.deepEqual([session.state.provider, session.state.model], ['demo', model]);
      await session.ended;
    });

  const budgets: readonly (readonly [string, object, Partial<GoalRequest>, object])[] = [
    [
      'the file alone',
      { usd: 2, experiment: { turns: 9 } },
      {},
      { usd: 2, experiment: { turns: 9 } },
    ],
    ['the user before all', { turns: 20 }, { budget: { turns: 50 } }, { turns: 50 }],
    [
      'the tighter of settings and file',
      { turns: 20, minutes: 90 },
      { defaultBudget: { turns: 30, minutes: 60 } },
      { turns: 20, minutes: 60 },
    ],
  ];
  for (const [name, budget, request, expected] of budgets)
    it(`is limited by ${name}`, async () => {
      const { session } = await begin({ budget }, [quit], {
        request,
        settings: { prices: { 'scripted/scripted': { input: 1, output: 1 } } },
      });
      await session.ended;
      assert.deepEqual(session.state.budget, expected);
    });

  it('narrows what the user allowed', async () => {
    const { session } = await begin({ permissions: { mode: 'ask' } }, [
      launch({ command: 'true' }),
      quit,
    ]);
    await session.ended;
    assert.equal(eventsOf(session, 'run.planned').length, 0);
    assert.equal(eventsOf(session, 'permission.decided')[0]?.isAllowed, false);
    const [started] = eventsOf(session, 'session.started');
    assert.equal(started?.permissions?.mode, 'ask');
    assert.match(
      started.permissions.note ?? '',
      /^Permission mode ask instead of allow: .*json nar/,
    );
  });
});
