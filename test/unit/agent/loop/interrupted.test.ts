import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SessionEvent } from '../../../../src/agent/journal/events.ts';
import { act, type ActDeps } from '../../../../src/agent/loop/act.ts';
import type { SessionId } from '../../../../src/base/ids.ts';
import { AttachmentFiles } from '../../../../src/storage/attachmentFiles.ts';
import { usualPaths } from '../../../../src/permissions/pathRules.ts';
import { Redactor } from '../../../../src/base/secrets/redactor.ts';
import { unknownFate } from '../../../../src/agent/context/history.ts';
import { silentLogger } from '../../../../src/base/logger.ts';
import { defineTool, type ToolResult } from '../../../../src/tools/tool.ts';
import * as z from 'zod';
import { ManualClock } from '../../../fakes/manualClock.ts';

describe('a tool that does not heed an interruption', () => {
  /** A call of a tool that comes back only when the test says so. */
  const begin = async () => {
    const clock = new ManualClock();
    const recorded: SessionEvent[] = [];
    const work = Promise.withResolvers<ToolResult>();
    const begun = Promise.withResolvers<void>();
    const tool = defineTool({
      ...{
        name: 'deaf',
        description: 'Does not listen.',
        effect: 'execute',
        parameters: z.object({}),
      },
      describe: () => 'deaf',
      execute() {
        begun.resolve();
        return work.promise;
      },
    });
    const deps: ActDeps = {
      sessionId: 's-test00000' as SessionId,
      tools: new Map([['deaf', tool]]),
      gate: {
        decide: () => Promise.resolve({ isAllowed: true, by: 'mode', why: 'it may', accesses: [] }),
        allows: () => Promise.resolve(true),
      },
      clock,
      logger: silentLogger,
      secrets: new Redactor(),
      paths: usualPaths,
      files: new AttachmentFiles('/nowhere'),
      fate: () => Promise.resolve(unknownFate),
      warned: (result) => Promise.resolve(result),
      record: (event) => Promise.resolve(void recorded.push(event)),
      edits: { begin: () => Promise.resolve({ end: () => Promise.resolve() }) },
      show: () => undefined,
      isOver: () => false,
    };
    const abort = new AbortController();
    const acted = act(
      [{ type: 'tool_call', id: 'c1', name: 'deaf', input: {} }],
      deps,
      abort.signal,
    );
    await begun.promise;
    const results = () =>
      recorded.flatMap((event) => (event.type === 'tool.finished' ? [event] : []));
    return { clock, abort, acted, work, results };
  };

  it('is left to itself after 0.7 s, and may fail later', async () => {
    const { clock, abort, acted, work, results } = await begin();
    await clock.advance(60_000);
    abort.abort();
    await clock.advance(699);
    assert.deepEqual(results(), []);
    await clock.advance(1);
    await acted;
    assert.match(results()[0]?.text ?? '', /^Interrupted by the user while it ran/);
    assert.equal(results()[0]?.durationMs, 60_700);
    work.reject(new Error('much later'));
    await clock.advance(0);
    assert.equal(results().length, 1);
  });

  it('has its result where it comes back by then', async () => {
    const { clock, abort, acted, work, results } = await begin();
    abort.abort();
    await clock.advance(699);
    work.resolve({ content: 'just so' });
    await acted;
    assert.deepEqual(
      results().map(({ text, isError }) => [text, isError]),
      [['just so', false]],
    );
    assert.equal(clock.pendingTimers, 0);
  });
});
