import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { ClaudeFinder } from '../../../src/models/claudeCli/findClaude.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { needs } from '../../setup/needs.ts';

describe('finding claude on Windows', () => {
  const scratch = scratchFolder();
  const at = (...names: string[]): string => path.join(scratch(), ...names);

  function write(file: string, text: string): string {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, 0o755);
    return file;
  }
  const program = (file: string): string =>
    write(file, '#!/bin/sh\n[ -n "$SYSTEMROOT" ] && echo "2.1.9 (Claude Code) $1"\n');
  /** The script that npm makes beside the packages. */
  const script = (file: string, target: string): string =>
    write(
      file,
      [
        '@ECHO off\r\nGOTO start\r\n:find_dp0\r\nSET dp0=%~dp0\r\nEXIT /b\r\n:start',
        'IF EXIST "%dp0%\\node.exe" (\r\n  SET "_prog=%dp0%\\node.exe"\r\n) ELSE (\r\n  SET "_prog=node"\r\n)',
        `endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  ${target} %*`,
      ].join('\r\n'),
    );
  const find = (named?: string, folders: readonly string[] = []) =>
    new ClaudeFinder(named, {
      platform: 'win32',
      env: { Path: folders.join(';'), SystemRoot: 'C:\\Windows', HOME: at('home') },
    }).find();

  needs('posix')(
    'looks for claude.exe in each folder of Path, and asks its version with what it needs',
    async () => {
      program(at('first', 'claude'));
      const own = program(at('second', 'claude.exe'));
      const found = await find(undefined, [at('first'), `"${at('second')}"`]);
      assert.deepEqual(found, { path: own, version: '2.1.9' });
    },
  );

  needs('posix')('starts the program behind a claude.cmd of npm without a shell', async () => {
    const target = '"%dp0%\\node_modules\\@anthropic-ai\\claude-code\\bin\\claude.exe"';
    script(at('npm', 'claude.cmd'), target);
    const own = program(at('npm/node_modules/@anthropic-ai/claude-code/bin/claude.exe'));
    assert.deepEqual(await find(undefined, [at('npm')]), { path: own, version: '2.1.9' });
  });

  needs('posix')('starts the JavaScript behind it by Node', async () => {
    mkdirSync(at('npm'));
    symlinkSync(process.execPath, at('npm', 'node'));
    const named = script(at('npm', 'claude.cmd'), '"%dp0%\\lib\\cli.js"');
    const own = write(at('npm/lib/cli.js'), 'console.log("2.1.8", process.argv[2])');
    for (const setting of [named, at('npm', 'claude'), own, undefined])
      assert.deepEqual(await find(setting, [at('npm')]), { path: own, version: '2.1.8' });
  });

  needs('posix')('looks where npm puts programs, also when Path does not name it', async () => {
    const own = program(at('roaming/npm/claude.exe'));
    const env = { APPDATA: at('roaming'), SystemRoot: 'C:\\Windows', HOME: at('home') };
    const found = await new ClaudeFinder(undefined, { platform: 'win32', env }).find();
    assert.deepEqual(found, { path: own, version: '2.1.9' });
  });

  it('says what to set where a script names no program', async () => {
    write(at('bin', 'claude.cmd'), '@wsl claude %*\r\n');
    assert.deepEqual(await find(undefined, [at('bin')]), {
      problem: `${at('bin', 'claude.cmd')} does not say which program it starts.`,
      action: 'Set the path of claude.exe or cli.js in the setting claudePath.',
    });
  });
});

describe('finding claude on other systems', () => {
  const scratch = scratchFolder();

  needs('posix')(
    'looks for claude in PATH alone, whatever the case of other variables',
    async () => {
      const own = path.join(scratch(), 'claude');
      writeFileSync(own, '#!/bin/sh\necho 2.1.9\n', { mode: 0o755 });
      const find = (env: NodeJS.ProcessEnv) =>
        new ClaudeFinder(undefined, { platform: 'linux', env }).find();
      const HOME = path.join(scratch(), 'home');
      assert.deepEqual(await find({ HOME, PATH: `/none::${scratch()}` }), {
        path: own,
        version: '2.1.9',
      });
      assert.equal('problem' in (await find({ HOME, Path: scratch() })), true);
    },
  );
});
