/** Writes protocol buffers, and holds an event file of TensorBoard. */
export const varint = (value: bigint): Buffer => {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, value);
  do {
    bytes.push(Number(left & 0x7fn) | (left > 0x7fn ? 0x80 : 0));
    left >>= 7n;
  } while (left > 0n);
  return Buffer.from(bytes);
};
export const whole = (number: number, value: number): Buffer =>
  Buffer.concat([varint(BigInt(number << 3)), varint(BigInt(value))]);
export const part = (number: number, bytes: Uint8Array): Buffer =>
  Buffer.concat([varint(BigInt((number << 3) | 2)), varint(BigInt(bytes.length)), bytes]);
export const float = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
};
export const double = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
};

/** Written by tensorboardX: the loss 2 / (i + 1) at the step 10 i, five times. */
export const writtenEvents = Buffer.from(
  'GAAAAAAAAACjf0siCYTItDsZwNpBGg1icmFpbi5FdmVudDoyG96MYhgAAAAAAAAAo39LIgn7ELU7GcDaQSoNCgsKBGxvc3MVAAAAQMh2sEgaAAAAAAAAABKb2C0J9G61OxnA2kEQCioNCgsKBGxvc3MVAACAPx5LU2IaAAAAAAAAABKb2C0JLt+1OxnA2kEQFCoNCgsKBGxvc3MVq6oqP8Ls2/EaAAAAAAAAABKb2C0J1t+1OxnA2kEQHioNCgsKBGxvc3MVAAAAP4gcjPIaAAAAAAAAABKb2C0JE+C1OxnA2kEQKCoNCgsKBGxvc3MVzczMPma4fEs=',
  'base64',
);
