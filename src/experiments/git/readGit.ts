/** Runs git for tools that read a repository with its own settings. */
import { shellText } from '../../base/shellText.ts';
import { shellQuote } from '../../base/text.ts';
import { scriptStart } from './gitScript.ts';

/**
 * Text that a script for POSIX sh evaluates before it calls `read_git`, which runs git in the
 * current folder without starting programs that the repository names. `git` is the absolute path of
 * git.
 */
export const readGitStart = (git: string): string => `${scriptStart}
${shellText('./overridePrograms.sh', import.meta.url)}
${shellText('./readGit.sh', import.meta.url)}
real=${shellQuote(git)}
`;
