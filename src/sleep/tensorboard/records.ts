/**
 * Reads the records of a TensorBoard event file. A record consists of: the length of its data, a
 * checksum of that length, the data, a checksum of the data.
 */

export interface RecordsRead {
  readonly records: readonly Uint8Array[];
  /** Number of bytes in whole records. The next read begins after these bytes. */
  readonly usedBytes: number;
  /**
   * Number of bytes from `usedBytes` on that the next record needs; undefined while its length is
   * unknown.
   */
  readonly neededBytes?: number;
  /** The reason why the file is unreadable from `usedBytes` on; undefined if it is readable. */
  readonly damage?: string;
}

/** Maximum length of a record. Longer than any image or graph that a writer records. */
const maxRecordBytes = 64 * 2 ** 20;

const headBytes = 12;
const tailBytes = 4;

/**
 * Reads the whole records in `bytes`. Leaves an incomplete record at the end for the next read. A
 * record of more than `maxRecordBytes` is treated as damage, because the length in a damaged file
 * may be any number.
 */
export function readRecords(bytes: Uint8Array): RecordsRead {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records: Uint8Array[] = [];
  let at = 0;
  while (at + headBytes <= bytes.length) {
    const read = { records, usedBytes: at };
    const length = Number(view.getBigUint64(at, true));
    if (view.getUint32(at + 8, true) !== maskedChecksum(bytes.subarray(at, at + 8)))
      return { ...read, damage: 'the checksum of a length does not match' };
    if (length > maxRecordBytes)
      return { ...read, damage: `a record is longer than ${maxRecordBytes >> 20} MiB` };
    const end = at + headBytes + length;
    if (end + tailBytes > bytes.length)
      return { ...read, neededBytes: headBytes + length + tailBytes };
    const record = bytes.subarray(at + headBytes, end);
    if (view.getUint32(end, true) !== maskedChecksum(record))
      return { ...read, damage: 'the checksum of a record does not match' };
    records.push(record);
    at = end + tailBytes;
  }
  return { records, usedBytes: at };
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
