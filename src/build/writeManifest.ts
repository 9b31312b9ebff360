/** Writes the generated files: the settings part of `package.json`, and `docs/configuration.md`. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { configurationPage } from './configurationPage.ts';
import { withSettings } from './manifest.ts';

await writeFile('package.json', withSettings(await readFile('package.json', 'utf8')));
await mkdir('docs', { recursive: true });
await writeFile('docs/configuration.md', configurationPage());
