/**
 * Resolves each name once, checks its addresses, and connects to exactly those: a second, different
 * DNS answer is never used.
 */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import ipaddr from 'ipaddr.js';
import { checkHost, isPublicAddress, notPublic } from './addresses.ts';

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
   * Resolves `host` and stores its addresses. Unless private addresses are allowed, rejects with
   * `WebFailure` when any address is not public. Accepts an unknown name: a proxy may know it, and
   * a direct connection fails.
   */
  async pin(host: string, allowsPrivate: boolean): Promise<void> {
    if (!allowsPrivate) checkHost(host);
    if (ipaddr.isValid(host)) return;
    this.#addresses.delete(host);
    try {
      this.#addresses.set(host, await this.#resolve(host));
    } catch (error) {
      this.#problems.set(host, error as NodeJS.ErrnoException);
    }
    const found = this.#addresses.get(host) ?? [];
    if (allowsPrivate || found.every(({ address }) => isPublicAddress(address))) return;
    this.#addresses.delete(host);
    throw notPublic(host);
  }

  /** Lookup function for connections: returns pinned addresses only. */
  readonly lookup: LookupFunction = (name, options, callback) => {
    const host = name.replace(/\.$/, '');
    const wanted =
      options.family === 4 || options.family === 'IPv4' ? 4 : options.family ? 6 : undefined;
    const found = (this.#addresses.get(host) ?? []).filter(
      ({ family }) => wanted === undefined || family === wanted,
    );
    const [first] = found;
    if (first === undefined) return callback(this.#problems.get(host) ?? notFound(host), '');
    if (options.all === true) callback(null, [...found]);
    else callback(null, first.address, first.family);
  };
}

const notFound = (host: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${host} was not found`), { code: 'ENOTFOUND' });
