import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { Screen } from '../../../src/cli/screen/screen.ts';
import { FakeOutput, shownBy } from '../../fakes/cliDeps.ts';
import { ManualClock } from '../../fakes/manualClock.ts';

describe('Screen', () => {
  let output: FakeOutput;
  let clock: ManualClock;
  let block: string[];
  let screen: Screen;
  const shown = (): string[] => shownBy(output.text, output.columns);

  beforeEach(() => {
    output = new FakeOutput();
    output.columns = 40;
    clock = new ManualClock();
    block = ['run 1 running', 'turn 1'];
    screen = new Screen(output, clock, () => block);
  });

  it('keeps the transcript above the block', () => {
    screen.print(['first']);
    screen.print(['second']);
    assert.deepEqual(shown(), ['first', 'second', '', 'run 1 running', 'turn 1']);
  });

  it('redraws the block in place, once for many changes, and not at all for none', async () => {
    screen.print(['first']);
    block = ['turn 2'];
    for (let change = 0; change < 5; change += 1) screen.redraw();
    const before = output.writes.length;
    await clock.advance(100);
    assert.deepEqual(shown(), ['first', '', 'turn 2']);
    assert.equal(output.writes.length, before + 1);
    screen.redraw();
    await clock.advance(100);
    assert.equal(output.writes.length, before + 1);
  });

  it('shows streamed text as it comes, broken between words', async () => {
    for (const word of 'the loss comes down slowly like rain on a window'.split(' '))
      screen.stream(`${word} `);
    await clock.advance(100);
    const lines = shown();
    assert.equal(lines[0], 'the loss comes down slowly like rain on');
    assert.equal(lines[1]?.trim(), 'a window');
    screen.print(['  Launched lr=1']);
    assert.equal(shown()[2], '  Launched lr=1');
  });

  it('erases what it drew after the window was made narrower', () => {
    block = ['x'.repeat(35)];
    screen.print(['kept']);
    output.columns = 20;
    // The terminal has broken the old line into two rows.
    const before = output.text.length;
    output.emit('resize');
    screen.print(['next']);
    const erase = output.text.slice(before);
    assert.ok(
      erase.includes('\u001b[2A\r') || erase.includes('\r\u001b[2A'),
      JSON.stringify(erase),
    );
  });

  it('erases all rows of wide text that the narrower terminal broke', () => {
    // Two of the three columns hold a character, and the third stays empty: a row for each.
    block = ['中'.repeat(9)];
    screen.print(['kept']);
    output.columns = 3;
    const before = output.text.length;
    output.emit('resize');
    screen.print(['next']);
    assert.ok(
      output.text.slice(before).includes('\r\u001b[9A\u001b[J'),
      JSON.stringify(output.text.slice(before)),
    );
  });

  it('leaves the transcript alone when it goes', () => {
    screen.stream('half a line');
    screen.dispose();
    assert.deepEqual(shown(), ['half a line', '']);
    assert.equal(clock.pendingTimers, 0);
    assert.equal(output.listenerCount('resize'), 0);
    const { length } = output.text;
    screen.print(['late']);
    assert.equal(output.text.length, length);
  });

  it('gives way while somebody else writes', () => {
    screen.print(['first']);
    screen.pause();
    output.write('question? ');
    screen.print(['notice']);
    screen.redraw();
    screen.stream('reply\n');
    output.write('y\n');
    screen.resume();
    assert.deepEqual(shown(), [
      ...['first', 'question? y', 'notice', 'reply'],
      ...['', 'run 1 running', 'turn 1'],
    ]);
  });

  it('loses nothing that it held back when it ends', () => {
    screen.pause();
    screen.print(['notice']);
    screen.dispose();
    assert.deepEqual(shown(), ['notice']);
  });
});
