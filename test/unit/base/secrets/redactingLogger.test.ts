import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { redactingLogger } from '../../../../src/base/secrets/redactingLogger.ts';
import { Redactor } from '../../../../src/base/secrets/redactor.ts';
import { KeptLog } from '../../../fakes/keptLog.ts';

describe('redactingLogger', () => {
  it('redacts messages, texts and errors, and keeps the rest', () => {
    const secrets = new Redactor();
    secrets.add('quiet-river-7', 'LAB');
    const log = new KeptLog();
    const logger = redactingLogger(log, secrets);
    logger.debug('a quiet-river-7');
    logger.info('b', 'quiet-river-7', 42);
    logger.warn('c', new Error('no quiet-river-7', { cause: 1 }));
    logger.error(new Error('d quiet-river-7'), new Error('plain'));
    assert.ok(!log.text.includes('quiet-river-7'), log.text);
    assert.match(log.text, /b ⟨secret LAB [a-f\d]{8}⟩ 42/);
    assert.match(log.text, /Error: d ⟨secret LAB/);
    assert.match(log.text, /Error: plain\n\s+at /);
  });
});
