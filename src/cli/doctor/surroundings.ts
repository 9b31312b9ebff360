import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { adviceOf, codeOf, messageOf } from '../../base/errors.ts';
import { projectsAt } from '../../compose/project.ts';
import { leftOutText } from '../../presentation/sessions/sessionText.ts';
import type { CliDeps } from '../cliDeps.ts';
import { readPreferences } from '../preferences.ts';
import { broken, note, ok, warning, type Finding, type Section } from './finding.ts';

/** Checks `preferences.json`, `helios.json` and the settings of VS Code. */
export async function settingFindings(deps: CliDeps, home: string): Promise<Section> {
  const findings = [
    await preferences(home),
    ...(await project(deps, home)),
    ...(await editors(deps)),
  ];
  return { title: 'Settings', findings };
}

async function preferences(home: string): Promise<Finding> {
  const warnings: string[] = [];
  try {
    const values = await readPreferences(home, (text) => warnings.push(text));
    if (warnings.length > 0) return warning('preferences.json', warnings.join(' '));
    return ok(
      'preferences.json',
      Object.keys(values).length === 0 ? 'none' : Object.keys(values).join(', '),
    );
  } catch (error) {
    return broken('preferences.json', adviceOf(error));
  }
}

async function project({ cwd, homeFolder }: CliDeps, home: string): Promise<Finding[]> {
  try {
    const found = await projectsAt(home, homeFolder).read(cwd);
    if (found === undefined)
      return [note('helios.json', `none for ${cwd}`, 'Create one with helios init.')];
    const { file, warnings, leftOut } = found;
    const texts = [...(leftOut === undefined ? [] : [leftOutText(leftOut)]), ...warnings];
    if (texts.length === 0) return [ok('helios.json', file)];
    return texts.map((text) => warning('helios.json', text));
  } catch (error) {
    return [broken('helios.json', adviceOf(error))];
  }
}

/** Paths of the user settings of VS Code and its variants, relative to the home folder. */
const settingsFiles = [
  '.config/Code/User/settings.json',
  '.config/VSCodium/User/settings.json',
  '.local/share/code-server/User/settings.json',
  '.vscode-server/data/Machine/settings.json',
  'Library/Application Support/Code/User/settings.json',
  'AppData/Roaming/Code/User/settings.json',
];

/**
 * Reports whether the AI features of VS Code are disabled. Without them, `@helios` is missing from
 * the chat, while the commands and views of Helios work.
 */
async function editors({ homeFolder }: CliDeps): Promise<Finding[]> {
  const found = await Promise.all(
    settingsFiles.map((file) => chatFinding(path.join(homeFolder, file))),
  );
  return found.filter((finding) => finding !== undefined);
}

async function chatFinding(file: string): Promise<Finding | undefined> {
  try {
    const isOff = /^\s*"chat\.disableAIFeatures"\s*:\s*true\b/m.test(await readFile(file, 'utf8'));
    if (!isOff) return ok('VS Code', `chat is on (${file})`);
    return warning(
      'VS Code',
      `chat.disableAIFeatures is on in ${file}: @helios is not in the chat.`,
      'Turn it off there, or use the command Helios: Start Goal.',
    );
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    return note('VS Code', `${file} cannot be read: ${messageOf(error)}`);
  }
}
