import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { EventFiles } from '../../../src/sleep/tensorboard/eventFiles.ts';
import { maskedChecksum, readRecords } from '../../../src/sleep/tensorboard/records.ts';
import { readScalars } from '../../../src/sleep/tensorboard/scalars.ts';
import {
  double,
  float,
  part,
  varint,
  whole,
  writtenEvents as written,
} from '../../fakes/protocolBuffer.ts';
import { FakeMachine } from './fakePorts.ts';

const simple = (value: number): Buffer =>
  Buffer.concat([Buffer.from([(2 << 3) | 5]), float(value)]);
const tensor = (...fields: Buffer[]): Buffer => part(8, Buffer.concat(fields));

function event(step: number, wallTime: number, tag: string, ...value: Buffer[]): Buffer {
  const summary = part(1, Buffer.concat([part(1, Buffer.from(tag)), ...value]));
  return Buffer.concat([
    Buffer.from([(1 << 3) | 1]),
    double(wallTime),
    whole(2, step),
    part(5, summary),
  ]);
}

function record(data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(16 + data.length);
  bytes.writeBigUInt64LE(BigInt(data.length), 0);
  bytes.writeUInt32LE(maskedChecksum(bytes.subarray(0, 8)), 8);
  bytes.set(data, 12);
  bytes.writeUInt32LE(maskedChecksum(data), 12 + data.length);
  return bytes;
}

/** As every writer begins: the double 1, and `brain.Event:2` as the version. */
const version = record(
  Buffer.concat([Buffer.from([9]), double(1), part(3, Buffer.from('brain.Event:2'))]),
);
const valueOf = (...fields: Buffer[]): number | undefined =>
  readScalars(event(1, 1, 'x', ...fields))[0]?.value;

describe('event files of TensorBoard', () => {
  it('reads what a real writer wrote', () => {
    const { records, usedBytes, damage } = readRecords(written);
    assert.deepEqual([usedBytes, damage], [248, undefined]);
    const scalars = records.flatMap(readScalars).map(({ tag, step, value }) => [tag, step, value]);
    assert.deepEqual(
      scalars,
      [0, 1, 2, 3, 4].map((i) => ['loss', 10 * i, Math.fround(2 / (i + 1))]),
    );
  });

  it('checks with CRC-32C, turned and shifted', () => {
    // The check value of CRC-32C is e3069283.
    const crc = 0xe3069283;
    assert.equal(
      maskedChecksum(Buffer.from('123456789')),
      (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0,
    );
    // The length of the first record of each file that TensorFlow writes, as it is on disk.
    const head = Buffer.from('1800000000000000a37f4b22', 'hex');
    assert.equal(maskedChecksum(head.subarray(0, 8)), head.readUInt32LE(8));
  });

  it('reads a value however it is written', () => {
    assert.equal(valueOf(simple(0.5)), 0.5);
    assert.equal(
      valueOf(tensor(whole(1, 1), part(2, Buffer.alloc(0)), part(4, float(0.25)))),
      0.25,
    );
    assert.equal(valueOf(tensor(whole(1, 2), part(4, double(0.1)))), 0.1);
    assert.equal(valueOf(tensor(whole(1, 1), Buffer.from([(5 << 3) | 5]), float(1.5))), 1.5);
    assert.equal(valueOf(tensor(whole(1, 1), part(5, float(2.5)))), 2.5);
    assert.equal(valueOf(tensor(whole(1, 2), part(6, double(3.5)))), 3.5);
    assert.equal(valueOf(tensor(whole(1, 9), part(10, varint(-7n)))), -7);
    assert.equal(valueOf(part(9, Buffer.from('meta')), tensor(whole(1, 3), whole(7, 12))), 12);
    assert.ok(Number.isNaN(valueOf(simple(NaN))));
    for (const none of [
      tensor(whole(1, 7), part(8, Buffer.from('text'))),
      tensor(whole(1, 1)),
      part(4, float(1)),
    ])
      assert.equal(valueOf(none), undefined);
    assert.deepEqual(readScalars(event(12345678901, 1.5e9, 'ä/loss', simple(1))), [
      { tag: 'ä/loss', step: 12345678901, wallTime: 1.5e9, value: 1 },
    ]);
  });

  it('takes whole records, leaves what is being written, and stops where the file is damaged', () => {
    const bytes = Buffer.concat([version, record(event(1, 1, 'x', simple(1)))]);
    for (let end = 0; end <= bytes.length; end += 1) {
      const { records, usedBytes, damage } = readRecords(bytes.subarray(0, end));
      const count = end === bytes.length ? 2 : end >= version.length ? 1 : 0;
      assert.deepEqual([records.length, damage], [count, undefined], String(end));
      assert.equal(usedBytes, [0, version.length, bytes.length][count]);
    }
    for (const at of [0, 9, 14, version.length - 1]) {
      const broken = Buffer.from(bytes);
      broken[at] = (broken[at] ?? 0) ^ 1;
      const { records, usedBytes, damage } = readRecords(broken);
      assert.deepEqual([records, usedBytes], [[], 0]);
      assert.match(damage ?? '', /checksum/);
    }
    for (const nonsense of [[0xff], [0x0b], [0x0a, 0x7f], [0x09, 1]])
      assert.throws(() => readScalars(Buffer.from(nonsense)), RangeError);
  });

  it('reads each byte once, follows new files, and gives values in the order of writing', async () => {
    const machine = new FakeMachine('local');
    const reads: number[] = [];
    const counting = {
      readFile: (path: string, range?: { offset: number; maxBytes: number }) => {
        reads.push(range?.offset ?? -1);
        return machine.readFile(path, range);
      },
    };
    const events = new EventFiles();
    const texts = new Map<string, Buffer>();
    const ask = async (): Promise<number[]> => {
      for (const [path, bytes] of texts) machine.write(path, bytes.toString('latin1'));
      const files = [...texts].map(([path, bytes]) => ({
        path,
        sizeBytes: bytes.length,
        modifiedMs: 0,
        inode: '1',
      }));
      return (await events.newValues(counting, files, 'loss')).values.map(({ value }) => value);
    };
    const add = (path: string, ...bytes: Buffer[]): void =>
      void texts.set(path, Buffer.concat([texts.get(path) ?? Buffer.alloc(0), ...bytes]));
    add('/b', version, record(event(5, 30, 'loss', simple(3))));
    add(
      '/a',
      version,
      record(event(1, 10, 'loss', simple(1))),
      record(event(1, 11, 'other', simple(9))),
    );
    const half = record(event(2, 20, 'loss', simple(2)));
    add('/a', half.subarray(0, 20));
    assert.deepEqual(await ask(), [1, 3]);
    reads.length = 0;
    add(
      '/a',
      half.subarray(20),
      record(Buffer.from([0xff])),
      record(event(3, 50, 'loss', simple(4))),
    );
    add('/c', version, record(event(2, 40, 'loss', simple(5))));
    assert.deepEqual(await ask(), [2, 5, 4]);
    assert.ok(!reads.slice(0, 1).includes(0) && reads.length <= 4, String(reads));
    assert.deepEqual(await ask(), []);
    const image = record(event(4, 60, 'image', part(4, Buffer.alloc(5 << 20))));
    add('/c', image, record(event(4, 61, 'loss', simple(6))));
    assert.deepEqual(await ask(), [6], 'a record may be longer than what is read at a time');
  });

  it('reads a file from its beginning that stands in the place of another one, or is shorter', async () => {
    const machine = new FakeMachine('local');
    const events = new EventFiles();
    const ask = async (inode: string, ...values: number[]): Promise<number[]> => {
      const bytes = Buffer.concat([
        version,
        ...values.map((value) => record(event(1, value, 'loss', simple(value)))),
      ]);
      machine.write('/a', bytes.toString('latin1'));
      const file = { path: '/a', sizeBytes: bytes.length, modifiedMs: 0, inode };
      return (await events.newValues(machine, [file], 'loss')).values.map(({ value }) => value);
    };
    assert.deepEqual(await ask('1', 1, 2), [1, 2]);
    assert.deepEqual(await ask('1', 1, 2, 3), [3]);
    assert.deepEqual(await ask('2', 4, 5, 6, 7), [4, 5, 6, 7]);
    assert.deepEqual(await ask('2', 8), [8]);
  });

  it('reads no record of more than 64 MiB, whatever length a file names, and says so', async () => {
    const reads: number[] = [];
    const start = Buffer.concat([version, record(event(1, 1, 'loss', simple(1))), head(700 << 20)]);
    const sizeBytes = 700 * 2 ** 20;
    const machine = sparse(start, sizeBytes, reads);
    const events = new EventFiles();
    const file = { path: '/a', sizeBytes, modifiedMs: 0, inode: '1' };
    for (let look = 0; look < 2; look += 1) {
      const { values, damage } = await events.newValues(machine, [file], 'loss');
      assert.deepEqual(
        values.map(({ value }) => value),
        look === 0 ? [1] : [],
      );
      assert.match(
        damage.join(),
        /^\/a is unreadable from byte 82 on: a record is longer than 64 MiB$/,
      );
    }
    assert.deepEqual(reads, [4 * 2 ** 20]);
  });

  it('reads a record of the greatest length alone, and no more than that of a sparse file', async () => {
    const reads: number[] = [];
    const events = new EventFiles();
    const sizeBytes = 700 * 2 ** 20;
    const file = { path: '/a', sizeBytes, modifiedMs: 0, inode: '1' };
    const machine = sparse(head(64 * 2 ** 20), sizeBytes, reads);
    const { damage } = await events.newValues(machine, [file], 'loss');
    assert.match(damage.join(), /from byte 0 on: the checksum of a record does not match/);
    assert.deepEqual(reads, [4 * 2 ** 20, 64 * 2 ** 20 + 16]);
  });

  it('does not read a long record again and again while it is being written', async () => {
    const reads: number[] = [];
    const events = new EventFiles();
    const file = { path: '/a', sizeBytes: 30 * 2 ** 20, modifiedMs: 0, inode: '1' };
    const machine = sparse(head(50 * 2 ** 20), file.sizeBytes, reads);
    const { damage } = await events.newValues(machine, [file], 'loss');
    assert.deepEqual([damage, reads], [[], [4 * 2 ** 20]]);
  });

  it('reads at most 64 MiB of many or large files at a time, and the rest later', async () => {
    const events = new EventFiles();
    const image = record(event(4, 60, 'image', part(4, Buffer.alloc(3 << 20))));
    const block = Buffer.concat([image, record(event(4, 61, 'loss', simple(6)))]);
    const bytes = Buffer.concat(Array.from({ length: 30 }, () => block));
    const file = { path: '/a', sizeBytes: bytes.length, modifiedMs: 0, inode: '1' };
    let readBytes = 0;
    const machine = {
      readFile: (_: string, range = { offset: 0, maxBytes: Infinity }) => {
        const got = bytes.subarray(range.offset, range.offset + range.maxBytes);
        readBytes += got.length;
        return Promise.resolve(got);
      },
    };
    const first = await events.newValues(machine, [file], 'loss');
    assert.ok(first.values.length > 10 && first.values.length < 30);
    assert.ok(readBytes <= 68 * 2 ** 20);
    const { values } = await events.newValues(machine, [file], 'loss');
    assert.equal(first.values.length + values.length, 30);
  });
});

/** The beginning of a record of that length. */
const head = (length: number): Buffer => {
  const bytes = Buffer.alloc(12);
  bytes.writeBigUInt64LE(BigInt(length), 0);
  bytes.writeUInt32LE(maskedChecksum(bytes.subarray(0, 8)), 8);
  return bytes;
};

/** A file that begins so and is zeros after that. `reads`: the sizes that were asked for. */
const sparse = (start: Buffer, sizeBytes: number, reads: number[]) => ({
  readFile(_: string, { offset, maxBytes } = { offset: 0, maxBytes: sizeBytes }) {
    reads.push(maxBytes);
    assert.ok(maxBytes <= 65 * 2 ** 20, 'no larger buffer is asked for');
    const bytes = Buffer.alloc(Math.min(maxBytes, sizeBytes - offset));
    start.copy(bytes, 0, offset);
    return Promise.resolve(bytes);
  },
});
