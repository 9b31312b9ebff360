import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { describeEvent, descriptionLine } from '../../../../src/agent/journal/describeEvent.ts';
import type { JournalEvent } from '../../../../src/agent/journal/events.ts';
import { applyEvent, foldSession } from '../../../../src/agent/journal/fold.ts';
import type { SessionState } from '../../../../src/agent/journal/state.ts';
import { plainStyle } from '../../../../src/cli/screen/style.ts';
import { EventText } from '../../../../src/cli/screen/eventText.ts';
import { Timeline } from '../../../../src/vscode/sessionView/timeline.ts';
import { Transcript } from '../../../../src/vscode/sessions/transcript.ts';
import { demoNight } from '../../../fakes/demoNight.ts';

const night = demoNight().source.events();

/** Each event of the night with the state after it. */
function* told(): Generator<readonly [JournalEvent, SessionState]> {
  let state: SessionState | undefined;
  for (const event of night) {
    state = state === undefined ? foldSession([event]) : applyEvent(state, event);
    if (state !== undefined) yield [event, state];
  }
}

describe('the description of an event', () => {
  it('is one wording for chat, timeline and terminal', () => {
    const [transcript, terminal, timeline] = [
      new Transcript(),
      new EventText(plainStyle),
      new Timeline(),
    ];
    const same = new Set<string>([
      'run.alarmed',
      'experiment.decided',
      'question.asked',
      'question.answered',
    ]);
    const seen = new Set<string>();
    let index = 0;
    for (const [event, state] of told()) {
      const [part] = transcript.event(event, state);
      const lines = terminal.linesOf(event, state);
      timeline.add(event, index++, state);
      if (!same.has(event.type)) continue;
      seen.add(event.type);
      const description = describeEvent(event, state);
      assert.ok(description !== undefined);
      assert.deepEqual(lines, [descriptionLine(description, 400)]);
      const markdown = part?.kind === 'line' ? part.markdown.replaceAll('\\', '') : '';
      // The chat shows a question whole, with numbered answers.
      if (event.type === 'question.asked')
        assert.ok(markdown.startsWith(`${description.title} · ${description.detail}\n`), markdown);
      else assert.equal(markdown, lines[0]);
      const { title = '', note = '' } = timeline.steps.at(-1)?.row ?? {};
      assert.equal(`${title} · ${note}`, lines[0]);
    }
    assert.deepEqual(seen, same);
  });

  it('is complete in its title alone', () => {
    for (const [event, state] of told()) {
      const { title = 'none' } = describeEvent(event, state) ?? {};
      assert.ok(title.trim() !== '' && !title.includes('undefined'), `${event.type}: ${title}`);
    }
  });

  it('has no marks of text of others', () => {
    const why = 'git failed: <untrusted from="git on gpu1">no space</untrusted>.';
    const event = { type: 'run.not_started', runId: 'r1', why } as unknown as JournalEvent;
    for (const [, state] of told()) {
      assert.equal(describeEvent(event, state)?.detail, 'git failed: no space.');
      break;
    }
  });

  it('is absent for an event of a newer version', () => {
    const state = foldSession(night);
    assert.ok(state !== undefined);
    const future = { type: 'session.dreamt', v: 1, id: 'e', at: 0 } as unknown as JournalEvent;
    assert.equal(describeEvent(future, state), undefined);
  });
});
