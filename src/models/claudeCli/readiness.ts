/** Checks whether `claude` can be used, from files and the environment alone. */
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Environment } from '../../base/childEnvironment.ts';
import { currentPlatform } from '../../base/platform.ts';
import type { Readiness } from '../model.ts';
import { isMetered } from './claudeEnv.ts';
import { claudeCliLabel, signInHint } from './claudeFailures.ts';
import type { ClaudeFinder } from './findClaude.ts';

export async function readinessOf(finder: ClaudeFinder, env: Environment): Promise<Readiness> {
  const found = await finder.find();
  if ('problem' in found) return { isReady: false, ...found };
  if (await maybeSignedIn(env)) return { isReady: true };
  return {
    isReady: false,
    problem: `${claudeCliLabel} ${found.version} is not signed in.`,
    action: signInHint,
  };
}

/** Returns whether the user may be signed in. Always true on macOS, whose keychain is not read. */
async function maybeSignedIn(env: Environment): Promise<boolean> {
  if (isMetered(env) || env['CLAUDE_CODE_OAUTH_TOKEN']?.trim() || currentPlatform() === 'darwin')
    return true;
  const folder = env['CLAUDE_CONFIG_DIR']?.trim() || path.join(env['HOME'] ?? homedir(), '.claude');
  try {
    await access(path.join(folder, '.credentials.json'));
    return true;
  } catch {
    return false;
  }
}
