import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { linkLine, sessionLinks } from '../../../src/vscode/ui/commandLinks.ts';
import { endedRun, runsOf, sessionId, stateOf } from './states.ts';

const hostile = 'a) [x](command:workbench.action.terminal.new) `~*_!\'"<b>\n\\ %29';

describe('command links', () => {
  it('carry an argument as JSON that no Markdown can end', () => {
    const { text, enabledCommands } = linkLine([
      { title: 'Open Changes', args: [sessionId, hostile] },
    ]);
    const [, address = ''] = /^\[Open Changes\]\(command:([\w.]+\?[\w.%-]+)\)$/.exec(text) ?? [];
    const [command, query = ''] = address.split('?');
    assert.equal(command, 'helios.openEdit');
    assert.deepEqual(JSON.parse(decodeURIComponent(query)), [sessionId, hostile]);
    assert.deepEqual(enabledCommands, ['helios.openEdit']);
  });

  it('enable only the commands that they name', () => {
    const { text, enabledCommands } = linkLine([
      { title: 'Answer 1', args: [1] },
      { title: 'Answer 2', args: [2] },
      { title: 'Change' },
    ]);
    assert.equal(
      text,
      '[Answer 1](command:helios.answerQuestion?%5B1%5D) · [Answer 2](command:helios.answerQuestion?%5B2%5D) · [Change](command:helios.changePermissionMode)',
    );
    assert.deepEqual(enabledCommands, ['helios.answerQuestion', 'helios.changePermissionMode']);
  });

  const runs = runsOf(endedRun(1, 0.5));
  const end = { summary: '', evidence: [] };
  for (const [what, changes, titles] of [
    ['works without runs', {}, ['Session', 'Follow', 'Keep Running', 'Stop']],
    [
      'is paused',
      { phase: 'paused', runs },
      ['Resume', 'Metrics', 'Session', 'Keep Running', 'Stop'],
    ],
    [
      'has met its goal',
      { phase: 'ended', runs, end: { ...end, reason: 'goal' } },
      ['Metrics', 'Session', 'Brief'],
    ],
    ['was stopped', { phase: 'ended', end: { ...end, reason: 'user' } }, ['Session', 'Resume…']],
  ] as const)
    it(`of a session that ${what} offer what can be done`, () =>
      assert.deepEqual(
        sessionLinks(stateOf(changes as never)).map(({ title }) => title),
        titles,
      ));
});
