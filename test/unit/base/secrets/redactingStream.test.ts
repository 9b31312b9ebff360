import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { RedactingStream } from '../../../../src/base/secrets/redactingStream.ts';
import { Redactor } from '../../../../src/base/secrets/redactor.ts';
import { plantedSecrets } from '../../../fakes/plantedSecrets.ts';

const whole = (redactor: Redactor, pieces: readonly string[]): string => {
  const stream = new RedactingStream(redactor);
  return [...pieces.map((piece) => stream.push(piece)), stream.end()].join('');
};

describe('RedactingStream', () => {
  it('redacts a secret that is split anywhere as it redacts the whole text', () => {
    for (const { text, secret } of plantedSecrets()) {
      const all = `step=10 loss=0.83\nThe log says ${text}\nand goes on.`;
      const expected = new Redactor(Buffer.alloc(32)).redact(all);
      for (let at = 0; at <= all.length; at++) {
        const got = whole(new Redactor(Buffer.alloc(32)), [all.slice(0, at), all.slice(at)]);
        assert.ok(!got.includes(secret), `${text} split at ${at}: ${got}`);
        assert.equal(got, expected, `${text} split at ${at}`);
      }
    }
  });

  it('redacts secrets that arrive a character at a time', () => {
    for (const { text, secret } of plantedSecrets()) {
      const got = whole(new Redactor(), [...`say ${text}\nend`]);
      assert.ok(!got.includes(secret), `${text}: ${got}`);
    }
  });

  it('shows ordinary text before the line ends, and all of it at the end', () => {
    const stream = new RedactingStream(new Redactor());
    const text = 'The learning rate of the second run was too high, so the loss rose again';
    const early = stream.push(text);
    assert.ok(early.length > text.length / 2, early);
    assert.equal(early + stream.push('.') + stream.end(), `${text}.`);
  });

  it('holds back a bounded length', () => {
    const stream = new RedactingStream(new Redactor());
    const shown = Array.from({ length: 100 }, () => stream.push('x'.repeat(1000))).join('');
    assert.ok(shown.length >= 90_000);
    assert.equal((shown + stream.end()).length, 100_000);
  });
});
