/**
 * Holds the product to one place that knows the operating system, and to paths that are read by
 * their machine: this computer may run Windows.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { repositoryRoot } from '../setup/paths.ts';

const withShell = 'paths of runs, which start only on machines with a shell';
const shellLine = 'paths in a line of the shell';

/** The modules that may read paths as POSIX does, each with the reason. All others use `machine.path`. */
const posixModules: Readonly<Record<string, string>> = {
  'src/agent/runs/metricFiles.ts': withShell,
  'src/agent/session/usersChecks.ts': shellLine,
  'src/experiments/codeDifference.ts': 'names in a git repository',
  'src/experiments/duplicates.ts': withShell,
  'src/machines/absentMachine.ts': 'a machine that was removed from the list, which had a shell',
  'src/machines/confinement/confine.ts': 'bubblewrap, which only Linux has',
  'src/machines/confinement/confinementNote.ts': 'output of programs in bubblewrap',
  'src/machines/container/containerHost.ts': 'paths in a container',
  'src/machines/container/containerMachine.ts': 'paths in a container',
  'src/machines/container/findEngine.ts': 'sockets on macOS and Linux, beside those of Windows',
  'src/machines/lazyMachine.ts': 'machines with an entry, which all have a shell',
  'src/machines/local/localMachine.ts': 'this computer, if it has a shell',
  'src/machines/realPath.ts': 'the answer of a shell script',
  'src/machines/remote/remoteFollow.ts': 'paths of hosts with a shell',
  'src/machines/remote/shellMachine.ts': 'paths of hosts with a shell',
  'src/machines/ssh/configPaths.ts': 'a home folder of either form',
  'src/machines/transfer/endOf.ts': 'paths in the shell scripts of an end',
  'src/permissions/commands/classify.ts': shellLine,
  'src/permissions/commands/dangers/removals.ts': shellLine,
  'src/permissions/commands/files/listings.ts': shellLine,
  'src/permissions/commands/files/loopValues.ts': shellLine,
  'src/permissions/commands/files/trees.ts': shellLine,
  'src/permissions/commands/paths/operand.ts': shellLine,
  'src/permissions/commands/values/expansionOperators.ts': shellLine,
  'src/permissions/commands/values/pathNames.ts': shellLine,
  'src/permissions/commands/verdicts/installReasons.ts': shellLine,
  'src/permissions/git/plainGitCalls.ts': shellLine,
  'src/permissions/grants/grant.ts': shellLine,
  'src/permissions/mandate/line.ts': shellLine,
  'src/permissions/mandate/paths.ts': shellLine,
  'src/permissions/pathRules.ts': 'paths of all machines, with slashes',
  'src/reports/reportFolder.ts': 'names of reports, with slashes on every computer',
  'src/tools/parameters/commandVerdict.ts': shellLine,
  'src/tools/parameters/metricAccesses.ts': withShell,
  'src/tools/runs/remoteExecBackground.ts': withShell,
  'src/vscode/window/documents.ts': 'paths of URIs',
};

/** The modules that may ask Node for the operating system, each with the reason. */
const platformModules: Readonly<Record<string, string>> = {
  'src/base/platform.ts': 'all others ask this one',
  'src/cli/start.mjs': 'runs before TypeScript can be loaded',
};

/** The modules that may rename and delete files themselves, each with the reason. */
const fileModules: Readonly<Record<string, string>> = {
  'src/base/heldFiles.ts': 'all others ask this one, which waits for files that are open elsewhere',
  'src/build/nodeBundles.ts': 'builds the product',
  'src/machines/transfer/localWriting.ts': 'removes folders of its own, with their content',
};

const replacesFiles =
  /import \{[^}]*\b(?:rename|unlink|rm)(?:Sync)?\b[^}]*\} from 'node:fs(?:\/promises)?'|\bfs\.(?:rename|unlink|rm)(?:Sync)?\(/;
const importsPosix = /\bposix\b[^;]*from 'node:path'|'node:path\/posix'|\bpath\.posix\b/;
const asksNode =
  /\bprocess\.platform\b|\bplatform\b[^;{}]*\}[^;{}]*= process\b|\bplatform\b[^;]*from 'node:os'|\bos\.platform\b/;

describe('the operating system in the product', () => {
  const sources = globSync('src/**/*.{ts,mjs}', { cwd: repositoryRoot }).sort();
  const found = (pattern: RegExp): string[] =>
    sources.filter((file) => pattern.test(readFileSync(join(repositoryRoot, file), 'utf8')));

  it('has POSIX paths only where no path is of this computer on Windows', () => {
    assert.deepEqual(found(importsPosix), Object.keys(posixModules));
  });

  it('has files of others open only where renaming and deleting waits for them', () => {
    assert.deepEqual(found(replacesFiles), Object.keys(fileModules));
  });

  it('is asked for in one place', () => {
    assert.deepEqual(found(asksNode), Object.keys(platformModules));
  });
});
