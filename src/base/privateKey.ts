/** Number of bytes from the start of a file that show whether it is a private key. */
export const keyStartBytes = 200;

/** Returns whether a file begins like a private key in PEM format. */
export const isKeyStart = (head: Uint8Array): boolean =>
  /^\s*-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/.test(
    Buffer.from(head.subarray(0, keyStartBytes)).toString('latin1'),
  );
