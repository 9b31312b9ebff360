import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { repositoryRoot } from '../setup/paths.ts';

interface LockedPackage {
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

describe('package-lock.json', () => {
  const { packages } = JSON.parse(
    readFileSync(join(repositoryRoot, 'package-lock.json'), 'utf8'),
  ) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };

  it('names no registry, so that each machine uses its own', () => {
    const named = Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined);
    assert.deepEqual(named, []);
  });

  it('holds the packages of every platform, without which `npm ci` refuses it', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) =>
          !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages),
      ),
    );
    assert.deepEqual(missing, []);
  });
});
