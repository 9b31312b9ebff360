/**
 * Reads the records of a TensorBoard event file. A record consists of: the length of its data, a
 * checksum of that length, the data, a checksum of the data.
 */

export interface RecordsRead {
  readonly records: readonly Uint8Array[];
  /** Number of bytes in whole records. The next read begins after these bytes. */
  readonly usedBytes: number;
  /** True when a checksum does not match. The file is then unreadable from `usedBytes` on. */
  readonly isDamaged: boolean;
}

const headBytes = 12;
const tailBytes = 4;

/** Reads the whole records in `bytes`. Skips an incomplete record at the end, for the next read. */
export function readRecords(bytes: Uint8Array): RecordsRead {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records: Uint8Array[] = [];
  let at = 0;
  while (at + headBytes <= bytes.length) {
    const length = Number(view.getBigUint64(at, true));
    if (view.getUint32(at + 8, true) !== maskedChecksum(bytes.subarray(at, at + 8)))
      return { records, usedBytes: at, isDamaged: true };
    const end = at + headBytes + length;
    if (end + tailBytes > bytes.length) break;
    const record = bytes.subarray(at + headBytes, end);
    if (view.getUint32(end, true) !== maskedChecksum(record))
      return { records, usedBytes: at, isDamaged: true };
    records.push(record);
    at = end + tailBytes;
  }
  return { records, usedBytes: at, isDamaged: false };
}

/** Returns the CRC-32C checksum, rotated and offset as the event file format requires. */
export function maskedChecksum(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (table[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  crc = ~crc >>> 0;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

const table = Uint32Array.from({ length: 256 }, (_, index) => {
  let crc = index;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc;
});
