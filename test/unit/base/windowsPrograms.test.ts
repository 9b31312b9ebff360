import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { programCall } from '../../../src/base/windowsPrograms.ts';

describe('a program of the user on Windows', () => {
  const env = { SystemRoot: 'C:\\Windows', Path: '.;tools;"C:\\Git\\bin";C:\\Windows' };
  const call = (...there: readonly string[]): string =>
    programCall({ platform: 'win32', env }, 'ssh', (file) => there.includes(file));

  it('is started from the search path, and never from the working folder', () => {
    assert.equal(
      call('ssh.exe', 'tools\\ssh.exe', 'C:\\Git\\bin\\ssh.exe'),
      'C:\\Git\\bin\\ssh.exe',
    );
  });

  it('has a path where there is none, so that nothing else is started', () => {
    assert.equal(call('ssh.exe'), 'C:\\Windows\\System32\\ssh.exe');
  });

  it('has its name on other systems', () => {
    assert.equal(programCall({ platform: 'darwin', env }, 'ssh'), 'ssh');
  });
});
