/** Checks the identity of hosts with OpenSSH's known_hosts files, and adds keys to them. */
import { createHash, createHmac } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, messageOf } from '../../base/errors.ts';
import { MachineFailure } from '../machine.ts';
import { matchesHost } from './configFile.ts';

export interface HostName {
  readonly host: string;
  readonly port: number;
}

/**
 * Result of a host key check. `fingerprint` has OpenSSH's form, `SHA256:…`. `note` is further
 * information for the user, and may be empty. `why` is a text for the user that names the file and
 * the line.
 */
export type HostKeyVerdict =
  | { readonly kind: 'known' }
  | {
      readonly kind: 'unknown';
      readonly fingerprint: string;
      readonly keyType: string;
      readonly note: string;
    }
  | { readonly kind: 'changed'; readonly why: string }
  | { readonly kind: 'revoked'; readonly why: string };

interface Entry {
  readonly marker: string;
  readonly hosts: string;
  readonly keyType: string;
  readonly key: string;
  readonly place: string;
}

/**
 * Resolves with the types of a host's keys in the known_hosts files, except keys of authorities and
 * revoked keys.
 */
export async function knownKeyTypes(files: readonly string[], name: HostName): Promise<string[]> {
  const entries = await entriesOf(files, name);
  return [...new Set(entries.filter(({ marker }) => marker === '').map(({ keyType }) => keyType))];
}

/**
 * Compares a host's key with the host's keys in the known_hosts files. If the files have only other
 * keys for the host, the result is `changed`, even for a new key type: an impostor could present a
 * key of a new type.
 */
export async function checkHostKey(
  files: readonly string[],
  name: HostName,
  key: Buffer,
): Promise<HostKeyVerdict> {
  const entries = await entriesOf(files, name);
  const shown = key.toString('base64');
  const fingerprint = fingerprintOf(key);
  const keyType = keyTypeOf(key);
  const revoked = entries.find((entry) => entry.marker === '@revoked' && entry.key === shown);
  if (revoked)
    return {
      kind: 'revoked',
      why: `The key of ${nameOf(name)} (${fingerprint}) is revoked in ${revoked.place}.`,
    };
  const plain = entries.filter(({ marker }) => marker === '');
  if (plain.some((entry) => entry.key === shown)) return { kind: 'known' };
  const other = plain.find((entry) => entry.keyType === keyType) ?? plain[0];
  if (other) return { kind: 'changed', why: changedText(name, `${keyType} ${fingerprint}`, other) };
  const authority = entries.find(({ marker }) => marker === '@cert-authority');
  const note = authority
    ? `${authority.place} names a certificate authority for this host, but Helios does not check host certificates.`
    : '';
  return { kind: 'unknown', fingerprint, keyType, note };
}

/**
 * Adds a host's key to a known_hosts file. Creates a missing file. Writes the line in one step, so
 * that other programs never read half of the line.
 */
export async function addHostKey(file: string, name: HostName, key: Buffer): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await using handle = await open(file, 'a+', 0o600);
    const { size } = await handle.stat();
    const last =
      size === 0 ? '\n' : (await handle.read(Buffer.alloc(1), 0, 1, size - 1)).buffer.toString();
    const line = `${nameOf(name)} ${keyTypeOf(key)} ${key.toString('base64')}\n`;
    await handle.write(last === '\n' ? line : `\n${line}`);
  } catch (error) {
    throw new MachineFailure(
      'io',
      `The key of ${nameOf(name)} could not be added to ${file}: ${messageOf(error)}.`,
      {
        cause: error,
      },
    );
  }
}

export const fingerprintOf = (key: Buffer): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;

/** Returns the type of a key, which the key's data begins with. */
const keyTypeOf = (key: Buffer): string =>
  key.subarray(4, 4 + key.readUInt32BE(0)).toString('latin1');

/** Returns the host's name as known_hosts files contain it, with the port unless the port is 22. */
const nameOf = ({ host, port }: HostName): string =>
  (port === 22 ? host : `[${host}]:${port}`).toLowerCase();

const changedText = (name: HostName, shown: string, entry: Entry): string =>
  `The host key of ${nameOf(name)} has changed to ${shown}; ${entry.place} has another key. Either the host ` +
  'was reinstalled, or an attacker is impersonating the host. Ask its administrator. If the new key is correct, remove the old key: ' +
  `ssh-keygen -R '${nameOf(name)}'`;

async function entriesOf(files: readonly string[], name: HostName): Promise<Entry[]> {
  const all = await Promise.all(files.map(readEntries));
  return all.flat().filter((entry) => isFor(entry.hosts, nameOf(name)));
}

async function readEntries(file: string): Promise<Entry[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return '';
    throw new MachineFailure(
      'host_key',
      `${file} cannot be read, so no host key can be checked: ${messageOf(error)}. Check the permissions of the file.`,
    );
  });
  return text.split('\n').flatMap((line, index) => {
    const words = line.trim().split(/\s+/);
    const marker = words[0]?.startsWith('@') ? (words.shift() ?? '') : '';
    const [hosts = '', keyType = '', key = ''] = words;
    if (hosts === '' || hosts.startsWith('#') || key === '') return [];
    return [{ marker, hosts, keyType, key, place: `${file}:${index + 1}` }];
  });
}

function isFor(hosts: string, name: string): boolean {
  const [, version, salt = '', hash = ''] = hosts.split('|');
  if (version === undefined) return matchesHost(name, hosts.split(','));
  if (version !== '1') return false;
  return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash;
}
