/**
 * Reads the secrets of the user before a session starts, so that they can be removed from any text.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readRegularText } from '../../base/regularFile.ts';
import { envFileSecrets } from '../../base/secrets/envFiles.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import { keySources } from '../../models/providerList.ts';
import type { EnginePorts } from '../contract/ports.ts';

const envFile = /^\.env(?:rc)?(?:\.[\w.-]+)?$/i;
const exampleFile = /\.(?:example|sample|template|dist|defaults?)$/i;
const maxEnvFiles = 20;
const maxEnvChars = 256 * 1024;

export class StoredSecrets {
  readonly #secrets: Redactor;
  readonly #ports: Pick<EnginePorts, 'secret'>;
  #keys: Promise<void> | undefined;

  constructor(secrets: Redactor, ports: Pick<EnginePorts, 'secret'>) {
    this.#secrets = secrets;
    this.#ports = ports;
  }

  /** Adds the stored keys of the providers, and the secrets in the `.env` files. Never rejects. */
  async learn(workFolder: string): Promise<void> {
    this.#keys ??= this.#addKeys();
    await Promise.all([this.#keys, this.#addEnvFiles(workFolder)]);
  }

  async #addKeys(): Promise<void> {
    const names = new Set(keySources.map(({ secret }) => secret));
    await Promise.all(
      [...names].map(async (name) => {
        const value = await this.#ports.secret(name).catch(() => undefined);
        this.#secrets.add(value, name);
      }),
    );
  }

  async #addEnvFiles(folder: string): Promise<void> {
    const names = await readdir(folder).catch(() => []);
    const files = names.filter((name) => envFile.test(name) && !exampleFile.test(name));
    for (const name of files.slice(0, maxEnvFiles)) {
      const text = await readRegularText(path.join(folder, name)).catch(() => '');
      for (const { name: variable, value } of envFileSecrets(text.slice(0, maxEnvChars)))
        this.#secrets.add(value, variable);
    }
  }
}
