/**
 * How long a Google service asks its clients to wait: the `google.rpc.RetryInfo` of an error.
 *
 * It is in the `details` of a JSON error body, or in the trailer `grpc-status-details-bin` of a gRPC call. Both come
 * from outside: a value of another form counts as absent, reading never throws, and the amount read is bounded. The
 * policy's hint rule says how to use the wait.
 *
 * Source: https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto, "RetryInfo", and
 * https://google.aip.dev/193.
 *
 * @example
 * ```ts
 * import { RetryInfo } from "@effect-retry/google"
 * import * as assert from "node:assert"
 *
 * const body = {
 *   error: {
 *     code: 429,
 *     details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "2.5s" }]
 *   }
 * }
 * assert.strictEqual(RetryInfo.fromJson(body), 2500)
 * ```
 */
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire"
import * as Property from "@effect-retry/core/unstable/Property"
import * as ProtobufDuration from "@effect-retry/grpc/unstable/ProtobufDuration"

/** The end of the type's URL in an `Any`, after any host. */
const typeName = "/google.rpc.RetryInfo"

/** No status with details is this long: metadata of a gRPC call is limited to 8 KiB by default. */
const mostBytes = 65_536

/**
 * A duration of protobuf's JSON form, such as `"2s"` or `"0.250s"`, in milliseconds; `undefined` for anything else,
 * negative durations included.
 *
 * @category destructors
 */
export const durationMillis = (given: unknown): number | undefined => {
  const found = ProtobufDuration.fromJson(given)
  return found && millis(found)
}

const millis = ({ nanos, seconds }: ProtobufDuration.ProtobufDuration): number => seconds * 1000 + nanos / 1e6

/**
 * The delay in milliseconds that a parsed JSON error asks for; `undefined` if it asks for none.
 *
 * Takes a whole body, `{ "error": { … } }`, or its `error`.
 *
 * @category destructors
 */
export const fromJson = (body: unknown): number | undefined => {
  const details = Property.at(body, "error", "details") ?? Property.property(body, "details")
  const found = Property.entries(details).find((detail) => Property.text(detail, "@type")?.endsWith(typeName))
  return durationMillis(Property.property(found, "retryDelay"))
}

/**
 * The delay in milliseconds that an encoded `google.rpc.Status` asks for: the bytes of `grpc-status-details-bin`.
 *
 * `undefined` if it asks for none, or if the bytes are not such a message or are more than 64 KiB.
 *
 * @category destructors
 */
export const fromBinary = (bytes: unknown): number | undefined => {
  if (!(bytes instanceof Uint8Array) || bytes.length > mostBytes) return undefined
  try {
    return fromStatus(bytes)
  } catch {
    // The reader throws if the bytes end too early or have an unknown wire type.
    return undefined
  }
}

/** `google.rpc.Status`: its third field repeats `google.protobuf.Any`. */
const fromStatus = (bytes: Uint8Array): number | undefined => {
  for (const any of messages(bytes, 3)) {
    const [type] = messages(any, 1)
    const [value = empty] = messages(any, 2)
    if (type !== undefined && new TextDecoder().decode(type).endsWith(typeName)) return fromRetryInfo(value)
  }
  return undefined
}

const empty = /*#__PURE__*/ new Uint8Array()

/** Without a `retry_delay`, its first field, it asks for none. */
const fromRetryInfo = (bytes: Uint8Array): number | undefined => {
  const [found] = messages(bytes, 1)
  return found === undefined ? undefined : fromDuration(new BinaryReader(found))
}

/** `google.protobuf.Duration`: seconds, and nanoseconds. */
const fromDuration = (reader: BinaryReader): number | undefined => {
  let seconds = 0
  let nanos = 0
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag()
    if (wireType === WireType.Varint && field === 1) seconds = Number(reader.int64())
    else if (wireType === WireType.Varint && field === 2) nanos = reader.int32()
    else reader.skip(wireType, field)
  }
  const found = { seconds, nanos }
  return ProtobufDuration.isDuration(found) ? millis(found) : undefined
}

/** The values of a length-delimited field (texts, bytes or messages), in order. */
const messages = (bytes: Uint8Array, wanted: number): ReadonlyArray<Uint8Array> => {
  const found: Array<Uint8Array> = []
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag()
    if (field === wanted && wireType === WireType.LengthDelimited) found.push(reader.bytes())
    else reader.skip(wireType, field)
  }
  return found
}
