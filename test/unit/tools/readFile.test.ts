import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { truncateSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { readFile } from '../../../src/tools/files/readFile.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { answer, call, localOnly } from './machineTools.harness.ts';

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

describe('read_file', () => {
  const folder = scratchFolder();
  const tool = () => readFile({ machines: localOnly(folder()) });
  const write = (name: string, content: string | Buffer): void =>
    writeFileSync(join(folder(), name), content);

  it('gives the lines that were asked for and the right total', async () => {
    const cases = [
      ['a\nb\nc\n', {}, 'a\nb\nc', { from: 1, to: 3, total: 3 }],
      ['a\nb\nc', {}, 'a\nb\nc', { from: 1, to: 3, total: 3 }],
      ['a\nb\nc', { offset: 2, limit: 1 }, 'b', { from: 2, to: 2, total: 3 }],
      ['a\n\n', {}, 'a\n', { from: 1, to: 2, total: 2 }],
      ['a\r\nb\r\n', {}, 'a\nb', { from: 1, to: 2, total: 2 }],
      ['', {}, '', { from: 0, to: 0, total: 0 }],
    ] as const;
    for (const [text, range, content, lines] of cases) {
      write('f.txt', text);
      assert.deepEqual(await answer(tool(), { path: 'f.txt', ...range }), { content, lines });
    }
  });

  it('counts a file of many megabytes and characters across its pieces', async () => {
    write('big.txt', `${'ä'.repeat(100)}\n`.repeat(30_000));
    const { content, lines } = await answer(tool(), {
      path: 'big.txt',
      offset: 15_000,
      limit: 20_000 / 10,
    });
    assert.deepEqual(lines, { from: 15_000, to: 16_999, total: 30_000 });
    assert.ok(
      String(content)
        .split('\n')
        .every((line) => line === 'ä'.repeat(100)),
    );
  });

  it('cuts long lines', async () => {
    write('long.txt', `${'x'.repeat(5000)}\nshort\n`);
    const { content } = await answer(tool(), { path: 'long.txt' });
    assert.match(
      String(content),
      /^x{2000}… \(line truncated; it has 5000 characters or more\)\nshort$/,
    );
  });

  it('shows images and documents by what they are, not by their name', async () => {
    write('plot.dat', png);
    const result = await call(tool(), { path: 'plot.dat' });
    assert.deepEqual(result.attachments, [
      {
        type: 'attachment',
        mediaType: 'image/png',
        name: 'plot.dat',
        base64: png.toString('base64'),
      },
    ]);
    write('paper.pdf', '%PDF-1.7 and so on');
    assert.equal(
      (await call(tool(), { path: 'paper.pdf' })).attachments?.[0]?.mediaType,
      'application/pdf',
    );
    write('fake.png', 'only text');
    assert.equal((await answer(tool(), { path: 'fake.png' })).content, 'only text');
  });

  it('lists a folder, and says when it has more than is shown', async () => {
    mkdirSync(join(folder(), 'data'));
    for (const name of ['.env', 'a b.txt', "it's.py", '-n']) write(name, 'x');
    assert.deepEqual((await call(tool(), { path: '.' })).content, {
      folder: folder(),
      entries: ['-n', '.env', 'a b.txt', 'data/', "it's.py"],
    });
    for (let index = 0; index < 501; index += 1) write(`data/${index}`, '');
    const { content, summary } = await call(tool(), { path: 'data' });
    assert.equal((content as { entries: string[] }).entries.length, 500);
    assert.match(JSON.stringify(content), /Only the first 500/);
    assert.equal(summary, 'more than 500 entries');
  });

  it('refuses pipes at once, so that all other files can still be read', async () => {
    execFileSync('mkfifo', [join(folder(), 'pipe')]);
    write('f.txt', 'text');
    const reads = Array.from({ length: 5 }, () => call(tool(), { path: 'pipe' }));
    for (const { status, reason } of await Promise.allSettled(reads).then((all) =>
      all.map((one) => ({ status: one.status, reason: String('reason' in one && one.reason) })),
    )) {
      assert.equal(status, 'rejected');
      assert.match(reason, /Cannot read \S+pipe: it is not a regular file\./);
    }
    assert.equal((await answer(tool(), { path: 'f.txt' })).content, 'text');
  });

  it('refuses what cannot be read, and says what to do', async () => {
    write('model.pt', Buffer.from([1, 0, 2]));
    write('huge.png', png);
    truncateSync(join(folder(), 'huge.png'), 11 * 1024 * 1024);
    await assert.rejects(call(tool(), { path: 'model.pt' }), /binary \(3 bytes\).*remote_exec/);
    await assert.rejects(call(tool(), { path: 'huge.png' }), /limit for an image or PDF is 10 MiB/);
    await assert.rejects(call(tool(), { path: 'no.txt' }), /no file .*no\.txt/);
    await assert.rejects(
      call(tool(), { path: 'x', machine_id: 'gpu1' }),
      /no machine "gpu1".*local/,
    );
    write('short.txt', 'one\n');
    await assert.rejects(call(tool(), { path: 'short.txt', offset: 5 }), /has 1 lines; offset 5/);
  });
});
