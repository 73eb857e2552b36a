/**
 * Faults as web responses: made-up responses and broken bodies.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Runtime from "effect/Runtime"
import * as Stream from "effect/Stream"
import { ConnectionReset } from "./Fault.ts"
import * as Draw from "./Draw.ts"
import type { OfProtocol } from "./Interpret.ts"
import type { OfBody } from "./Tree.ts"

/** The header that distinguishes our response from one of the server. */
const marker = "x-injected-fault"

/** The answer to a request that is not sent. */
export const madeUp = (fault: Extract<OfProtocol, { readonly _tag: "Status" | "Throttle" }>): Response => {
  const { body, headers, status } =
    fault._tag === "Status" ? fault : { status: 429, body: "", headers: retryAfter(fault.hintMillis) }
  return new Response(withoutBody.has(status) ? null : body, {
    status,
    headers: { ...(body !== "" && { "content-type": "text/plain" }), ...headers, [marker]: fault._tag }
  })
}

const retryAfter = (millis: number): Record<string, string> => ({
  "retry-after": String(Math.ceil(millis / 1000)),
  ...(millis % 1000 !== 0 && { "retry-after-ms": String(Math.ceil(millis)) })
})

/** Source: https://fetch.spec.whatwg.org/#null-body-status. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304])

/** Whether a response has no body that could break. */
export const isWithoutBody = (method: string, status: number): boolean => method === "HEAD" || withoutBody.has(status)

/** The head of a response. */
interface Head {
  readonly status: number
  readonly headers: ConstructorParameters<typeof Headers>[0]
}

/** A response with this head and a broken body. */
export const broken = (
  { headers, status }: Head,
  body: Stream.Stream<Uint8Array, unknown>,
  fault: OfBody,
  seed: number,
  runtime: Runtime.Runtime<never>
): Response => {
  const marked = new Headers(headers)
  marked.set(marker, fault._tag === "Broken" ? "Reset" : fault._tag)
  // Bytes are requested only when they are read.
  const stream = Stream.toReadableStreamRuntime(bytesOf(body, fault, seed), runtime, {
    strategy: { highWaterMark: 0 }
  })
  return new Response(stream, { status, headers: marked })
}

/** The bytes of a body as they arrive. */
const bytesOf = (
  body: Stream.Stream<Uint8Array, unknown>,
  fault: OfBody,
  seed: number
): Stream.Stream<Uint8Array, unknown> => {
  switch (fault._tag) {
    case "Truncate":
      return take(body, fault.afterBytes)
    case "Broken":
      return Stream.concat(take(body, fault.afterBytes), Stream.fail(new ConnectionReset({ code: "ECONNRESET" })))
    case "Garble":
      return Stream.map(placed(body), ({ at, bytes }) =>
        bytes.map((byte, i) => garbled(byte, Draw.next(seed, at + i), fault.ratio))
      )
    case "SlowBody": {
      const { bytesPerSecond } = fault
      const size = Math.max(1, Math.floor(bytesPerSecond / 10))
      return Stream.mapEffect(
        Stream.flatMap(body, (bytes) => Stream.fromIterable(pieces(bytes, size))),
        (bytes) =>
          Effect.delay(Effect.succeed(bytes), Duration.millis(Math.round((1000 * bytes.length) / bytesPerSecond)))
      )
    }
  }
}

/** A different byte, with the given probability. */
const garbled = (byte: number, seed: number, ratio: number): number =>
  Draw.uniform(seed) < ratio ? byte ^ (1 + Math.floor(Draw.uniform(Draw.next(seed, 1)) * 255)) : byte

/** Bytes, and how many came before them. */
interface Placed {
  readonly at: number
  readonly bytes: Uint8Array
}

const placed = <E>(body: Stream.Stream<Uint8Array, E>): Stream.Stream<Placed, E> =>
  Stream.suspend(() => {
    let next = 0
    return Stream.map(body, (bytes) => {
      const at = next
      next += bytes.length
      return { at, bytes }
    })
  })

const take = (body: Stream.Stream<Uint8Array, unknown>, count: number): Stream.Stream<Uint8Array, unknown> =>
  count === 0
    ? Stream.empty
    : placed(body).pipe(
        Stream.takeUntil(({ at, bytes }) => at + bytes.length >= count),
        Stream.map(({ at, bytes }) => bytes.subarray(0, count - at))
      )

const pieces = (bytes: Uint8Array, size: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.max(1, Math.ceil(bytes.length / size)) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size)
  )
