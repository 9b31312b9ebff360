import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { keptText } from '../../../src/vscode/keepRunning/keptText.ts';

describe('the message about a session that continues when VS Code closes', () => {
  // The home folder is not there, so that it is no mount of this computer.
  const home = '/no-such-folder/.helios';
  const container = { place: 'dev-container', home } as const;

  it('says what ends it in this place, and what removes it, each once', () => {
    const text = keptText('val_loss < 0.3', true, container);
    assert.match(text, /^“val_loss < 0\.3” continues in the background when VS Code closes/);
    assert.equal(text.split('"shutdownAction": "none"').length, 2);
    assert.equal(text.split('Rebuild Container removes').length, 2);
    assert.match(text, /target=\/no-such-folder\/\.helios,type=volume/);
  });

  it('says no more where nothing ends it, nor for a session that stops', () => {
    const computer = { place: 'computer', home } as const;
    assert.match(keptText('val_loss < 0.3', true, computer), /returns to the next window\.$/);
    assert.match(keptText('val_loss < 0.3', false, container), /waits for the next window\.$/);
  });
});
