/**
 * A `google.rpc.Status` as it is sent in `grpc-status-details-bin`.
 *
 * Source: https://github.com/googleapis/googleapis/blob/master/google/rpc/status.proto.
 */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire"

/** A detail: its first field is the type, its second one the message. */
export const any = (type: string, value: Uint8Array): Uint8Array =>
  new BinaryWriter()
    .tag(1, WireType.LengthDelimited)
    .string(`type.googleapis.com/${type}`)
    .tag(2, WireType.LengthDelimited)
    .bytes(value)
    .finish()

export const retryInfo = (seconds: bigint, nanos = 0): Uint8Array => {
  const duration = new BinaryWriter()
  if (seconds !== 0n) duration.tag(1, WireType.Varint).int64(seconds)
  if (nanos !== 0) duration.tag(2, WireType.Varint).int32(nanos)
  return any(
    "google.rpc.RetryInfo",
    new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(duration.finish()).finish()
  )
}

/** With a code and a message before the details. */
export const encoded = (details: ReadonlyArray<Uint8Array>): Uint8Array => {
  const status = new BinaryWriter()
    .tag(1, WireType.Varint)
    .int32(8)
    .tag(2, WireType.LengthDelimited)
    .string("slow down")
  for (const detail of details) status.tag(3, WireType.LengthDelimited).bytes(detail)
  return status.finish()
}
