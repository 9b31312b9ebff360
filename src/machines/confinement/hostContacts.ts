/** The hosts for which confined commands asked their proxy, as `proxy.py` records them. */
import { formatBytes } from '../../base/text.ts';
import type { Confinement } from './policy.ts';

/** A host and a port for which a confined command asked at least once. */
export interface HostContact {
  readonly host: string;
  readonly port: number;
  /**
   * Why the proxy made no connection: the host is not on the list, it has a private address, or the
   * command asked for too many hosts. Omitted for an allowed host.
   */
  readonly refused?: 'unlisted' | 'private' | 'many';
  /** Bytes of the connections that have ended. Omitted if no connection has ended. */
  readonly sentBytes?: number;
  readonly receivedBytes?: number;
}

/** Maximum number of hosts of one command. */
const maxContacts = 500;
const form =
  /^(?:(allowed)|refused|closed)\t([\w.:-]{1,260})\t(\d{1,5})(?:\t(?:(unlisted|private|many)|(\d+)\t(\d+)))?$/;

/** Parses a record; ignores lines that are not complete. */
export function parseContacts(text: string): readonly HostContact[] {
  const contacts = new Map<string, HostContact>();
  for (const line of text.split('\n')) {
    const [found, , host = '', port, refused, sent, received] = form.exec(line) ?? [];
    if (found === undefined) continue;
    const key = [host, port, refused].join(' ');
    const known = contacts.get(key);
    if (known === undefined && contacts.size >= maxContacts) continue;
    contacts.set(key, {
      ...(known ?? { host, port: Number(port) }),
      ...(refused !== undefined && { refused: refused as HostContact['refused'] & string }),
      ...(sent !== undefined && {
        sentBytes: (known?.sentBytes ?? 0) + Number(sent),
        receivedBytes: (known?.receivedBytes ?? 0) + Number(received),
      }),
    });
  }
  return [...contacts.values()];
}

const reasons = {
  unlisted: 'not on the list of hosts',
  private: 'a private address',
  many: 'too many hosts',
} as const;

const place = ({ host, port }: HostContact): string =>
  port === 80 || port === 443 ? host : `${host}:${port}`;

/**
 * Returns a line for a host: `pypi.org, 1.2 kB sent, 3.4 MB received`, `evil.org, refused: …`, or, for
 * an allowed host without data, `pypi.org, no finished connection`.
 */
export function contactText(contact: HostContact): string {
  const { refused, sentBytes, receivedBytes = 0 } = contact;
  if (refused !== undefined) return `${place(contact)}, refused: ${reasons[refused]}`;
  if (sentBytes === undefined) return `${place(contact)}, no finished connection`;
  return `${place(contact)}, ${formatBytes(sentBytes)} sent, ${formatBytes(receivedBytes)} received`;
}

/** Returns a note that names each refused host once; `undefined` if no host was refused. */
export function refusedHostsNote(
  { listedIn = 'the list of hosts' }: Confinement,
  contacts: readonly HostContact[],
): string | undefined {
  const refused = contacts.filter((contact) => contact.refused !== undefined);
  if (refused.length === 0) return undefined;
  const names = refused.slice(0, 20).map((contact) => {
    const { host, port } = contact;
    return contact.refused === 'private' ? `${host}:${port} (a private address)` : place(contact);
  });
  const more = refused.length > 20 ? ` and ${refused.length - 20} more` : '';
  return `The confinement refused connections to ${[...new Set(names)].join(', ')}${more}. The user can add them to ${listedIn}.`;
}
