import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { describeEvent } from '../../../../src/agent/journal/describeEvent.ts';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { processesOf } from '../../../fakes/runProcesses.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import {
  eventsOf,
  eventually,
  testEngine,
  until,
  type TestEngine,
} from '../../../fakes/testEngine.ts';

const launch = (command: string) => [
  { name: 'remote_exec_background', input: { command, metric_names: ['loss'] } },
];
const wait = (run: number) => [
  {
    name: 'sleep',
    input: { reason: 'training', wake_conditions: [{ type: 'process_exit', run }] },
  },
];
const done = [
  {
    name: 'finish',
    input: { outcome: 'goal_met', summary: 'done', evidence: [{ run: 1, metric: 'loss' }] },
  },
];

const untilGo = 'while [ ! -e go ]; do sleep 0.02; done';
const go = ({ work }: TestEngine): Promise<void> => writeFile(path.join(work, 'go'), '');

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];

describe('resume', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  const resumed = async (session: Session, model: ScriptedModel): Promise<Session> => {
    assert.ok(bed);
    bed = await bed.restart(model);
    assert.deepEqual(await bed.engine.sessions.interrupted(), [session.id]);
    return bed.engine.sessions.resume(session.id);
  };

  /** What the model is told of having been interrupted. */
  const saidOnResuming = (session: Session): string[] =>
    eventsOf(session, 'message.added').flatMap(({ origin, text }) =>
      origin === 'resume' ? [text] : [],
    );

  it('tells of other limits only if they differ', async () => {
    bed = await testEngine(new ScriptedModel([launch(`${untilGo}; echo loss=0.5`), wait(1)]));
    const limits = { budget: { minutes: 90 } };
    const first = await bed.start(limits);
    await eventually(first, 'sleep.started');
    bed = await bed.restart(new ScriptedModel([]));
    await bed.engine.sessions.resume(first.id, limits);
    const titles = async (): Promise<readonly string[]> => {
      const session = await bed?.engine.sessions.resume(first.id);
      return eventsOf(session!, 'session.resumed').map(
        (event) => describeEvent(event, session!.state)?.title ?? '',
      );
    };
    assert.deepEqual(await titles(), ['Session resumed']);
    await bed.engine.sessions.resume(first.id, limits);
    await bed.engine.sessions.resume(first.id, { budget: { minutes: 120 } });
    assert.deepEqual(await titles(), [
      'Session resumed',
      'Session resumed',
      'Session resumed with other limits',
    ]);
  });

  it('goes on sleeping, and wakes at the end of a run that an earlier process launched', async () => {
    bed = await testEngine(new ScriptedModel([launch(`${untilGo}; echo loss=0.5`), wait(1)]));
    const first = await bed.start();
    await eventually(first, 'sleep.started');
    const model = new ScriptedModel([done]);
    const second = await resumed(first, model);
    assert.equal(second.state.phase, 'sleeping');
    await go(bed);
    assert.equal(await second.ended, 'goal');
    assert.equal(eventsOf(second, 'run.planned').length, 1);
    assert.equal(model.requests.length, 1);
    assert.deepEqual(saidOnResuming(second), [], 'it was not at work');
  });

  it('learns of a run that ended while nobody was there', async () => {
    bed = await testEngine(new ScriptedModel([launch(`${untilGo}; echo loss=0.5`), wait(1)]));
    const first = await bed.start();
    await eventually(first, 'sleep.started');
    await bed.engine.close();
    const [id] = first.state.runs.keys();
    assert.ok(id);
    await go(bed);
    await until(() => processesOf(id).length === 0);
    const second = await resumed(first, new ScriptedModel([done]));
    assert.equal(await second.ended, 'goal');
    assert.deepEqual(eventsOf(first, 'run.ended'), []);
    assert.equal(eventsOf(second, 'run.ended')[0]?.verdict.kind, 'ok');
  });

  it('does not launch twice when it stopped between plan and result', async () => {
    bed = await testEngine(new ScriptedModel([launch('echo x >> started; echo loss=0.5'), 'hang']));
    const first = await bed.start();
    await eventually(first, 'run.ended');
    await bed.engine.close();
    // As after a crash just before the result was written: the journal ends with the start of the
    // run.
    const file = path.join(bed.home, 'sessions', first.id, 'journal.jsonl');
    const lines = (await readFile(file, 'utf8')).split('\n');
    const cut = lines.findIndex((line) => line.includes('"run.started"'));
    await writeFile(file, lines.slice(0, cut).join('\n') + '\n{"v":1,"type":"run.star');
    const second = await resumed(first, new ScriptedModel([done]));
    assert.equal(await second.ended, 'goal');
    assert.equal(eventsOf(second, 'run.planned').length, 1);
    assert.equal((await readFile(path.join(bed.work, 'started'), 'utf8')).trim(), 'x');
    assert.equal(eventsOf(second, 'tool.finished')[0]?.isError, false);
    assert.equal((await readdir(path.join(bed.home, 'runs'))).length, 1);
  });

  it('starts a run that was planned and never started', async () => {
    bed = await testEngine(new ScriptedModel([launch('echo loss=0.5'), 'hang']));
    const first = await bed.start();
    await eventually(first, 'run.ended');
    await bed.engine.close();
    const file = path.join(bed.home, 'sessions', first.id, 'journal.jsonl');
    const lines = (await readFile(file, 'utf8')).split('\n');
    const cut = lines.findIndex((line) => line.includes('"tool.started"'));
    await writeFile(file, `${lines.slice(0, cut).join('\n')}\n`);
    const second = await resumed(first, new ScriptedModel([wait(1), done]));
    await eventually(second, 'run.ended');
    assert.equal(await second.ended, 'goal');
  });

  /** Shortens the journal to what precedes the first line with `text`, and adds the events. */
  const journalUntil = async (
    session: Session,
    text: string,
    events: readonly Readonly<Record<string, unknown>>[] = [],
  ): Promise<void> => {
    const file = path.join(session.folder, 'journal.jsonl');
    const lines = (await readFile(file, 'utf8')).split('\n');
    const end = lines.findIndex((line) => line.includes(text));
    const { at } = JSON.parse(lines[end] ?? '') as { readonly at: number };
    const more = events.map((event, index) =>
      JSON.stringify({ v: 1, id: `e-more-${index}`, at, ...event }),
    );
    await writeFile(file, [...lines.slice(0, end), ...more, ''].join('\n'));
  };

  it('repeats a call that had started if it only reads', async () => {
    bed = await testEngine(
      new ScriptedModel([[{ name: 'read_file', input: { file_path: 'notes' } }], 'hang']),
    );
    await writeFile(path.join(bed.work, 'notes'), 'the notes');
    const first = await bed.start();
    await eventually(first, 'tool.finished');
    await bed.engine.close();
    await journalUntil(first, '"tool.finished"');
    const second = await resumed(first, new ScriptedModel([quit]));
    assert.equal(await second.ended, 'blocked');
    const [read] = eventsOf(second, 'tool.finished');
    assert.match(read?.text ?? '', /the notes/);
    assert.equal(read?.isError, false);
  });

  it('stays paused, and does not execute the calls of the last reply', async () => {
    bed = await testEngine(
      new ScriptedModel([[{ name: 'remote_exec', input: { command: 'echo x >> ran' } }], 'hang']),
    );
    const first = await bed.start();
    await eventually(first, 'tool.finished');
    await bed.engine.close();
    const ran = path.join(bed.work, 'ran');
    await rm(ran);
    await journalUntil(first, '"tool.started"', [{ type: 'session.paused', by: 'user' }]);
    bed = await bed.restart(new ScriptedModel([]));
    const second = await bed.engine.sessions.resume(first.id);
    assert.equal(second.state.phase, 'paused');
    assert.match(eventsOf(second, 'tool.finished')[0]?.text ?? '', /^Interrupted/);
    assert.equal(existsSync(ran), false);
  });

  it('says that an interrupted command has no result, and does not repeat it', async () => {
    bed = await testEngine(
      new ScriptedModel([
        [{ name: 'remote_exec', input: { command: 'echo x >> ran; sleep 200' } }],
      ]),
    );
    const first = await bed.start();
    await eventually(first, 'tool.started');
    const ran = path.join(bed.work, 'ran');
    await until(() => existsSync(ran) && statSync(ran).size > 0);
    const journal = path.join(bed.home, 'sessions', first.id, 'journal.jsonl');
    const before = await readFile(journal, 'utf8');
    await bed.engine.close();
    await writeFile(journal, before);
    const model = new ScriptedModel([
      [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }],
    ]);
    const second = await resumed(first, model);
    assert.equal(await second.ended, 'blocked');
    assert.match(eventsOf(second, 'tool.finished')[0]?.text ?? '', /^Interrupted/);
    assert.equal(await readFile(ran, 'utf8'), 'x\n');
    const blocks = model.requests[0]?.messages.flatMap((message) =>
      message.content.map((block) => block.type),
    );
    assert.deepEqual(blocks, ['text', 'tool_call', 'tool_result', 'text']);
    assert.equal(saidOnResuming(second).length, 1);
  });

  it('drops a torn last line, says so, and writes on a line of its own', async () => {
    bed = await testEngine(new ScriptedModel(['hang']));
    const first = await bed.start();
    await eventually(first, 'model.requested');
    await bed.engine.close();
    const file = path.join(bed.home, 'sessions', first.id, 'journal.jsonl');
    await appendFile(file, '{"v":1,"type":"message.added","tex');
    assert.match((await bed.engine.sessions.read(first.id)).damage.join(), /is truncated/);
    const second = await resumed(
      first,
      new ScriptedModel([[{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }]]),
    );
    assert.equal(await second.ended, 'blocked');
    const reading = await bed.engine.sessions.read(first.id);
    assert.equal(reading.state.end?.reason, 'blocked');
  });

  it('keeps an event that a newer version wrote', async () => {
    bed = await testEngine(new ScriptedModel(['hang']));
    const first = await bed.start();
    await eventually(first, 'model.requested');
    await bed.engine.close();
    const file = path.join(bed.home, 'sessions', first.id, 'journal.jsonl');
    await appendFile(file, '{"v":7,"id":"e-new","at":1,"type":"dream.started","depth":3}\n');
    const second = await resumed(
      first,
      new ScriptedModel([[{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }]]),
    );
    assert.equal(await second.ended, 'blocked');
    assert.match(await readFile(file, 'utf8'), /dream\.started/);
  });

  it('does not ask again for what was allowed for the session', async () => {
    const write = [{ name: 'write_file', input: { path: 'a.txt', content: 'a' } }];
    let asked = 0;
    const approve = () => {
      asked += 1;
      return Promise.resolve('allow_session' as const);
    };
    bed = await testEngine(new ScriptedModel([write, 'hang']), {
      settings: { permissionMode: 'ask' },
      approve,
    });
    const first = await bed.start();
    await eventually(first, 'tool.finished');
    const second = await resumed(first, new ScriptedModel([write, quit]));
    assert.equal(await second.ended, 'blocked');
    assert.equal(asked, 1);
  });

  it('is once what is asked for twice at the same moment; nobody gets a session that has not begun', async () => {
    bed = await testEngine(new ScriptedModel(['hang']));
    const first = await bed.start();
    await eventually(first, 'model.requested');
    bed = await bed.restart(new ScriptedModel(['hang']));
    const { sessions } = bed.engine;
    const resuming = sessions.resume(first.id);
    while (sessions.open().length === 0) await new Promise((resolve) => setImmediate(resolve));
    const again = sessions.resume(first.id);
    assert.equal(
      sessions
        .open()[0]
        ?.events()
        .filter(({ type }) => type === 'session.resumed').length,
      0,
    );
    assert.equal(eventsOf(await again, 'session.resumed').length, 1);
    assert.equal(await again, await resuming);
    assert.equal(eventsOf(await sessions.resume(first.id), 'session.resumed').length, 1);
  });

  it('lets one process own a session', async () => {
    bed = await testEngine(new ScriptedModel(['hang']));
    const first = await bed.start();
    const other = await testEngine(new ScriptedModel(['hang']), { folder: path.dirname(bed.home) });
    assert.deepEqual(await other.engine.sessions.interrupted(), []);
    await assert.rejects(
      other.engine.sessions.resume(first.id),
      /in use by helios in a terminal \(process \d+/,
    );
    await other.engine.close();
  });

  it('lists sessions from an index that is made anew when it is damaged', async () => {
    bed = await testEngine(new ScriptedModel([launch('echo loss=0.5'), wait(1), done]));
    const session = await bed.start();
    await eventually(session, 'tool.finished', ({ name }) => name === 'finish');
    const [listed] = await bed.engine.sessions.list();
    assert.equal(listed?.best, 'loss 0.5');
    await bed.engine.close();
    await writeFile(path.join(bed.home, 'session-index.db'), 'garbage');
    bed = await bed.restart(new ScriptedModel([]));
    const [again] = await bed.engine.sessions.list();
    assert.deepEqual({ ...again }, { ...listed });
  });
});
