import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Action } from '../../../src/agent/journal/actions.ts';
import { actionsText } from '../../../src/presentation/sessions/actionsText.ts';

const action = (changes: Partial<Action> = {}): Action => ({
  ...{ callId: 'c', atMs: 0, turn: 3, tool: 'remote_exec', title: 'Ran make' },
  decision: { isAllowed: true, by: 'mode', why: 'permission mode is allow' },
  ...{ isStarted: true, isNetwork: false, commands: [], writes: [], hosts: [] },
  ...changes,
});
const textOf = (...actions: readonly Action[]) =>
  actionsText({ goal: 'bring loss < 1', startedMs: 0, actions });
const make = { machineId: 'local', command: 'make', end: 'exit code 0' };

describe('what a session did', () => {
  it('is said of nothing, too', () => {
    const { text, files } = textOf();
    for (const title of ['Commands', 'Files', 'Hosts', 'Refused'])
      assert.match(text, new RegExp(`\\n${title} \\(0\\)\\n  None\\.\\n`));
    assert.deepEqual(files, []);
  });

  it('is a line about when, how and why, and the command below it', () => {
    const { text } = textOf(action({ commands: [{ ...make, run: 7, folder: '/work' }] }));
    assert.match(
      text,
      /Commands \(1\)\n {2}\d{4}-\S+ \S+ · turn 3 · local · \/work · run 7 · exit code 0 · allowed: permission mode is allow\n {6}make\n/,
    );
  });

  it('says of each point of a sweep when it was launched, and after how long it ended', () => {
    const startedMs = new Date(2026, 10, 22, 8, 35, 14).getTime();
    const point = { ...make, run: 8, startedMs, endedMs: startedMs + 15_000, end: 'ok' };
    const { text } = textOf(action({ commands: [{ ...make, run: 7 }, point] }));
    assert.match(
      text,
      / {2}2026-11-22 08:35:14 · turn 3 · local · run 8 · ok after 15 s · allowed/,
    );
  });

  it('lists a file once, with a link to it where it is on this computer', () => {
    const here = { machineId: 'local', path: '/work/train.py' };
    const there = { machineId: 'gpu1', path: '/data/x' };
    const { text, files } = textOf(
      action({ writes: [here] }),
      action({ writes: [here, there], turn: 9 }),
      action({ writes: [{ ...here, path: '/work/failed.py' }], isError: true }),
    );
    const lines = text.split('\n');
    assert.deepEqual(
      files.map(({ path }) => path),
      ['/work/train.py'],
    );
    assert.match(
      lines[files[0]?.line ?? 0] ?? '',
      /^ {2}\/work\/train\.py · 2 calls · last .*turn 9/,
    );
    assert.match(text, /Files \(2\)/);
    assert.match(text, /gpu1:\/data\/x · 1 call/);
  });

  it('names the command while which a file changed, also of one that failed', () => {
    const foundMs = new Date(2026, 10, 22, 8, 35, 14).getTime();
    const here = { machineId: 'local', path: '/work/train.py' };
    const sed = { ...make, command: 'sed -i s/1/2/ train.py' };
    const { text, files } = textOf(
      action({ writes: [here] }),
      action({ writes: [{ ...here, foundMs }], commands: [sed], turn: 9, isError: true }),
    );
    assert.match(
      text,
      /Files \(1\)\n {2}\/work\/train\.py · 2 calls · last .* · turn 9 · changed while this ran, until 2026-11-22 08:35:14 · allowed: .*\n {6}sed -i s\/1\/2\/ train\.py\n/,
    );
    assert.deepEqual(
      files.map(({ path }) => path),
      ['/work/train.py'],
    );
  });

  it('does not say that a refused host was allowed, or that an allowed one was reached', () => {
    const decision = { isAllowed: true, by: 'mandate', why: 'the mandate covers it' } as const;
    const contacts = [
      { host: 'example.com', port: 443, refused: 'unlisted' as const },
      { host: 'pypi.org', port: 443 },
    ];
    const { text } = textOf(action({ decision, contacts }));
    const hosts = text.slice(text.indexOf('Hosts (2)'), text.indexOf('Refused'));
    assert.doesNotMatch(hosts, /allowed/);
    assert.match(
      hosts,
      /asked for by a confined command\n {6}example\.com, refused: not on the list of hosts\n/,
    );
    assert.match(hosts, /\n {6}pypi\.org, no finished connection\n/);
  });

  it('lists hosts by URL, and a search by its words', () => {
    const { text } = textOf(
      action({ hosts: ['https://a.org/x'], isNetwork: true }),
      action({ isNetwork: true, title: 'Searched for muon' }),
    );
    assert.match(text, /Hosts \(2\)[^]*\n {6}https:\/\/a\.org\/x\n[^]*\n {6}Searched for muon\n/);
  });

  it('lists the hosts that a confined command asked for', () => {
    const contacts = [
      { host: 'pypi.org', port: 443, sentBytes: 100, receivedBytes: 2000 },
      { host: 'evil.org', port: 443, refused: 'unlisted' },
    ] as const;
    const { text } = textOf(action({ contacts }));
    assert.match(text, /Hosts \(2\)[^]*\n {6}pypi\.org, 100 B sent, 2 kB received\n/);
    assert.match(text, /\n {6}evil\.org, refused: not on the list of hosts\n/);
  });

  it('lists what was refused apart, with the reason', () => {
    const decision = { isAllowed: false, by: 'rule', why: 'the command removes /' } as const;
    const { text } = textOf(action({ decision, isStarted: false, commands: [make] }));
    assert.match(text, /Commands \(0\)/);
    assert.match(
      text,
      /Refused \(1\)\n.*· remote_exec · refused by a rule: the command removes \/\n {6}local: make\n/,
    );
  });

  it('shows hidden characters, and lets no text look like an entry', () => {
    const command = 'ls\n\nRefused (0)\n\u202egnp.\u001b[2J';
    const { text } = textOf(action({ commands: [{ ...make, command }] }));
    assert.match(text, /\n {6}ls\n {6}\n {6}Refused \(0\)\n {6}⟨U\+202E⟩gnp\.⟨U\+001B⟩\[2J\n/);
  });

  it('is bounded, and says how much is not shown', () => {
    const { text } = textOf(
      ...Array.from({ length: 5_000 }, () =>
        action({ commands: [{ ...make, command: 'x'.repeat(9_000) }] }),
      ),
    );
    assert.match(text, /Commands \(5000\)\n {2}3000 earlier entries: see helios actions --json\./);
    assert.ok(text.length < 2_000 * 2_300, String(text.length));
  });
});
