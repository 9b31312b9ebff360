import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'mocha';
import * as z from 'zod';
import { act, type ActDeps } from '../../../../src/agent/loop/act.ts';
import { asks } from '../../../../src/permissions/commands/verdicts/verdict.ts';
import type { SessionEvent } from '../../../../src/agent/journal/events.ts';
import { Closing } from '../../../../src/agent/journal/closing.ts';
import { ToolFailure } from '../../../../src/base/errors.ts';
import type { SessionId } from '../../../../src/base/ids.ts';
import { AttachmentFiles } from '../../../../src/storage/attachmentFiles.ts';
import { usualPaths } from '../../../../src/permissions/pathRules.ts';
import { Redactor } from '../../../../src/base/secrets/redactor.ts';
import { unknownFate } from '../../../../src/agent/context/history.ts';
import { silentLogger } from '../../../../src/base/logger.ts';
import type { ToolCallBlock } from '../../../../src/models/model.ts';
import { createGate } from '../../../../src/permissions/gate.ts';
import { defineTool, type Effect, type ToolResult } from '../../../../src/tools/tool.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';

type Finished = Extract<SessionEvent, { type: 'tool.finished' }>;

const call = (name: string, id = name): ToolCallBlock => ({
  type: 'tool_call',
  id,
  name,
  input: {},
});
const moment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const judge = () => Promise.resolve(asks('runs code', ''));

describe('calls of a reply', () => {
  const folder = scratchFolder();
  const keptFolder = (): string => join(folder(), 'attachments');
  let clock: ManualClock;
  let events: SessionEvent[];
  let made: string[];
  let faults: string[];
  let isOver: boolean;
  let mode: 'ask' | 'allow';
  beforeEach(() => {
    clock = new ManualClock();
    [events, made, faults, isOver, mode] = [[], [], [], false, 'allow'];
  });

  const toolOf = (name: string, effect: Effect, execute: () => Promise<ToolResult>) =>
    defineTool({
      ...{ name, description: name, effect, parameters: z.strictObject({}), describe: () => name },
      isOwnData: name === 'monitor',
      endsTurn: name === 'finish' || name === 'sleep',
      execute() {
        made.push(name);
        return execute();
      },
    });
  type Work = Readonly<
    Record<string, readonly [effect: Effect, execute: () => Promise<ToolResult>]>
  >;
  const depsOf = (work: Work): ActDeps => ({
    sessionId: 's-1' as SessionId,
    tools: new Map(
      Object.entries(work).map(
        ([name, [effect, execute]]) => [name, toolOf(name, effect, execute)] as const,
      ),
    ),
    gate: createGate({ judge, mode: () => mode, ask: () => Promise.resolve('deny'), clock }),
    clock,
    logger: { ...silentLogger, error: (text: string | Error) => void faults.push(String(text)) },
    secrets: new Redactor(),
    paths: usualPaths,
    files: new AttachmentFiles(keptFolder()),
    fate: () => Promise.resolve(unknownFate),
    warned: (result) => Promise.resolve(result),
    record: (event) => Promise.resolve(void events.push(event)),
    edits: { begin: () => Promise.resolve({ end: () => Promise.resolve() }) },
    show: () => undefined,
    isOver: () => isOver,
  });
  const never = new AbortController().signal;
  const finished = (): Finished[] =>
    events.filter((event): event is Finished => event.type === 'tool.finished');
  const textOf = (callId: string): string | undefined =>
    finished().find((event) => event.callId === callId)?.text;
  const ok = (content: ToolResult['content'] = 'ok') => Promise.resolve({ content });

  for (const name of ['finish', 'sleep'])
    it(`are not made after ${name}, not even those that only read`, async () => {
      const end = (): Promise<ToolResult> => {
        isOver = true;
        return ok();
      };
      const deps = depsOf({ [name]: ['read', end], look: ['read', ok], write: ['write', ok] });
      await act([call('look', 'c1'), call(name), call('look', 'c2'), call('write')], deps, never);
      assert.deepEqual(made, ['look', name]);
      const why = 'Not executed: an earlier call of this reply ended the turn.';
      assert.deepEqual(['c1', name, 'c2', 'write'].map(textOf), ['ok', 'ok', why, why]);
      assert.deepEqual(
        finished().map(({ isError }) => isError),
        [false, false, true, true],
      );
    });

  it('are made side by side where neighbours read, and one by one where they do anything else', async () => {
    let going = 0;
    const seen: string[] = [];
    const work = (name: string) => async (): Promise<ToolResult> => {
      going += 1;
      for (let round = 0; round < 5; round += 1) await moment();
      seen.push(`${name} of ${going}`);
      going -= 1;
      return { content: 'ok' };
    };
    const deps = depsOf({
      look: ['read', work('look')],
      write: ['write', work('write')],
      monitor: ['read', work('monitor')],
    });
    const names = ['look', 'look', 'look', 'write', 'write', 'monitor', 'monitor', 'look'];
    await act(
      names.map((name, index) => call(name, `c${index}`)),
      deps,
      never,
    );
    assert.deepEqual(seen, [
      'look of 3',
      'look of 2',
      'look of 1',
      'write of 1',
      'write of 1',
      'monitor of 1',
      'monitor of 1',
      'look of 1',
    ]);
    assert.equal(finished().length, names.length);
  });

  it('keep in a file what is longer than the model is shown, whole, and nothing else', async () => {
    const long = `${Array.from({ length: 6_000 }, (_, line) => `${line}`).join('\n')}end`;
    const deps = depsOf({
      fits: ['read', () => ok('x'.repeat(24_000))],
      long: ['read', () => ok(long)],
    });
    await act([call('fits'), call('long', '../c:1')], deps, never);
    assert.equal(textOf('fits'), 'x'.repeat(24_000));
    assert.equal(finished()[0]?.fullPath, undefined);
    const [, kept] = finished();
    const name = `${createHash('sha256').update(long).digest('hex')}.txt`;
    assert.deepEqual(readdirSync(keptFolder()), [name]);
    assert.equal(kept?.fullPath, join(keptFolder(), name));
    assert.equal(readFileSync(kept.fullPath, 'utf8'), long);
    assert.ok(kept.text.length < 24_500, `${kept.text.length}`);
    assert.ok(kept.text.startsWith('0\n1\n') && kept.text.endsWith('5999end'));
    assert.match(
      kept.text,
      /\d+ characters left out; the whole is in .*[0-9a-f]{64}\.txt, for read_file/,
    );
  });

  it('keep what they show in files, before the journal names them', async () => {
    const bytes = Buffer.from([0, 1, 255]);
    const attachment = {
      type: 'attachment',
      mediaType: 'image/gif',
      name: 'a.gif',
      base64: 'AAH/',
    } as const;
    const deps = depsOf({
      look: ['read', () => Promise.resolve({ content: 'seen', attachments: [attachment] })],
    });
    const there: (readonly string[])[] = [];
    const record = (event: SessionEvent): Promise<void> => {
      if (event.type === 'tool.finished') there.push(readdirSync(keptFolder()));
      return deps.record(event);
    };
    await act([call('look')], { ...deps, record }, never);
    const hash = createHash('sha256').update(bytes).digest('hex');
    assert.deepEqual(there, [[`${hash}.gif`]]);
    const [seen] = finished();
    assert.deepEqual(seen?.attachmentFiles, [
      { hash, mediaType: 'image/gif', sizeBytes: 3, name: 'a.gif' },
    ]);
    assert.ok(!('attachments' in seen));
    assert.equal(seen.text, 'seen');
    assert.deepEqual(readFileSync(join(keptFolder(), `${hash}.gif`)), bytes);
  });

  it('have taken effect where what they show cannot be kept, and say so', async () => {
    writeFileSync(keptFolder(), 'a file where the folder should be');
    const attachment = {
      type: 'attachment',
      mediaType: 'image/gif',
      name: 'a.gif',
      base64: 'AAH/',
    } as const;
    const deps = depsOf({
      look: ['read', () => Promise.resolve({ content: 'seen', attachments: [attachment] })],
    });
    await act([call('look')], deps, never);
    const [seen] = finished();
    assert.equal(seen?.isError, false);
    assert.match(
      seen.text,
      /^seen\n\[a\.gif cannot be shown, because it could not be stored: .+\]$/,
    );
    assert.ok(!('attachmentFiles' in seen));
  });

  it('keep fields and lines of a long result as read_file shows them, not in one line of JSON', async () => {
    const stdout = Array.from({ length: 6_000 }, (_, line) => `line ${line}`).join('\n');
    const deps = depsOf({ run: ['write', () => ok({ stdout, stderr: '', exit_code: 0 })] });
    await act([call('run')], deps, never);
    const [kept] = finished();
    assert.match(kept?.text ?? '', /^\{"stdout":"line 0\\nline 1\\n/);
    assert.equal(
      readFileSync(kept?.fullPath ?? '', 'utf8'),
      `stdout:\n${stdout}\nstderr: \nexit_code: 0`,
    );
  });

  it('are left to themselves 0.7 s after the user interrupts, whatever comes of them later', async () => {
    const late = Promise.withResolvers<ToolResult>();
    const deps = depsOf({ stuck: ['write', () => late.promise], write: ['write', ok] });
    const interrupt = new AbortController();
    const done = act([call('stuck'), call('write')], deps, interrupt.signal);
    while (made.length === 0) await moment();
    await clock.advance(60_000);
    interrupt.abort();
    await clock.advance(699);
    assert.deepEqual(finished(), []);
    await clock.advance(1);
    await done;
    assert.match(
      textOf('stuck') ?? '',
      /^Interrupted by the user while it ran\. It may or may not/,
    );
    assert.equal(textOf('write'), 'Interrupted by the user before it was started.');
    assert.deepEqual(made, ['stuck']);
    assert.equal(finished()[0]?.durationMs, 60_700);
    late.reject(new Error('too late'));
    await moment();
    assert.equal(clock.pendingTimers, 0);
  });

  it('have the result that comes within 0.7 s of the interruption', async () => {
    const late = Promise.withResolvers<ToolResult>();
    const deps = depsOf({ slow: ['write', () => late.promise] });
    const interrupt = new AbortController();
    const done = act([call('slow')], deps, interrupt.signal);
    while (made.length === 0) await moment();
    interrupt.abort();
    await clock.advance(600);
    late.resolve({ content: 'just in time' });
    await done;
    assert.deepEqual([textOf('slow'), finished()[0]?.isError], ['just in time', false]);
    assert.equal(clock.pendingTimers, 0);
  });

  it('stay open in the journal where Helios closes and they were broken off', async () => {
    const broken = (): Promise<ToolResult> => Promise.reject(new Error('connection closed'));
    const deps = depsOf({ broken: ['write', broken], write: ['write', ok] });
    const closing = new AbortController();
    closing.abort(new Closing());
    await act([call('write'), call('broken')], deps, closing.signal);
    assert.deepEqual([made, events], [[], []]);
  });

  it('that fail by a fault of ours are told and logged, and those that fail for the model only told', async () => {
    const deps = depsOf({
      fault: ['read', () => Promise.reject(new TypeError('x is not a function'))],
      advice: ['read', () => Promise.reject(new ToolFailure('Try another path.'))],
    });
    await act([call('fault'), call('advice')], deps, never);
    assert.equal(textOf('fault'), 'Internal error in fault: x is not a function. Try another way.');
    assert.equal(textOf('advice'), 'Try another path.');
    assert.ok(finished().every(({ isError }) => isError));
    assert.deepEqual(faults, ['Tool fault failed']);
  });

  it('are recorded before they are made, with who allowed or refused them', async () => {
    const deps = depsOf({ look: ['read', ok], write: ['write', ok] });
    await act([call('look'), call('write', 'w1')], deps, never);
    mode = 'ask';
    await act([call('write', 'w2')], deps, never);
    const told = events.map((event) => {
      if (event.type === 'permission.decided')
        return `${event.callId} ${event.by} ${event.isAllowed}`;
      return 'callId' in event ? `${event.callId} ${event.type}` : event.type;
    });
    assert.deepEqual(told, [
      ...['look rule true', 'look tool.started', 'look tool.finished'],
      ...['w1 mode true', 'w1 tool.started', 'w1 tool.finished'],
      ...['w2 person false', 'w2 tool.finished'],
    ]);
    assert.deepEqual(made, ['look', 'write']);
    assert.match(textOf('w2') ?? '', /^Not allowed: the user did not allow it\. Find another way/);
  });
});
