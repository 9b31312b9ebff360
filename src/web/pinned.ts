/**
 * Resolves the host name of a request, checks the addresses, and lets connections use only these
 * addresses. A later DNS answer thus cannot redirect a connection to an unchecked address.
 */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import ipaddr from 'ipaddr.js';
import {
  checkHost,
  credentialHost,
  givesCredentials,
  isPublicAddress,
  notPublic,
} from './addresses.ts';

/** Returns all addresses of a name. Rejects like `dns.lookup`. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

const lookupAll = promisify(systemLookup);

export const resolveName: Resolve = (name) => lookupAll(name, { all: true });

export class PinnedNames {
  readonly #resolve: Resolve;
  readonly #addresses = new Map<string, readonly LookupAddress[]>();
  readonly #problems = new Map<string, NodeJS.ErrnoException>();

  constructor(resolve: Resolve) {
    this.#resolve = resolve;
  }

  /**
   * Resolves `host` and stores its addresses. Rejects with `WebFailure` if an address is not
   * public, unless private addresses are allowed; always rejects for an address that gives out
   * credentials. Accepts a name that cannot be resolved, because a proxy may know it, and a direct
   * connection fails anyway.
   */
  async pin(host: string, allowsPrivate: boolean): Promise<void> {
    if (!allowsPrivate) checkHost(host);
    if (givesCredentials(host)) throw credentialHost(host);
    if (ipaddr.isValid(host)) return;
    this.#addresses.delete(host);
    try {
      this.#addresses.set(host, await this.#resolve(host));
    } catch (error) {
      this.#problems.set(host, error as NodeJS.ErrnoException);
    }
    const found = this.#addresses.get(host) ?? [];
    const gives = found.some(({ address }) => givesCredentials(address));
    const isPublic = found.every(({ address }) => isPublicAddress(address));
    if (!gives && (allowsPrivate || isPublic)) return;
    this.#addresses.delete(host);
    throw gives ? credentialHost(host) : notPublic(host);
  }

  /** Lookup function for connections. Returns only the stored addresses. */
  readonly lookup: LookupFunction = (name, options, callback) => {
    const host = name.replace(/\.$/, '');
    const wantedFamily =
      options.family === 4 || options.family === 'IPv4' ? 4 : options.family ? 6 : undefined;
    const found = (this.#addresses.get(host) ?? []).filter(
      ({ family }) => wantedFamily === undefined || family === wantedFamily,
    );
    const [first] = found;
    if (first === undefined) return callback(this.#problems.get(host) ?? notFound(host), '');
    if (options.all === true) callback(null, [...found]);
    else callback(null, first.address, first.family);
  };
}

const notFound = (host: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${host} was not found`), { code: 'ENOTFOUND' });
