import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { RecordedMessage } from '../../../../src/agent/context/attachments.ts';
import { buildHistory, isUserUnheard } from '../../../../src/agent/context/history.ts';
import { idleness } from '../../../../src/agent/loop/progress.ts';
import { dueShortening } from '../../../../src/agent/context/checkpoint.ts';
import { foldSession } from '../../../../src/agent/journal/fold.ts';
import type { JournalEvent, SessionEvent } from '../../../../src/agent/journal/events.ts';
import type { RunId, SessionId } from '../../../../src/base/ids.ts';
import { noUsage, type AssistantBlock, type StopReason } from '../../../../src/models/model.ts';
import { assertInProportion } from '../../../fakes/proportion.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';
import { summaryOf } from '../../vscode/states.ts';

let count = 0;
const recorded = (event: SessionEvent): JournalEvent => ({
  v: 1,
  id: `e-${(count += 1)}`,
  at: count,
  ...event,
});
const started = recorded({
  type: 'session.started',
  sessionId: 's-1' as SessionId,
  goal: 'bring loss < 1',
  budget: {},
  provider: 'demo',
  model: 'm',
  workFolder: '/w',
  helios: '0',
});
const said = (text: string): JournalEvent =>
  recorded({ type: 'message.added', origin: 'goal', text });
const asked = (turn: number): JournalEvent =>
  recorded({ type: 'model.requested', turn, provider: 'demo', model: 'm' });
const replied = (content: readonly AssistantBlock[], stop: StopReason = 'stop') =>
  recorded({
    ...{ type: 'model.replied', turn: 1, provider: 'demo', model: 'm', content, stop },
    ...{ usage: noUsage, cost: { usd: 0 } },
  });
const call = (id: string): AssistantBlock => ({
  type: 'tool_call',
  id,
  name: 'read_file',
  input: {},
});
const result = (callId: string, text = 'r'): JournalEvent =>
  recorded({
    type: 'tool.finished',
    callId,
    name: 'read_file',
    text,
    isError: false,
    durationMs: 1,
  });
const planned = (id: string, number: number): JournalEvent =>
  recorded({
    type: 'run.planned',
    callId: '',
    spec: {
      ...{
        id: id as RunId,
        sessionId: 's-1' as SessionId,
        number,
        machineId: 'local',
        command: 'x',
        cwd: '/',
      },
      ...{ env: {}, metrics: {}, label: `label ${number}`, plannedMs: 1 },
    },
  });
const endedRun = (id: string): JournalEvent =>
  recorded({
    type: 'run.ended',
    runId: id as RunId,
    verdict: { kind: 'ok' },
    endedMs: 2,
    metrics: [],
  });

/** What every provider insists on. */
function assertValid(messages: readonly RecordedMessage[]): void {
  assert.equal(messages[0]?.role, 'user');
  for (const [index, message] of messages.entries()) {
    assert.ok(message.content.length > 0, `message ${index} is empty`);
    if (index > 0)
      assert.notEqual(message.role, messages[index - 1]?.role, `message ${index} repeats its role`);
    for (const block of message.content) {
      if (block.type === 'text') assert.notEqual(block.text.trim(), '');
      if (block.type !== 'tool_call') continue;
      const next = messages[index + 1]?.content ?? [];
      const results = next.filter((one) => one.type === 'tool_result' && one.callId === block.id);
      assert.equal(
        results.length,
        1,
        `call ${block.id} has ${results.length} results in the next message`,
      );
    }
    const firstText = message.content.findIndex((block) => block.type === 'text');
    const lastResult = message.content.findLastIndex((block) => block.type === 'tool_result');
    assert.ok(
      firstText === -1 || lastResult < firstText,
      `message ${index}: a text stands before a result`,
    );
  }
}

describe('an undo in the history', () => {
  it('is told to the model where the user did it', () => {
    const restored = (by: 'agent' | 'person'): JournalEvent =>
      recorded({
        ...{ type: 'files.restored', by },
        files: [{ path: '/w/README.md', before: 'missing', after: 'missing' }],
      });
    const text = (by: 'agent' | 'person'): string =>
      JSON.stringify(buildHistory([started, said('x'), restored(by)]));
    assert.match(text('person'), /\[The user undid the edits of \/w\/README\.md: /);
    assert.doesNotMatch(text('agent'), /undid/);
  });
});

describe('history', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  it('is valid whatever replies there were, and whatever is missing', () => {
    const thinking: AssistantBlock = { type: 'thinking', text: 'hm', provider: 'demo' };
    const journals: JournalEvent[][] = [
      [
        started,
        said('g'),
        asked(1),
        replied([]),
        asked(2),
        replied([{ type: 'text', text: ' \n' }]),
      ],
      [
        started,
        said('g'),
        asked(1),
        replied([{ type: 'text', text: 'half' }, call('a')], 'aborted'),
        said('go on'),
      ],
      [
        started,
        said('g'),
        asked(1),
        replied([call('a'), call('b')], 'tools'),
        said('during'),
        result('b'),
        said('after'),
      ],
      [
        started,
        said('g'),
        asked(1),
        said('early'),
        replied([call('a')], 'tools'),
        result('a'),
        asked(2),
        replied([], 'error'),
      ],
      [
        started,
        said('g'),
        asked(1),
        replied([thinking, call('a')], 'tools'),
        asked(2),
        replied([call('b')], 'tools'),
      ],
      // The line with the goal was damaged.
      [started, asked(1), replied([call('a')], 'tools'), result('a')],
    ];
    for (const events of journals) assertValid(buildHistory(events));
  });

  it('keeps the results of parallel calls in the places of their calls, also of one that was lost', () => {
    const events = [
      ...[started, said('g'), asked(1), replied([call('a'), call('b'), call('c')], 'tools')],
      ...[
        result('c', 'third'),
        result('a', 'first'),
        asked(2),
        replied([call('d')], 'tools'),
        result('d', 'fourth'),
      ],
    ];
    const messages = buildHistory(events);
    assertValid(messages);
    assert.deepEqual(
      messages[2]?.content.map((block) =>
        block.type === 'tool_result' ? [block.callId, block.text.slice(0, 11)] : [],
      ),
      [
        ['a', 'first'],
        ['b', 'Interrupted'],
        ['c', 'third'],
      ],
    );
  });

  it('keeps of an interrupted reply what was said, and makes none of its calls; all of one that was only cut', () => {
    const thinking: AssistantBlock = { type: 'thinking', text: 'hm', provider: 'demo' };
    const content: AssistantBlock[] = [thinking, { type: 'text', text: 'half' }, call('a')];
    const typesOf = (stop: StopReason): string[] =>
      buildHistory([started, said('g'), asked(1), replied(content, stop), said('go on')]).flatMap(
        (message) => message.content.map(({ type }) => type),
      );
    assert.deepEqual(typesOf('aborted'), ['text', 'text', 'text']);
    assert.deepEqual(typesOf('error'), ['text', 'text']);
    for (const stop of ['stop', 'tools', 'length'] as const)
      assert.deepEqual(
        typesOf(stop),
        ['text', 'thinking', 'text', 'tool_call', 'tool_result', 'text'],
        stop,
      );
  });

  it('says of a call without a result that it failed, and of the others what came of them', () => {
    const failed = recorded({ ...result('b'), isError: true } as SessionEvent);
    const events = [
      started,
      said('g'),
      asked(1),
      replied([call('a'), call('b'), call('c')], 'tools'),
      failed,
      result('c'),
    ];
    const told = buildHistory(events).flatMap(({ content }) =>
      content.flatMap((block) =>
        block.type === 'tool_result' ? [`${block.callId} ${block.isError}`] : [],
      ),
    );
    assert.deepEqual(told, ['a true', 'b true', 'c false']);
  });

  it('knows what the user said that no request has held yet', () => {
    const person = recorded({ type: 'message.added', origin: 'person', text: 'stop' });
    const answered = (by: 'person' | 'default'): JournalEvent =>
      recorded({ type: 'question.answered', questionId: 'q1', answer: 'yes', by });
    const cases: readonly (readonly [events: readonly JournalEvent[], isUnheard: boolean])[] = [
      [[person], true],
      [[answered('person')], true],
      [[answered('default'), said('g')], false],
      [[person, asked(1)], false],
      [[asked(1), person, replied([call('a')], 'tools')], true],
    ];
    for (const [events, isUnheard] of cases)
      assert.equal(isUserUnheard([started, ...events]), isUnheard);
  });

  it('puts a message that arrived during a request behind the reply', () => {
    const person = recorded({ type: 'message.added', origin: 'person', text: 'use Adam' });
    const messages = buildHistory([
      ...[started, said('g'), asked(1), person],
      ...[replied([call('a')], 'tools'), result('a')],
    ]);
    const texts = messages.map(({ role, content }) => [
      role,
      ...content.map((block) => (block.type === 'text' ? block.text : block.type)),
    ]);
    assert.deepEqual(
      texts.map(([role]) => role),
      ['user', 'assistant', 'user'],
    );
    assert.doesNotMatch(texts[0]?.join() ?? '', /use Adam/);
    assert.match(texts[2]?.join() ?? '', /^user,tool_result,[^]*use Adam/);
  });

  it('names a run as people do, also when it was planned before the conversation was shortened', () => {
    const plan = planned('r-1', 7);
    const events = [
      ...[started, said('g'), asked(1), replied([call('a')], 'tools'), plan, result('a')],
      recorded({ type: 'context.checkpointed', upTo: plan.id, briefing: 'short', tokensBefore: 1 }),
      endedRun('r-1'),
    ];
    assert.match(JSON.stringify(buildHistory(events)), /\[Run 7 \(label 7\) ended: ok\]/);
  });

  it('tells of the warnings of points of a sweep, and leaves their ends and kills to its table', () => {
    const plan = planned('r-1', 1);
    assert.ok(plan.type === 'run.planned');
    const point: JournalEvent = { ...plan, spec: { ...plan.spec, sweep: { id: 's1', index: 0 } } };
    const alarm = (action: 'kill' | 'warn'): JournalEvent =>
      recorded({
        type: 'run.alarmed',
        runId: 'r-1' as RunId,
        kind: 'silence',
        detail: `${action} it`,
        action,
      });
    const table = recorded({ type: 'sweep.ended', sweepId: 's1', why: 'done', text: 'the table' });
    const told = (of: JournalEvent): string =>
      JSON.stringify(
        buildHistory([
          started,
          said('g'),
          of,
          alarm('warn'),
          alarm('kill'),
          endedRun('r-1'),
          table,
        ]),
      );
    for (const words of ['warn it', 'kill it', 'ended: ok'])
      assert.ok(told(plan).includes(words), words);
    assert.ok(told(point).includes('warn it') && told(point).includes('[the table]'));
    assert.doesNotMatch(told(point), /kill it|ended: ok/);
  });

  it('begins each text on a line of its own, and tells no end that a digest tells', () => {
    const digest = { type: 'message.added', origin: 'wake', text: 'Woke' } as const;
    const told = (...events: readonly JournalEvent[]): string =>
      buildHistory([started, said('g'), planned('r-1', 1), planned('r-2', 2), ...events])
        .flatMap(({ content }) => content.flatMap((one) => (one.type === 'text' ? one.text : [])))
        .join('');
    const ends = [endedRun('r-1'), endedRun('r-2')];
    assert.match(
      told(...ends, recorded({ ...digest })),
      /\n\[Run 1 \(label 1\) ended: ok\]\n\[Run 2 \(label 2\) ended: ok\]\nWoke$/,
    );
    const known = told(...ends, recorded({ ...digest, ended: ['r-1' as RunId] }));
    assert.match(known, /g\n\[Run 2 \(label 2\) ended: ok\]\nWoke$/);
  });

  it('tells of twelve metrics of a run at most', () => {
    const metrics = Array.from({ length: 20 }, (_, index) => summaryOf(`m${index}`, 1));
    const ended = recorded({ ...endedRun('r-1'), metrics } as SessionEvent);
    const told = JSON.stringify(buildHistory([started, said('g'), planned('r-1', 1), ended]));
    assert.equal(told.split(' points)').length - 1, 12);
    assert.ok(told.includes('m11 last') && !told.includes('m12 last'));
  });

  it('says of a run why it was killed: by its last alarm that did not only warn', () => {
    const alarm = (action: 'kill' | 'warn' | 'ask', detail: string): JournalEvent =>
      recorded({ type: 'run.alarmed', runId: 'r-1' as RunId, kind: 'silence', detail, action });
    const killed = recorded({ ...endedRun('r-1'), verdict: { kind: 'killed' } } as SessionEvent);
    const told = (...events: readonly JournalEvent[]): string =>
      JSON.stringify(
        buildHistory([started, said('g'), planned('r-1', 1), ...events])
          .at(-1)
          ?.content.at(-1),
      );
    assert.match(
      told(alarm('kill', 'loss grows'), alarm('warn', 'slow'), killed),
      /killed after the alarm: loss grows\]/,
    );
    assert.match(
      told(alarm('ask', 'loss grows'), killed),
      /ended: killed after the alarm: loss grows\]/,
    );
    assert.match(told(alarm('warn', 'slow'), killed), /ended: killed\]/);
    assert.match(told(alarm('kill', 'loss grows'), endedRun('r-1')), /ended: ok\]/);
  });

  it('of a thousand messages is resumed with the newest and the oldest, and every parallel result', async () => {
    const reads = Array.from({ length: 4 }, () => ({ name: 'memory_ls', input: {} }));
    const note = (index: number) => ({
      name: 'memory_write',
      input: { path: '/n', gist: `turn ${index}` },
    });
    const model = new ScriptedModel((_request, index) =>
      index < 130 ? [...reads, note(index)] : 'hang',
    );
    model.contextTokens = 10_000_000;
    bed = await testEngine(model);
    const session = await bed.start();
    while (model.requests.length < 131) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.ok(session.events().length > 1000);
    const before = model.requests.at(-1)?.messages ?? [];
    const next = new ScriptedModel([
      [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }],
    ]);
    next.contextTokens = 10_000_000;
    bed = await bed.restart(next);
    const again = await bed.engine.sessions.resume(session.id);
    await again.ended;
    const messages = next.requests[0]?.messages ?? [];
    assertValid(messages);
    assert.equal(messages.length, 261);
    assert.deepEqual(messages.slice(0, -1), before.slice(0, -1));
    assert.match(JSON.stringify(messages[0]), /bring loss < 1/);
    assert.match(JSON.stringify(messages.at(-2)), /turn 129/);
    assert.equal(eventsOf(again, 'tool.finished').length, 130 * 5);
  });

  it('takes time in proportion to its length', () => {
    const events: JournalEvent[] = [started, said('g')];
    for (let turn = 1; turn <= 4000; turn += 1) {
      events.push(
        asked(turn),
        replied([call(`c${turn}`)], 'tools'),
        planned(`r-${turn}`, turn),
        result(`c${turn}`),
      );
      events.push(endedRun(`r-${turn}`));
    }
    assertInProportion((share) => {
      // A fold goes on where it was: each time a list that it does not know yet.
      const part = events.slice(0, share * events.length);
      buildHistory(part);
      idleness(part);
      dueShortening(part, undefined, 0);
    });
    assert.equal(foldSession(events.slice(0, 2_000))?.turns, 400);
  });
});
