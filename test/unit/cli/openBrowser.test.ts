import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { restoreEnvironment } from '../../fakes/environment.ts';
import { openBrowser } from '../../../src/cli/auth/openBrowser.ts';
import { FakeWindows } from '../../fakes/windowsPrograms.ts';
import { scratchFolder, until } from '../../fakes/scratch.ts';

describe('opening the browser', () => {
  const folder = scratchFolder();
  const before = { ...process.env };
  afterEach(() => {
    restoreEnvironment(before);
  });

  it('starts it without keys in its environment', async () => {
    const seen = join(folder(), 'seen');
    for (const name of ['xdg-open', 'open'])
      writeFileSync(
        join(folder(), name),
        `#!/bin/sh\nenv > ${seen}.new && mv ${seen}.new ${seen}\n`,
        {
          mode: 0o755,
        },
      );
    process.env['PATH'] = `${folder()}:${before['PATH'] ?? ''}`;
    process.env['OPENAI_API_KEY'] = 'sk-model';
    process.env['DISPLAY'] = ':7';
    assert.equal(await openBrowser('http://127.0.0.1:9/'), true);
    await until('the browser was started', () => existsSync(seen));
    const text = readFileSync(seen, 'utf8');
    assert.ok(!text.includes('sk-model'));
    assert.ok(text.includes('DISPLAY=:7'));
  });

  it('asks the program of Windows, whatever the working folder has', async () => {
    const windows = new FakeWindows(folder());
    windows.program('rundll32.exe');
    const address = 'http://127.0.0.1:9/?a=1&b=2';
    assert.equal(await openBrowser(address, windows.system()), true);
    await until('it was asked', () => windows.calls('rundll32.exe').length === 1);
    assert.deepEqual(windows.calls('rundll32.exe'), [['url.dll,FileProtocolHandler', address]]);
  });
});
