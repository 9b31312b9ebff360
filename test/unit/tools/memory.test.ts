import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../../src/base/clock.ts';
import { ToolFailure } from '../../../src/base/errors.ts';
import type { SessionId } from '../../../src/base/ids.ts';
import { MemoryStore } from '../../../src/memory/memoryStore.ts';
import { memoryLs } from '../../../src/tools/memory/memoryLs.ts';
import { memoryRead } from '../../../src/tools/memory/memoryRead.ts';
import { memoryRm } from '../../../src/tools/memory/memoryRm.ts';
import { memoryWrite } from '../../../src/tools/memory/memoryWrite.ts';
import type { Tool, ToolResult } from '../../../src/tools/tool.ts';

const context = {
  sessionId: 's-1' as SessionId,
  callId: 'c',
  signal: new AbortController().signal,
  accesses: [],
  progress: () => undefined,
};

function call(tool: Tool, input: unknown): Promise<ToolResult> {
  const parsed = tool.parse(input);
  return parsed.ok ? tool.execute(parsed.args, context) : Promise.reject(new Error(parsed.problem));
}

describe('the memory tools', () => {
  let home: string;
  let memory: MemoryStore;

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'memory-tools-'));
    memory = new MemoryStore({
      sessionFolder: join(home, 'session'),
      projectFolder: join(home, 'project'),
      globalFolder: join(home, 'global'),
      clock: systemClock,
    });
  });

  afterEach(() => rm(home, { recursive: true }));

  it('say that a note has only a gist', async () => {
    await call(
      memoryWrite(memory, () => ''),
      { path: '/best', gist: 'run 7' },
    );
    const { content } = await call(memoryRead(memory), { path: '/best' });
    assert.equal((content as { note?: string }).note, 'The gist is all that this note holds.');
  });

  it('write, list, read and remove a note', async () => {
    const written = await call(
      memoryWrite(memory, () => ''),
      {
        path: 'papers/a/',
        gist: 'g',
        content: 'text',
      },
    );
    assert.deepEqual(written.content, { ok: true, path: '/papers/a', gist: 'g' });
    assert.deepEqual(written.changedFiles, [join(home, 'session', 'papers', 'a.md')]);

    assert.deepEqual((await call(memoryLs(memory), {})).content, {
      path: '/',
      children: [{ path: '/papers', gist: '', type: 'dir' }],
    });
    const read = (await call(memoryRead(memory), { path: '/papers/a' })).content as Record<
      string,
      unknown
    >;
    assert.equal(typeof read.updated_at, 'number');
    assert.deepEqual(
      { ...read, updated_at: 0 },
      { path: '/papers/a', gist: 'g', content: 'text', type: 'file', updated_at: 0 },
    );

    assert.deepEqual((await call(memoryRm(memory), { path: '/papers' })).content, {
      ok: true,
      path: '/papers',
      removed_count: 2,
    });
    assert.deepEqual((await call(memoryLs(memory), {})).content, {
      path: '/',
      children: [],
      note: 'There are no notes below this path yet.',
    });
  });

  it('name their effects', () => {
    assert.deepEqual(
      [memoryLs(memory), memoryRead(memory), memoryWrite(memory, () => ''), memoryRm(memory)].map(
        (tool) => [tool.spec.name, tool.effect],
      ),
      [
        ['memory_ls', 'read'],
        ['memory_read', 'read'],
        ['memory_write', 'write'],
        ['memory_rm', 'write'],
      ],
    );
  });

  it('fail with advice', async () => {
    const attempts: [Tool, unknown, RegExp][] = [
      [memoryRead(memory), { path: '/nope' }, /no note at \/nope/],
      [memoryWrite(memory, () => ''), { path: '/../x', gist: 'g' }, /not a memory path/],
      [memoryRm(memory), { path: '/' }, /cannot be removed/],
      [memoryLs(memory), { path: '..' }, /not a memory path/],
    ];
    for (const [tool, input, message] of attempts)
      await assert.rejects(
        call(tool, input),
        (error: unknown) => error instanceof ToolFailure && message.test(error.message),
      );
    await assert.rejects(
      call(
        memoryWrite(memory, () => ''),
        { path: '/x' },
      ),
      /gist/,
    );
  });

  it('show a bounded number of a large folder', async () => {
    for (let n = 0; n < 205; n += 1) await memory.write(`/${n}`, 'g', 'c');
    const { children, note } = (await call(memoryLs(memory), {})).content as {
      children: unknown[];
      note: string;
    };
    assert.equal(children.length, 200);
    assert.match(note, /5 more/);
  });
});
