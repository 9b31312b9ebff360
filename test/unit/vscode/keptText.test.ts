import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { placeWarnings } from '../../../src/base/placeWarnings.ts';
import { keptText } from '../../../src/vscode/keepRunning/keptText.ts';

describe('the message about a session that continues when VS Code closes', () => {
  const warnings = placeWarnings('dev-container', '/home/ada/.helios', false);

  it('says what ends it in this place, and what removes it, each once', () => {
    const text = keptText('val_loss < 0.3', true, warnings);
    assert.match(text, /^“val_loss < 0\.3” continues in the background when VS Code closes/);
    assert.equal(text.split('"shutdownAction": "none"').length, 2);
    assert.equal(text.split('Rebuild Container removes').length, 2);
    assert.match(text, /target=\/home\/ada\/\.helios,type=volume/);
  });

  it('says no more where nothing ends it, nor for a session that stops', () => {
    assert.match(keptText('val_loss < 0.3', true, []), /returns to the next window\.$/);
    assert.match(keptText('val_loss < 0.3', false, warnings), /waits for the next window\.$/);
  });
});
