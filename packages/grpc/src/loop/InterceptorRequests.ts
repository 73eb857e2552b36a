/**
 * The requests of one call, kept for as long as another attempt may need them.
 */
import type { InterceptorOptions, NextCall } from "@grpc/grpc-js"

/** A call as interceptors see it. */
export type Child = ReturnType<NextCall>

/** The context of a request: flags, and a callback for when it has been written. */
export type MessageContext = Parameters<Child["sendMessageWithContext"]>[0]

/** A request before it is serialised. */
export interface Request {
  readonly message: unknown
  readonly context: MessageContext
}

/** The requests of a call. Mutable, and belong to that call. */
export interface Requests {
  readonly serialize: InterceptorOptions["method_definition"]["requestSerialize"]
  readonly bufferBytes: number
  /** The index of the first kept request. */
  first: number
  readonly kept: Array<Request>
  /** The bytes of the requests before the index `measured`. */
  bytes: number
  measured: number
  /** Whether the caller has sent all requests. */
  ended: boolean
}

/** No requests yet. */
export const make = (serialize: Requests["serialize"], bufferBytes: number): Requests => ({
  serialize,
  bufferBytes,
  first: 0,
  kept: [],
  bytes: 0,
  measured: 0,
  ended: false
})

/** The request with an index, from 0, if it exists and is still kept. */
export const at = (self: Requests, index: number): Request | undefined => self.kept[index - self.first]

/** How many requests the caller has sent. */
export const count = (self: Requests): number => self.first + self.kept.length

/**
 * Whether all requests together are no larger than the buffer. They are measured only here, so that a call of one
 * request that succeeds at once is serialised once.
 */
export const fit = (self: Requests): boolean => {
  while (self.measured < count(self) && self.bytes <= self.bufferBytes) {
    self.bytes += frameBytes + bytesOf(self, at(self, self.measured)?.message)
    self.measured += 1
  }
  return self.bytes <= self.bufferBytes
}

/** Forgets the requests before an index. */
export const forget = (self: Requests, index: number): void => {
  self.kept.splice(0, index - self.first)
  self.first = Math.max(self.first, index)
  self.measured = Math.max(self.measured, self.first)
}

/**
 * The length of the frame header, a flag and a length, before every message.
 *
 * Source: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, "Length-Prefixed-Message".
 */
const frameBytes = 5

/** The size of a message. One that cannot be serialised is not kept, and is left for the client to refuse. */
const bytesOf = (self: Requests, message: unknown): number => {
  try {
    return self.serialize(message).length
  } catch {
    return Infinity
  }
}
