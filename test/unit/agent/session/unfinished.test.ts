import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'mocha';
import type { JournalEvent, SessionEvent } from '../../../../src/agent/journal/events.ts';
import { foldSession } from '../../../../src/agent/journal/fold.ts';
import { isUnfinished, unfinishedOf } from '../../../../src/agent/session/unfinished.ts';
import type { SessionId } from '../../../../src/base/ids.ts';
import { silentLogger } from '../../../../src/base/logger.ts';
import { homeAt } from '../../../../src/storage/home.ts';
import { Lease } from '../../../../src/storage/lease.ts';
import type { OwnerKind } from '../../../../src/storage/leaseOwner.ts';
import { SyntheticJournal } from '../../../bench/syntheticJournal.ts';
import { JournalOf } from '../../../fakes/journalOf.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { random } from '../../../fakes/random.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { eventually, testEngine } from '../../../fakes/testEngine.ts';

const quiet: readonly SessionEvent[] = [
  { type: 'message.added', origin: 'wake', text: '"type":"session.ended"' },
  { type: 'session.resumed', by: 'process 1' },
  { type: 'note.pinned', number: 1, text: 'x' },
  { type: 'sleep.ended', sleepId: 's1', why: 'deadline', detail: '' },
  { type: 'tool.started', callId: 'c', name: 'sleep', effect: 'read', title: 'sleeps' },
];
const telling: readonly SessionEvent[] = [
  { type: 'session.paused', by: 'user' },
  { type: 'session.ended', reason: 'user', summary: '', evidence: [] },
  { type: 'message.added', origin: 'person', text: 'go on' },
  { type: 'model.requested', turn: 1, provider: 'p', model: 'm' },
  {
    type: 'sleep.started',
    callId: '',
    sleepId: 's1',
    request: { reason: 'r', logic: 'any', triggers: [] },
  },
];

describe('sessions that should be worked on', () => {
  const folder = scratchFolder();
  const answer = async (text: string): Promise<boolean> => {
    const file = path.join(folder(), 'journal.jsonl');
    await writeFile(file, text);
    return isUnfinished(file);
  };
  const textOf = (events: readonly JournalEvent[]): string =>
    events.map((event) => `${JSON.stringify(event)}\n`).join('');
  const isAtWork = (events: readonly JournalEvent[]): boolean =>
    !['ended', 'paused'].includes(foldSession(events)?.phase ?? 'ended');

  it('are those whose last events leave them at work, whatever came before', async () => {
    const next = random(3);
    const pick = (events: readonly SessionEvent[]): SessionEvent =>
      events[Math.floor(next() * events.length)] ?? { type: 'note.unpinned', number: 1 };
    const seen = new Set<boolean>();
    for (let round = 0; round < 200; round += 1) {
      const journal = new JournalOf();
      for (let count = next() * 8; count > 0; count -= 1)
        journal.add(pick(next() < 0.4 ? telling : quiet));
      const expected = isAtWork(journal.events);
      seen.add(expected);
      assert.equal(await answer(textOf(journal.events)), expected, textOf(journal.events));
    }
    assert.equal(seen.size, 2);
  });

  it('are found although much was written after what decides it', async () => {
    const journal = new JournalOf().add({ type: 'session.paused', by: 'user' });
    for (let count = 0; count < 40; count += 1)
      journal.add({ type: 'note.pinned', number: count, text: 'x'.repeat(count * 1_000) });
    assert.equal(await answer(textOf(journal.events)), false);
    assert.equal(await answer(textOf(journal.ask().events)), true);
  });

  const ended = textOf(
    new JournalOf().add({ type: 'session.ended', reason: 'user', summary: '', evidence: [] })
      .events,
  );
  const going = textOf(new JournalOf().ask().events);
  const odd: readonly {
    readonly name: string;
    readonly text: string;
    readonly expected: boolean;
  }[] = [
    { name: 'a journal without a line', text: '', expected: false },
    { name: 'what is no journal', text: '"type":"model.requested"\n\0\0\n', expected: false },
    {
      name: 'an end that was cut short',
      text: `${going}{"v":1,"type":"session.ended","reas`,
      expected: true,
    },
    { name: 'an end whose newline alone is missing', text: ended.trimEnd(), expected: false },
    {
      name: 'a torn line after the end',
      text: `${ended}{"v":1,"type":"model.requested"`,
      expected: false,
    },
    {
      name: 'rubbish after the end',
      text: `${ended}\0\0\0\n"type":"model.requested"\n`,
      expected: false,
    },
  ];
  for (const { name, text, expected } of odd)
    it(`are told in ${name}`, async () => assert.equal(await answer(text), expected));

  it('are found beside one that cannot be read, which is told', async () => {
    const home = homeAt(folder());
    const journals = [new SyntheticJournal('one', 1), new SyntheticJournal('two', 2)];
    for (const journal of journals) await journal.write(home);
    const [one, two] = journals.map(({ sessionId }) => sessionId);
    assert.ok(one && two);
    await rm(home.journalFile(two));
    await mkdir(home.journalFile(two));
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (text: string) => void warnings.push(text) };
    assert.deepEqual(await unfinishedOf(home, [two, one], logger), [one]);
    assert.match(warnings.join(), new RegExp(`^The journal of ${two} cannot be read: EISDIR`));
  });

  const kinds = ['window', 'terminal', 'detached'] as const;
  for (const kind of kinds)
    it(`are found where nobody works on them who keeps them, by what is ${kind}`, async () => {
      const clock = new ManualClock();
      const home = homeAt(path.join(folder(), 'home'));
      const held = new Map<SessionId, OwnerKind>();
      const leases: Lease[] = [];
      for (const [seed, holder] of kinds.entries()) {
        const journal = new SyntheticJournal(holder, seed);
        await journal.write(home);
        held.set(journal.sessionId, holder);
        const file = home.leaseFile(journal.sessionId);
        leases.push(await Lease.acquire(file, { clock, kind: holder, onLost: assert.fail }));
      }
      const bed = await testEngine(new ScriptedModel([]), {
        folder: folder(),
        clock,
        ownerKind: kind,
      });
      const found = await bed.engine.sessions.interrupted();
      assert.deepEqual(
        found.map((id) => held.get(id)),
        kind === 'detached' ? [] : ['detached'],
      );
      for (const lease of leases) await lease.release();
      assert.equal((await bed.engine.sessions.interrupted()).length, 3);
      await bed.engine.close();
    });

  it('are found without the index, which is not even opened', async () => {
    const bed = await testEngine(new ScriptedModel(['hang']), { folder: folder() });
    const first = await bed.start();
    await eventually(first, 'model.requested');
    await bed.engine.close();
    const { indexFile } = homeAt(bed.home);
    await rm(indexFile, { force: true });
    await mkdir(indexFile);
    const next = await testEngine(new ScriptedModel(['hang']), { folder: folder() });
    assert.deepEqual(await next.engine.sessions.interrupted(), [first.id]);
    await next.engine.close();
  });
});
