/**
 * The requests of one call, kept as long as another attempt may have to send them.
 */
import type { InterceptorOptions, NextCall } from "@grpc/grpc-js"

/** A call as interceptors see it. */
export type Child = ReturnType<NextCall>

/** What a request is sent with: flags, and what to call when it was written. */
export type MessageContext = Parameters<Child["sendMessageWithContext"]>[0]

/** A request before it is serialised. */
export interface Request {
  readonly message: unknown
  readonly context: MessageContext
}

/** The requests of a call. Mutable, and of that call alone. */
export interface Requests {
  readonly serialize: InterceptorOptions["method_definition"]["requestSerialize"]
  readonly bufferBytes: number
  /** The index of the first request that is kept. */
  first: number
  readonly kept: Array<Request>
  /** The bytes of the requests before the index `measured`. */
  bytes: number
  measured: number
  /** Whether the caller has sent all. */
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

/** The request of an index, from 0, if it is there and still kept. */
export const at = (self: Requests, index: number): Request | undefined => self.kept[index - self.first]

/** How many requests the caller has sent. */
export const count = (self: Requests): number => self.first + self.kept.length

/**
 * Whether all requests together are no larger than the buffer. They are measured when this is asked: a call of one request
 * that succeeds at once is serialised once.
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
 * A flag and a length before every message.
 *
 * Source: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, "Length-Prefixed-Message".
 */
const frameBytes = 5

/** What cannot be serialised is for the client to refuse, and not to be kept. */
const bytesOf = (self: Requests, message: unknown): number => {
  try {
    return self.serialize(message).length
  } catch {
    return Infinity
  }
}
