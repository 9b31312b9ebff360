import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createLineReader } from '../../../src/metrics/createLineReader.ts';
import {
  readLines,
  type LinePlace,
  type LineReader,
} from '../../../src/metrics/lines/lineReader.ts';
import { LineSplitter } from '../../../src/metrics/lines/lineSplitter.ts';
import type { MetricSpec } from '../../../src/metrics/metric.ts';
import { logLine } from './logLines.ts';
import { randomCuts, seededRandom } from './randomCuts.ts';

const seed = Number(process.env.HELIOS_LINES_SEED ?? 623_452);

const specs: readonly MetricSpec[] = [
  {},
  { names: ['loss', 'val_loss', 'acc', 'lr', 'train/loss', 'F1', 'acc@1'] },
  { names: ['loss'], also: ['parameters', 'test loss'] },
  { names: ['top_5', 'loss'] },
  { names: ['f1 macro', 'step', 'epoch', 'top-k', 'x2'] },
  { also: ['epoch'] },
  { names: ['loss'], also: ['epochs', 'step'] },
];

/** Lines as programs print them again and again, with other numbers. */
const templates = [
  'step=12 loss=0.5 lr=3e-4 grad_norm=0.51',
  '[2026-01-02 12:00:00,123] INFO step 12/1000 | loss: 0.5 | acc: 0.8123 | lr: 3.00e-04 | 41 ms/step',
  '2026-01-02 12:00:00 - INFO - epoch 3 - loss 0.5 - val_loss 12 - acc 98.2%',
  'Epoch [1/10], Step [100/600], Loss: 0.1234',
  'train: loss = 0.5, acc@1 = 0.25, tokens/s = 81234',
  'worker 3 fetched shard 12 and handed it to worker_4 on rank0',
  'saved checkpoint to out/ckpt-12.pt (1.2 GB)',
  'top-5 acc: 0.9 top 5: 0.8 top_5=0.7 f1 macro=0.5 F1: 1 x2=3 loss_2=4',
  'Accuracy: 9840/10000 (98%)',
  '{"step": 12, "loss": 0.5, "lr": 1e-4}',
  "{'loss': 0.5, 'step': 12}",
  ' 45%|████▌     | 12/1000 [00:01<00:09, 9.9it/s, loss=0.5]',
  'epoch  train_loss  acc',
  '1  0.5  0.25',
  'median over 5 rounds: 401.2 ms',
  'parameters 49',
  '49 parameters',
  'Verlust: 0,5 Genauigkeit: 98,2 %',
  'loss: 1,234.5 step 1_000',
  'loss=nan step 5',
  'layer_12/loss=0.5 9.step=5 step 4',
  '\u001b[32mstep 12\u001b[0m loss=0.5',
  'step\t12\tloss\t0.5',
  'loss=0.5/12 step=3/4 [12/1000]',
  'loss=5. step 4 acc=.5 lr=+3 x=-0.25',
  '',
];

/** Returns another number in place of the digits. */
function otherDigits(digits: string, random: () => number): string {
  const choice = random();
  if (choice < 0.5) return digits.replace(/\d/g, () => String(Math.floor(random() * 10)));
  if (choice < 0.85) return String(Math.floor(random() * 10 ** Math.floor(random() * 7)));
  const odd = ['0', '007', '-3', '+4', '1.5', '5.', '.5', '2e5', '1e-400', '1e22', '1,234', 'nan'];
  const long = ['9007199254740993', '0.30000000000000004', '123456789012345678', '1'.repeat(40)];
  return choice < 0.97 ? digits : ([...odd, ...long][Math.floor(random() * 16)] ?? '');
}

function output(random: () => number): Buffer {
  const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)];
  const parts: string[] = [];
  const mine = Array.from({ length: 8 }, () =>
    random() < 0.5 ? logLine(random) : pick(templates),
  );
  for (let count = 0; count < 300; count++) {
    const template = mine[random() < 0.6 ? count % 4 : Math.floor(random() * 8)] ?? '';
    const line = template.replace(/\d+/g, (digits) => otherDigits(digits, random));
    parts.push(line + (pick(['\n', '\n', '\n', '\n', '\n', '\r\n', '\r']) ?? ''));
  }
  return Buffer.from(parts.join(''));
}

interface Reading {
  readonly found: readonly string[];
  readonly matches: number;
}

function reading(spec: MetricSpec, chunks: readonly Uint8Array[], hasShapes: boolean): Reading {
  const found: string[] = [];
  let matches = 0;
  const reader: LineReader = createLineReader(spec, {
    onPoints: (points, end) =>
      points.forEach(({ metric, step, value }) =>
        found.push(`${end} ${metric} ${step} ${Object.is(value, -0) ? '-0' : value}`),
      ),
    onHeader: (header) => found.push(`header ${header}`),
    onReadLate: () => undefined,
    onSwitchedOff: () => undefined,
  });
  const splitter = new LineSplitter(0);
  const place = (end: number): LinePlace => ({ end, timeMs: 0 });
  const shapes = reader.shapes && {
    ...reader.shapes,
    read(at: LinePlace): void {
      matches++;
      reader.shapes?.read(at);
    },
  };
  const known: LineReader = {
    ...reader,
    shapes: hasShapes ? shapes : undefined,
  };
  for (const chunk of chunks) readLines(known, splitter, chunk, place);
  splitter.end((line, end) => reader.read(line, place(end)));
  found.push(`${splitter.lines} lines, ${splitter.lineEnd}, ${splitter.received}`);
  return { found, matches };
}

/** A line, which gets a shape if it can, and one with other digits that is read differently. */
const hardLines: readonly (readonly [spec: MetricSpec, line: string, other: string])[] = [
  [{}, 'loss=0.5 [12/1000]', 'loss=0.5 [13/1000]'],
  [{}, 'median over -3 rounds: 5 ms', 'median over 3 rounds: 5 ms'],
  [{}, '1  0.5', 'epoch  loss\n2  0.25'],
  [{}, 'epoch  loss\n1  0.5', '2  0.25'],
  [{}, 'loss 0.5', 'loss 5'],
  [{}, 'layer_1/loss=0.5', 'layer_2/loss=0.5'],
  [{ names: ['loss'] }, 'epoch  loss  val_2', 'epoch  loss  val_3'],
  [{ names: ['f1', 'loss'] }, 'f2=0.5 loss=1', 'f1=0.5 loss=1'],
  [{ names: ['acc@1', 'loss'] }, 'acc@5=0.5 loss=1', 'acc@1=0.5 loss=1'],
  [{ names: ['top_5', 'loss'] }, 'top 4=0.5 loss=1', 'top 5=0.5 loss=1'],
  [{ names: ['top-5 acc', 'acc'] }, 'top-10 acc=0.5', 'top-5 acc=0.5'],
  [{ names: ['acc'] }, 'top-10 acc=0.5', 'top-5 acc=0.5'],
  [{ names: ['loss'], also: ['parameters'] }, 'parameters 49', 'parameters 50'],
  [{ names: ['loss'] }, 'run_1/step=5 loss=1', `run_${'1'.repeat(1200)}/step=5 loss=1`],
  [{ names: ['loss'] }, 'loss=1/3', 'loss=1/12345678901234567890'],
  [{ names: ['loss'] }, 'loss=0.5.x', 'loss=5.x'],
];

describe(`Recognising lines (HELIOS_LINES_SEED=${seed})`, () => {
  it('tells lines apart whose digits decide what they mean', () => {
    for (const [spec, line, other] of hardLines) {
      const bytes = Buffer.from(`${`${line}\n`.repeat(4)}${other}\n${line}\n`);
      const [expected, actual] = [reading(spec, [bytes], false), reading(spec, [bytes], true)];
      assert.deepEqual(actual.found, expected.found, other.slice(0, 80));
    }
  });

  it('reads the second part of a line with its first part', () => {
    const spec = { names: ['loss', 'val_loss'] };
    const chunks = ['loss=0.5\n'.repeat(4), 'val_', 'loss=0.25\n'].map((text) => Buffer.from(text));
    assert.deepEqual(reading(spec, chunks, true).found, reading(spec, chunks, false).found);
  });

  for (const [index, spec] of specs.entries())
    it(`finds the points of the parser: ${JSON.stringify(spec)}`, () => {
      const random = seededRandom(seed + index);
      let matches = 0;
      for (let round = 0; round < 40; round++) {
        const bytes = output(random);
        const chunks = randomCuts(bytes, random, round % 4 === 0 ? 200 : 20_000);
        const expected = reading(spec, chunks, false);
        const actual = reading(spec, chunks, true);
        assert.deepEqual(actual.found, expected.found);
        matches += actual.matches;
      }
      assert.ok(index === 3 ? matches === 0 : matches > 100, `${matches} lines were recognised`);
    });
});
