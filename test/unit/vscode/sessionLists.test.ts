import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SessionSummary } from '../../../src/agent/contract/sessions.ts';
import { newSessionId } from '../../../src/base/ids.ts';
import { resumeList } from '../../../src/vscode/sessions/resumeList.ts';
import { groupedByAge, withResults } from '../../../src/vscode/ui/sessionGroups.ts';
import { parseSticky } from '../../../src/vscode/inbox/stickies.ts';

const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 5, 1);

const session = (ageDays: number, endReason?: SessionSummary['endReason']): SessionSummary => ({
  id: newSessionId(nowMs - ageDays * dayMs),
  goal: `goal of ${ageDays}`,
  startedMs: 0,
  lastEventMs: nowMs - ageDays * dayMs,
  phase: endReason === undefined ? 'ready' : 'ended',
  ...(endReason !== undefined && { endReason }),
  ...{ runs: 2, going: 0, turns: 3, usd: 1.5, hasUnknownCost: false, best: 'loss 0.3' },
});

describe('lists of sessions', () => {
  it('group a thousand by age, and make no row before a group is opened', async () => {
    const listed = Array.from({ length: 1000 }, (_, index) => session(index / 4, 'goal'));
    let made = 0;
    const rows = groupedByAge(listed, nowMs, ({ id, goal }) => {
      made += 1;
      return { id, label: goal, spoken: goal };
    });
    assert.equal(made, 4);
    const groups = rows.slice(4);
    assert.deepEqual(
      groups.map(({ label, description }) => [label, description]),
      [
        ['Earlier This Week', '24 sessions'],
        ['Earlier This Month', '92 sessions'],
        ['Older', '880 sessions'],
      ],
    );
    const { children } = groups[2] ?? {};
    assert.ok(typeof children === 'function');
    assert.equal((await children()).length, 880);
  });

  it('change with the times and the names inside of a closed group, and only with them', () => {
    const old = session(40, 'goal');
    const rows = (atMs: number, listed: SessionSummary): string =>
      JSON.stringify(groupedByAge([listed], atMs, ({ id }) => ({ id, label: id, spoken: id })));
    assert.equal(rows(nowMs, old), rows(nowMs + 1_000, old));
    assert.notEqual(rows(nowMs, old), rows(nowMs + dayMs, old));
    assert.notEqual(rows(nowMs, old), rows(nowMs, { ...old, title: 'Night 1' }));
  });

  it('offer only sessions that have what a command needs, those with a champion first', () => {
    const { best: _, ...without } = session(1, 'user');
    const empty = { ...without, id: newSessionId(1), runs: 0 };
    const listed = [empty, without, session(2, 'goal')];
    const ids = (need: 'champion' | 'run') => withResults(listed, need).map(({ id }) => id);
    assert.deepEqual(ids('run'), [listed[2]?.id, without.id]);
    assert.deepEqual(ids('champion'), [listed[2]?.id]);
  });

  it('leave what is not over where it is seen', () => {
    const rows = groupedByAge([session(100)], nowMs, ({ id }) => ({ id, label: id, spoken: id }));
    assert.equal(rows.length, 1);
    assert.match(rows[0]?.id ?? '', /^s-/);
  });

  it('number the sessions for /resume', () => {
    const text = resumeList(
      [session(0), ...Array.from({ length: 24 }, (_, index) => session(index + 1, 'budget'))],
      nowMs,
    );
    assert.match(text, /^1\. goal of 0 — Not ended · loss 0\.3 · 2 runs · \$1\.50 · now$/m);
    assert.match(text, /^20\. goal of 19 — Budget used up/m);
    assert.match(text, /5 older sessions/);
    assert.match(resumeList([], nowMs), /no session yet/);
  });

  it('take the words of /stickies', () => {
    assert.deepEqual(parseSticky('rm 2'), { kind: 'unpin', number: 2 });
    assert.deepEqual(parseSticky(''), { kind: 'list' });
    assert.equal(parseSticky('all').kind, 'pin');
  });
});
