import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ApprovalRequest } from '../../../src/agent/contract/ports.ts';
import { callText } from '../../../src/agent/user/callText.ts';
import {
  approvalDocument,
  approvalLine,
  approvalNotification,
  approvalPreview,
  type ShownApproval,
} from '../../../src/presentation/sessions/approvalText.ts';
import { hostileCommands, payload } from '../../fakes/hostileCommands.ts';
import { random, seedOf } from '../../fakes/random.ts';
import { everyTool, missingIn, randomCalls } from '../../fakes/randomCalls.ts';
import { sessionId } from '../vscode/states.ts';

const seed = seedOf('CALLS_SEED', 20_261_123);

const requestFor = (args: object, changes: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  ...{ sessionId, callId: 'c1', title: 'Run ls', effect: 'execute' },
  detail: callText({ args, accesses: [], repairs: [] }),
  ...changes,
});
const approves = ({ choices }: ShownApproval): boolean =>
  choices.some(([, choice]) => choice === 'allow' || choice === 'allow_session');
const titles = ({ choices }: ShownApproval): readonly string[] => choices.map(([title]) => title);

const offer = {
  scopes: ['session', 'workspace'],
  label: 'python train.py',
  covers: ['python train.py … on gpu1 in /w'],
} as const;

/** What VS Code shows of the text of a notification. */
const shownByNotification = (text: string): string =>
  text
    .replace(/\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi, '$1')
    .replace(/\s+/g, ' ')
    .slice(0, 1_000);

const places: Readonly<Record<string, (request: ApprovalRequest) => ShownApproval>> = {
  notification: (request) => {
    const shown = approvalNotification(request);
    return { ...shown, text: shownByNotification(shown.text) };
  },
  chat: approvalPreview,
};

describe('approval questions', () => {
  for (const [place, show] of Object.entries(places)) {
    it(`in a ${place} offer to approve a call only where all of it is shown`, () => {
      const next = random(seed);
      const whole = { true: 0, false: 0 };
      for (const tool of everyTool())
        for (const { args } of randomCalls(tool, 30, next)) {
          const shown = show(requestFor(args, { title: tool.describe(args) }));
          whole[`${approves(shown)}`] += 1;
          if (approves(shown)) assert.deepEqual(missingIn(shown.text, args), [], shown.text);
          else assert.deepEqual(titles(shown), ['Review', 'Deny']);
        }
      assert.ok(whole.true > 50 && whole.false > 50, JSON.stringify(whole));
    });

    for (const [where, command] of Object.entries(hostileCommands))
      it(`in a ${place} show a payload ${where}, or do not offer to approve it`, () => {
        const shown = show(requestFor({ command, machine_id: 'gpu1' }));
        assert.ok(!approves(shown) || shown.text.includes(payload), shown.text);
        assert.doesNotMatch(shown.text, /(?![\n\t ])[\p{C}\p{Z}\p{DI}]/u);
      });

    it(`in a ${place} offer every answer for an everyday call`, () => {
      const call = { command: 'python train.py --lr 1e-3', machine_id: 'gpu1' };
      assert.deepEqual(titles(show(requestFor(call))), ['Approve Once', 'Deny']);
      const labels = titles(show(requestFor(call, { offer })));
      if (place === 'notification')
        return assert.deepEqual(labels, ['Approve Once', 'Review', 'Deny']);
      assert.deepEqual(labels, [
        'Approve Once',
        'Approve for Session',
        'Approve in Workspace',
        'Deny',
      ]);
      const always = { ...offer, scopes: ['always'] } as const;
      assert.equal(titles(show(requestFor(call, { offer: always })))[1], 'Always Approve');
    });
  }

  it('are on one line in a notification, with a sign for the end of each line', () => {
    const { text, choices } = approvalNotification(requestFor({ command: 'ls', machine_id: 'm' }));
    assert.equal(text, 'Helios asks to run a command: command: ls ↵ machine: m');
    assert.equal(choices[0]?.[0], 'Approve Once');
    const write = requestFor({ path: 'a' }, { title: 'Write a\nb', effect: 'write' });
    assert.equal(approvalNotification(write).text, 'Helios asks to write · Write a b: path: a');
    const link = requestFor({ path: 'a' }, { title: '[x](command:y)', effect: 'write' });
    assert.match(approvalNotification(link).text, / · \[x\] \(command:y\): path: a$/);
  });

  for (const [what, command] of [
    ['signs of line breaks', 'ls ↵ machine: local'],
    ['white space that a notification collapses', 'ls "a  b"'],
    ['a tab', 'ls a\tb'],
    ['a link', 'echo "[a](https://example.org)"'],
    ['several lines', 'ls\nls'],
  ] as const)
    it(`are reviewed in a document if the call has ${what}`, () => {
      const shown = approvalNotification(requestFor({ command }));
      const { text } = shown;
      assert.deepEqual(titles(shown), ['Review', 'Deny']);
      assert.match(text, /\(\d+ characters, \d+ lines?; review it to approve\)$/);
      assert.equal(shownByNotification(text), text);
    });

  it('state the length of a call of which a part is shown', () => {
    const command = 'x'.repeat(4_539);
    const { text } = approvalNotification(requestFor({ command }));
    assert.match(text, /^Helios asks to run a command: command: x+… \(4,548 characters, 1 line; /);
    assert.ok(text.length < 320);
    const preview = approvalPreview(requestFor({ command: 'ls\n'.repeat(40) }));
    assert.equal(preview.text.split('\n').length, 8);
    assert.ok(approvalPreview(requestFor({ command })).text.length < 410);
    assert.ok(preview.text.endsWith('…'));
  });

  it('are shown completely in a document, with the length and the buttons that answer', () => {
    const next = random(seed);
    for (const tool of everyTool())
      for (const { args } of randomCalls(tool, 10, next))
        assert.deepEqual(missingIn(approvalDocument(requestFor(args)), args), []);
    for (const command of Object.values(hostileCommands))
      assert.ok(approvalDocument(requestFor({ command })).includes(payload));
    assert.equal(
      approvalDocument(requestFor({ command: 'ls' }, { title: 'Run\nls' })),
      [
        'Helios asks to run a command',
        '11 characters, 1 line. To answer, select Approve Once or Deny in the title bar of this editor.',
        '',
        'command: ls',
        '',
      ].join('\n'),
    );
    const lines = approvalDocument(requestFor({ command: 'ls' }, { offer })).split('\n');
    assert.match(
      lines[1] ?? '',
      /select Approve Once, Approve for Session, Approve in Workspace or Deny in the title bar/,
    );
    assert.deepEqual(lines.slice(2), [
      '',
      'The answers that also allow later calls cover, without asking again:',
      '- python train.py … on gpu1 in /w',
      '',
      'command: ls',
      '',
    ]);
  });

  it('are shortened in a list, which offers no answer', () =>
    assert.equal(
      approvalLine(requestFor({ command: 'ls\nrm' }), 50),
      'Helios asks to run a command: command: ↵ ls ↵ rm',
    ));
});
