/** Reads the scalars of a TensorBoard event, which is encoded as a protocol buffer. */

export interface Scalar {
  readonly tag: string;
  readonly step: number;
  /** Seconds since the epoch. */
  readonly wallTime: number;
  readonly value: number;
}

/**
 * Returns the scalars of a record. Throws `RangeError` when the record is not a protocol buffer.
 */
export function readScalars(record: Uint8Array): Scalar[] {
  const event = fieldsOf(record);
  const wallTime = event.find(({ number }) => number === 1)?.double ?? NaN;
  const step = Number(event.find(({ number }) => number === 2)?.integer ?? 0n);
  const summaries = event.flatMap(({ number, bytes }) =>
    number === 5 && bytes ? fieldsOf(bytes) : [],
  );
  return summaries.flatMap(({ number, bytes }) => {
    const scalar = number === 1 && bytes ? readValue(bytes) : undefined;
    return scalar === undefined ? [] : [{ ...scalar, step, wallTime }];
  });
}

/**
 * Reads the tag and the value of a summary entry. Older writers store the value as `simple_value`,
 * newer writers as a tensor with one element.
 */
function readValue(bytes: Uint8Array): { tag: string; value: number } | undefined {
  const fields = fieldsOf(bytes);
  const tag = fields.find(({ number }) => number === 1)?.bytes;
  const simple = fields.find(({ number, float }) => number === 2 && float !== undefined)?.float;
  const tensor = fields.find(({ number }) => number === 8)?.bytes;
  const value = simple ?? (tensor && readTensor(tensor));
  return tag === undefined || value === undefined
    ? undefined
    : { tag: new TextDecoder().decode(tag), value };
}

const types = { float: 1, double: 2, int32: 3, int64: 9 };

/**
 * Returns the number in a tensor, from its raw bytes or from the list for its data type;
 * `undefined` when the tensor is not a scalar.
 */
function readTensor(bytes: Uint8Array): number | undefined {
  const fields = fieldsOf(bytes);
  const type = Number(fields.find(({ number }) => number === 1)?.integer ?? 0n);
  const content = fields.find(({ number }) => number === 4)?.bytes;
  if (content && content.length > 0) return rawNumber(content, type);
  return fields.map(listedNumber).find((value) => value !== undefined);
}

/**
 * Returns the first number of a list of floats (field 5), doubles (6) or integers (7, 10), whether
 * the list is packed or not.
 */
function listedNumber({ number, float, double, integer, bytes }: Field): number | undefined {
  switch (number) {
    case 5:
      return float ?? (bytes && rawNumber(bytes.subarray(0, 4), types.float));
    case 6:
      return double ?? (bytes && rawNumber(bytes.subarray(0, 8), types.double));
    case 7:
    case 10:
      return wholeNumber(integer ?? (bytes && varintAt(bytes, 0).value));
    default:
      return undefined;
  }
}

const wholeNumber = (value: bigint | undefined): number | undefined =>
  value === undefined ? undefined : Number(BigInt.asIntN(64, value));

function rawNumber(bytes: Uint8Array, type: number): number | undefined {
  const view = viewOf(bytes);
  if (type === types.float && bytes.length === 4) return view.getFloat32(0, true);
  if (type === types.double && bytes.length === 8) return view.getFloat64(0, true);
  if (type === types.int32 && bytes.length === 4) return view.getInt32(0, true);
  if (type === types.int64 && bytes.length === 8) return Number(view.getBigInt64(0, true));
  return undefined;
}

/** A field of a protocol buffer. Has exactly one value, in the property for its wire type. */
interface Field {
  readonly number: number;
  readonly integer?: bigint;
  readonly double?: number;
  readonly float?: number;
  readonly bytes?: Uint8Array;
}

function fieldsOf(bytes: Uint8Array): Field[] {
  const view = viewOf(bytes);
  const fields: Field[] = [];
  let at = 0;
  while (at < bytes.length) {
    const key = varintAt(bytes, at);
    at = key.end;
    const number = Number(key.value >> 3n);
    const kind = Number(key.value & 7n);
    if (kind === 0) {
      const { value, end } = varintAt(bytes, at);
      fields.push({ number, integer: value });
      at = end;
    } else if (kind === 1) {
      fields.push({ number, double: view.getFloat64(at, true) });
      at += 8;
    } else if (kind === 2) {
      const { value, end } = varintAt(bytes, at);
      at = end + Number(value);
      if (at > bytes.length) throw new RangeError('a field is longer than its record');
      fields.push({ number, bytes: bytes.subarray(end, at) });
    } else if (kind === 5) {
      fields.push({ number, float: view.getFloat32(at, true) });
      at += 4;
    } else throw new RangeError(`a field of the kind ${kind}`);
  }
  return fields;
}

function varintAt(bytes: Uint8Array, at: number): { value: bigint; end: number } {
  let value = 0n;
  for (let index = 0; index < 10; index++) {
    const byte = bytes[at + index];
    if (byte === undefined) break;
    value |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte < 0x80) return { value, end: at + index + 1 };
  }
  throw new RangeError('a number without an end');
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
