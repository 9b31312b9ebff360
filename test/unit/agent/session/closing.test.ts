import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { settled } from '../../../fakes/settled.ts';
import {
  eventsOf,
  eventually,
  testEngine,
  until,
  type TestEngine,
} from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];

describe('closing', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  it('leaves nothing behind that keeps a process alive: a sleep, a run, a monitor, notes', async () => {
    const script = `
      import { testEngine, eventually, until } from ${JSON.stringify(path.resolve('test/fakes/testEngine.ts'))};
      import { processesOf } from ${JSON.stringify(path.resolve('test/fakes/runProcesses.ts'))};
      import { LocalMachine } from ${JSON.stringify(path.resolve('src/machines/local/localMachine.ts'))};
      import { ScriptedModel } from ${JSON.stringify(path.resolve('test/fakes/scriptedModel.ts'))};
      process.stdout.write('');
      process.stderr.write('');
      const before = process.getActiveResourcesInfo().sort();
      const bed = await testEngine(new ScriptedModel([
        [{ name: 'remote_exec_background', input: { command: 'while [ ! -e stop ]; do echo loss=1; sleep 0.1; done' } },
         { name: 'memory_write', input: { path: '/a', gist: 'b' } },
         { name: 'start_monitor', input: { goal: 'watch' } }],
        [{ name: 'sleep', input: { reason: 'x', wake_conditions: [
          { type: 'timer', minutes: 60 }, { type: 'file', path: 'never', mode: 'exists' },
          { type: 'metric', metric_name: 'loss', comparator: '<', threshold: 0 } ] } }],
      ]));
      const session = await bed.start({ budget: { minutes: 600 } });
      await eventually(session, 'sleep.started');
      await bed.engine.sessions.list();
      const runs = bed.engine.runs.all();
      await until(() => runs[0].metrics.summary('loss') !== undefined);
      await bed.engine.close();
      // All of this process ask this computer in turn: once this is answered, so is what was under way.
      await new LocalMachine({ runsFolder: bed.home, workFolder: bed.home }).query(':');
      await new Promise((resolve) => setImmediate(resolve));
      const leftNow = () => {
        // Requests come back by themselves; timers, watches and processes do not.
        const left = process.getActiveResourcesInfo().filter((name) => !name.startsWith('FSReq'));
        for (const one of before) if (left.includes(one)) left.splice(left.indexOf(one), 1);
        return left;
      };
      // The deadline of a question that was under way may have seconds left.
      for (let tries = 0; tries < 100 && leftNow().length > 0; tries += 1)
        await new Promise((resolve) => setTimeout(resolve, 100));
      const left = leftNow();
      console.log(JSON.stringify({ left, runs: runs.length, events: session.events().map((event) => event.type) }));
      const { writeFileSync, rmSync } = await import('node:fs');
      writeFileSync(bed.work + '/stop', '');
      process.on('exit', () => rmSync(bed.home + '/..', { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
      await until(() => processesOf(runs[0].spec.id).length === 0);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const [code] = (await once(child, 'exit')) as [number | null];
    assert.equal(code, 0);
    const { left, runs, events } = JSON.parse(said) as {
      left: string[];
      runs: number;
      events: string[];
    };
    assert.equal(runs, 1);
    assert.ok(events.includes('sleep.started'));
    assert.deepEqual(left, []);
  });

  it('records nothing more, also of a wake, a reply and a run that come at that moment', async () => {
    const clock = new ManualClock();
    bed = await testEngine(
      new ScriptedModel([
        [
          {
            name: 'sleep',
            input: { reason: 'x', wake_conditions: [{ type: 'timer', seconds: 60 }] },
          },
        ],
        quit,
      ]),
      { clock },
    );
    const session = await bed.start();
    await eventually(session, 'sleep.started');
    await until(() => clock.pendingTimers > 2);
    const advancing = clock.advance(61_000);
    await bed.engine.close();
    await advancing;
    const file = path.join(session.folder, 'journal.jsonl');
    const text = await readFile(file, 'utf8');
    await settled(session.folder);
    assert.equal(await readFile(file, 'utf8'), text);
    assert.equal(clock.pendingTimers, 0);
    bed = await bed.restart(new ScriptedModel([quit]));
    const again = await bed.engine.sessions.resume(session.id);
    await until(() => {
      void clock.advance(1_000);
      return again.state.phase === 'ended';
    });
    assert.equal(await again.ended, 'blocked');
    assert.equal(eventsOf(again, 'sleep.ended').length, 1);
  });

  it('leaves a launch open that was planned and not made: whoever takes the session up makes it', async () => {
    const launch = {
      name: 'remote_exec_background',
      input: { command: 'echo x >> ran; echo loss=1' },
    };
    const script = [[launch], 'hang'] as const;
    bed = await testEngine(new ScriptedModel(script));
    const session = await bed.start();
    const closed = Promise.withResolvers<void>();
    session.onDidRecord(({ type }) => {
      if (type === 'run.planned') closed.resolve(bed?.engine.close());
    });
    await closed.promise;
    assert.deepEqual(
      [...eventsOf(session, 'run.not_started'), ...eventsOf(session, 'tool.finished')],
      [],
    );
    bed = await bed.restart(new ScriptedModel(['hang']));
    const again = await bed.engine.sessions.resume(session.id);
    await eventually(again, 'run.ended');
    assert.deepEqual(
      again.ledger.rows.map(({ number }) => number),
      [1],
    );
    assert.equal(eventsOf(again, 'run.planned').length, 1);
    assert.equal(eventsOf(again, 'experiment.planned').length, 1);
    assert.equal(await readFile(path.join(bed.work, 'ran'), 'utf8'), 'x\n');
  });

  it('refuses what comes afterwards, in words for a user', async () => {
    bed = await testEngine(new ScriptedModel(['hang']));
    const session = await bed.start();
    await bed.engine.close();
    await assert.rejects(session.say('hello?'), /no longer open here/);
    await assert.rejects(bed.start(), /closing/);
    await session.interrupt().catch(() => undefined);
    assert.deepEqual(bed.engine.sessions.open(), []);
  });

  it('lets go of a session that was still starting', async () => {
    const model = new ScriptedModel(['hang']);
    bed = await testEngine(model);
    const starting = bed.start().then(
      () => 'started',
      () => 'refused',
    );
    await bed.engine.close();
    await starting;
    bed = await bed.restart(new ScriptedModel([quit]));
    for (const id of await bed.engine.sessions.interrupted())
      assert.equal(await (await bed.engine.sessions.resume(id)).ended, 'blocked');
  });

  it('writes nothing into a journal that another process has taken over', async () => {
    const clock = new ManualClock();
    const model = new ScriptedModel(['hang']);
    bed = await testEngine(model, { clock });
    const session = await bed.start();
    await until(() => model.requests.length === 1 && session.state.phase === 'thinking');
    const file = path.join(session.folder, 'journal.jsonl');
    const text = await readFile(file, 'utf8');
    await writeFile(
      path.join(session.folder, 'lease.json'),
      JSON.stringify({ token: 'other', pid: 1, processStart: '1', host: 'elsewhere' }),
    );
    while (bed.engine.sessions.open().length > 0) {
      await clock.advance(6_000);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await settled(session.folder);
    assert.equal(await readFile(file, 'utf8'), text);
    assert.match(await readFile(path.join(session.folder, 'lease.json'), 'utf8'), /other/);
    assert.equal(session.state.end, undefined);
    await rm(path.join(session.folder, 'lease.json'));
  });

  it('gives two who take a session up at once the same one', async () => {
    bed = await testEngine(new ScriptedModel(['hang']));
    const { id } = await bed.start();
    bed = await bed.restart(new ScriptedModel(['hang']));
    const [one, other] = await Promise.all([
      bed.engine.sessions.resume(id),
      bed.engine.sessions.resume(id),
    ]);
    assert.equal(one, other);
    assert.equal(eventsOf(one, 'session.resumed').length, 1);
  });

  it('takes a new limit for a session that is open already', async () => {
    bed = await testEngine(new ScriptedModel([[{ name: 'list_machines', input: {} }], quit]));
    const session = await bed.start({ budget: { turns: 1 } });
    assert.equal(await session.ended, 'budget');
    const again = await bed.engine.sessions.resume(session.id, { budget: { turns: 5 } });
    assert.equal(again.state.budget.turns, 5);
    await again.say('go on');
    assert.equal(await again.ended, 'blocked');
  });
});
