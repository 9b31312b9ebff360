import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { StreamEvent } from '../../../../src/agent/journal/events.ts';
import { fillDisk, type FullDisk } from '../../../fakes/fullDisk.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import {
  eventsOf,
  eventually,
  testEngine,
  until,
  type TestEngine,
} from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
const launch = (command: string) => [
  { name: 'remote_exec_background', input: { command, metric_names: ['loss'] } },
];
const waitFor = (condition: object) => [
  { name: 'sleep', input: { reason: 'training', wake_conditions: [condition] } },
];

describe('full disk', () => {
  let bed: TestEngine | undefined;
  let disk: FullDisk | undefined;
  afterEach(async () => {
    disk?.makeRoom();
    await bed?.dispose();
    bed = undefined;
  });

  const leases = async (): Promise<string[]> => {
    const folder = path.join(bed?.home ?? '', 'sessions');
    const ids = await readdir(folder).catch(() => []);
    const found = await Promise.all(
      ids.map(async (id) => (await readdir(path.join(folder, id))).join()),
    );
    return found.filter((names) => names.includes('lease'));
  };

  it('holds a session at work with a clear word, and without a call; it goes on by itself once there is room', async () => {
    const clock = new ManualClock();
    let fill = (): void => undefined;
    const filled = new Promise<void>((resolve) => (fill = resolve));
    const model = new ScriptedModel(async (_request, index) => {
      if (index === 0) return [{ name: 'list_machines', input: {} }];
      if (index > 1) return quit;
      disk = await fillDisk();
      fill();
      return [{ name: 'write_file', input: { path: 'a.txt', content: 'x' } }];
    });
    bed = await testEngine(model, { clock });
    const session = await bed.start();
    const streamed: StreamEvent[] = [];
    session.onDidStream((event) => streamed.push(event));
    const words = (): string => JSON.stringify(streamed.filter(({ type }) => type === 'notice'));
    await filled;
    await until(() =>
      /No space left to write .*journal\.jsonl.*waits, and continues as soon as/.test(words()),
    );
    await clock.advance(3_600_000);
    assert.equal(model.requests.length, 2);
    assert.equal(words().split('No space left').length, 2);
    disk?.makeRoom();
    // No longer than needed: the time limits of later calls are on this clock, too.
    while (!/can be written again/.test(words())) await clock.advance(5_000);
    assert.equal(await session.ended, 'blocked');
    await eventually(session, 'tool.finished', ({ name }) => name === 'finish');
    assert.equal(eventsOf(session, 'session.resumed').length, 0);
    assert.equal(eventsOf(session, 'model.replied').length, 3);
    assert.equal(
      eventsOf(session, 'tool.finished').every(({ isError }) => !isError),
      true,
    );
    assert.deepEqual((await bed.engine.sessions.read(session.id)).damage, []);
  });

  it('keeps what happens meanwhile in its order', async () => {
    const clock = new ManualClock();
    bed = await testEngine(new ScriptedModel([waitFor({ type: 'timer', seconds: 60 }), quit]), {
      clock,
    });
    const session = await bed.start();
    await eventually(session, 'sleep.started');
    await until(() => clock.pendingTimers > 2);
    disk = await fillDisk();
    await clock.advance(61_000);
    await clock.advance(60_000);
    assert.ok(session.state.sleep);
    disk.makeRoom();
    while (session.state.phase !== 'ended') await clock.advance(5_000);
    await eventually(session, 'tool.finished', ({ name }) => name === 'finish');
    const kept = session.events().map(({ type }) => type);
    assert.ok(kept.indexOf('sleep.ended') < kept.lastIndexOf('message.added'), kept.join());
    assert.deepEqual((await bed.engine.sessions.read(session.id)).events, session.events());
  });

  it('records the end of a run that came while there was no room', async () => {
    const clock = new ManualClock();
    const command = 'while [ ! -e go ]; do sleep 0.05; done; echo loss=1';
    bed = await testEngine(
      new ScriptedModel([launch(command), waitFor({ type: 'process_exit', run: 1 }), quit]),
      {
        clock,
      },
    );
    const session = await bed.start();
    await eventually(session, 'sleep.started');
    let isRefused = false;
    disk = await fillDisk((text) => (isRefused ||= text.includes('run.ended')));
    await writeFile(path.join(bed.work, 'go'), '');
    await until(() => isRefused);
    disk.makeRoom();
    while (session.state.phase !== 'ended') await clock.advance(5_000);
    assert.equal(eventsOf(session, 'run.ended').length, 1);
    assert.equal(eventsOf(session, 'run.ended')[0]?.verdict.kind, 'ok');
  });

  it('refuses at once what a user asks for, and lets go of the session that is to be stopped', async () => {
    bed = await testEngine(new ScriptedModel([waitFor({ type: 'timer', seconds: 600 }), quit]));
    const session = await bed.start();
    await eventually(session, 'sleep.started');
    disk = await fillDisk();
    await assert.rejects(session.say('hello'), /No space left/);
    await assert.rejects(session.pin('note'), /No space left/);
    await assert.rejects(session.stop(), /No space left/);
    disk.makeRoom();
    await session.stop();
    assert.equal(await session.ended, 'user');
  });

  it('ends the work that waits for room when it is stopped; it can be taken up again', async () => {
    const model = new ScriptedModel(async () => {
      disk = await fillDisk();
      return quit;
    });
    bed = await testEngine(model);
    const session = await bed.start();
    await new Promise<void>((resolve) =>
      session.onDidStream(({ type }) => {
        if (type === 'notice') resolve();
      }),
    );
    await assert.rejects(session.stop(), /No space left/);
    await until(() => bed?.engine.sessions.open().length === 0);
    while ((await leases()).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    disk?.makeRoom();
    bed = await bed.restart(new ScriptedModel([quit]));
    assert.equal(await (await bed.engine.sessions.resume(session.id)).ended, 'blocked');
  });

  it('leaves nothing open of a session that cannot begin', async () => {
    bed = await testEngine(new ScriptedModel([quit]));
    disk = await fillDisk((text) => text.includes('message.added'));
    await assert.rejects(bed.start(), /No space left/);
    assert.deepEqual(bed.engine.sessions.open(), []);
    assert.deepEqual(await leases(), []);
    disk.makeRoom();
    const [id] = await bed.engine.sessions.interrupted();
    assert.ok(id);
    const session = await bed.engine.sessions.resume(id);
    assert.equal(await session.ended, 'blocked');
    assert.deepEqual(
      eventsOf(session, 'message.added').map(({ origin }) => origin),
      ['goal'],
      'a model that was never asked is not told of a restart',
    );
  });

  it('does not keep a session from being closed and let go of', async () => {
    const model = new ScriptedModel(['hang']);
    bed = await testEngine(model);
    const session = await bed.start();
    await until(() => model.requests.length === 1);
    disk = await fillDisk();
    await bed.engine.close();
    assert.deepEqual(await leases(), []);
    disk.makeRoom();
    const next = new ScriptedModel([quit]);
    bed = await bed.restart(next);
    assert.equal(await (await bed.engine.sessions.resume(session.id)).ended, 'blocked');
  });

  it('does not turn a call that worked into a failed one when its long result cannot be kept', async () => {
    bed = await testEngine(
      new ScriptedModel([
        [
          {
            name: 'remote_exec',
            input: { command: 'echo begin; head -c 50000 /dev/zero | tr "\\0" x' },
          },
        ],
        quit,
      ]),
    );
    const results = (id: string): string =>
      path.join(bed?.home ?? '', 'sessions', id, 'attachments');
    const starting = bed.start();
    const session = await starting;
    await mkdir(path.dirname(results(session.id)), { recursive: true });
    await writeFile(results(session.id), 'a file where the folder should be').catch(() =>
      chmod(results(session.id), 0),
    );
    await session.ended;
    const [finished] = eventsOf(session, 'tool.finished');
    assert.equal(finished?.isError, false);
    assert.match(finished.text, /begin/);
    assert.equal(finished.fullPath, undefined);
  });
});
