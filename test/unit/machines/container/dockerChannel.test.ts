import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, it } from 'mocha';
import {
  DockerChannel,
  newMarker,
  reportingArgv,
} from '../../../../src/machines/container/dockerChannel.ts';

const frame = (kind: 1 | 2, text: string): Buffer => {
  const header = Buffer.alloc(8);
  header[0] = kind;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
};

describe('the channel of a container', () => {
  it('takes apart what the engine sends, wherever it is cut', async () => {
    const sent = Buffer.concat([
      frame(1, 'out'),
      frame(2, 'err hel'),
      frame(2, 'ios-end-no\n'),
      frame(1, ''),
      frame(2, 'last helios-end-'),
      frame(1, ' more'),
      frame(2, 'abc 3 \nleft behind'),
    ]);
    for (const pieceBytes of [1, 3, 7, sent.length]) {
      const stream = new PassThrough();
      const channel = new DockerChannel(stream, 'helios-end-abc');
      const heard = { out: '', err: '', exits: [] as unknown[] };
      channel.on('data', (bytes: Buffer) => (heard.out += bytes.toString()));
      channel.stderr.on('data', (bytes: Buffer) => (heard.err += bytes.toString()));
      channel.on('exit', (...exit: unknown[]) => heard.exits.push(exit));
      for (let at = 0; at < sent.length; at += pieceBytes)
        stream.write(sent.subarray(at, at + pieceBytes));
      stream.end();
      await once(channel, 'close');
      assert.deepEqual(heard, {
        out: 'out more',
        err: 'err helios-end-no\nlast left behind',
        exits: [[3]],
      });
    }
  });

  it('knows no end when the way there is lost', async () => {
    const stream = new PassThrough();
    const channel = new DockerChannel(stream, newMarker()).resume();
    channel.stderr.resume();
    let isKnown = false;
    channel.once('exit', () => (isKnown = true));
    stream.write(frame(2, 'half a line'));
    stream.destroy();
    await once(channel, 'close');
    assert.equal(isKnown, false);
  });

  it('reads no more from the engine than is taken', async () => {
    const stream = new PassThrough();
    const channel = new DockerChannel(stream, newMarker());
    const big = frame(1, 'x'.repeat(100_000));
    let written = 0;
    while (written < 100 && stream.write(big)) written++;
    await new Promise(setImmediate);
    assert.ok(stream.isPaused());
    assert.ok(channel.readableLength < 300_000);
    channel.destroy();
  });

  for (const shell of ['/bin/dash', '/bin/bash', '/bin/busybox'])
    it(`is told the true end of a command by ${shell}`, () => {
      const marker = newMarker();
      const report = (line: string): string => {
        const [, ...args] = reportingArgv(line, marker).map((word) =>
          word.replaceAll('/bin/sh', `${shell}${shell.endsWith('box') ? ' sh' : ''}`),
        );
        const argv = shell.endsWith('box') ? ['sh', ...args] : args;
        const { stderr, stdout } = spawnSync(shell, argv, { input: 'in\n', encoding: 'utf8' });
        return `${stdout}|${stderr.replace(marker, 'END')}`;
      };
      assert.equal(report('exit 0'), '|END 0 \n');
      assert.equal(report('cat; echo err >&2; exit 3'), 'in\n|err\nEND 3 \n');
      assert.equal(report('exit 143'), '|END 143 \n');
      assert.equal(report('kill -TERM $$'), '|END 143 signalled\n');
      assert.equal(report('kill -KILL $$'), '|END 137 signalled\n');
      assert.equal(report('kill -SEGV $$'), '|END 139 signalled\n');
      assert.equal(report('exec sh -c "kill -KILL \\$\\$"'), '|END 137 signalled\n');
      assert.equal(report('kill -INT $$'), '|END 130 \n', 'as shells have it');
      assert.equal(
        report('[ "$(cut -d" " -f6 /proc/$$/stat)" = "$$" ]'),
        '|END 0 \n',
        'in a session of its own',
      );
    });
});
