import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire"
import { RetryInfo } from "@effect-retry/google"
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Status from "../support/Status.ts"

/**
 * Durations in protobuf's JSON form, in milliseconds.
 *
 * Source: https://github.com/protocolbuffers/protobuf/blob/main/src/google/protobuf/duration.proto, "JSON Mapping".
 */
const durations: ReadonlyArray<readonly [given: unknown, millis: number | undefined]> = [
  ["0s", 0],
  ["2s", 2000],
  ["3.000000001s", 3000.000001],
  ["0.250s", 250],
  ["1.5s", 1500],
  ["315576000000s", 315_576_000_000_000],
  ["315576000001s", undefined],
  ["-1s", undefined],
  ["2", undefined],
  ["2S", undefined],
  ["2 s", undefined],
  [" 2s", undefined],
  ["2s\n", undefined],
  ["1.s", undefined],
  [".5s", undefined],
  ["1.0000000001s", undefined],
  ["1e3s", undefined],
  ["0x2s", undefined],
  ["s", undefined],
  ["", undefined],
  ["9".repeat(400) + "s", undefined],
  [2, undefined],
  [null, undefined],
  [{ seconds: 2 }, undefined]
]

describe("RetryInfo.durationMillis", () => {
  it.each(durations)("reads the JSON form only: %j", (given, millis) => {
    expect(RetryInfo.durationMillis(given)).toBe(millis)
  })
})

const info = (retryDelay: unknown, type = "type.googleapis.com/google.rpc.RetryInfo") => ({ "@type": type, retryDelay })
const other = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "RATE_LIMIT_EXCEEDED" }

/** Error bodies, and the wait that they ask for in milliseconds. */
const bodies: ReadonlyArray<readonly [title: string, body: unknown, millis: number | undefined]> = [
  ["a whole body", { error: { code: 429, details: [info("2s")] } }, 2000],
  ["its error", { code: 429, details: [info("2s")] }, 2000],
  ["among other details", { error: { details: [other, info("0.5s")] } }, 500],
  ["at another host", { error: { details: [info("1s", "example.com/google.rpc.RetryInfo")] } }, 1000],
  ["of another type", { error: { details: [{ ...info("1s"), "@type": "x/google.rpc.Help" }] } }, undefined],
  ["of a type that ends in the name", { error: { details: [info("1s", "x/my.google.rpc.RetryInfo")] } }, undefined],
  ["without a delay", { error: { details: [info(undefined)] } }, undefined],
  ["without details", { error: { code: 503 } }, undefined],
  ["details that are no list", { error: { details: info("1s") } }, undefined],
  [
    "behind more details than are read",
    { error: { details: [...Array.from({ length: 32 }, () => other), info("1s")] } },
    undefined
  ],
  ["no object", "2s", undefined],
  ["nothing", undefined, undefined]
]

describe("RetryInfo.fromJson", () => {
  it.each(bodies)("reads the details of an error: %s", (_, body, millis) => {
    expect(RetryInfo.fromJson(body)).toBe(millis)
  })

  it("never throws, whatever a body is", () => {
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error("no")
        }
      }
    )
    expect(RetryInfo.fromJson(hostile)).toBe(undefined)
    expect(RetryInfo.fromJson({ error: { details: [hostile] } })).toBe(undefined)
    FastCheck.assert(
      FastCheck.property(FastCheck.anything(), (details) => {
        RetryInfo.fromJson({ error: { details } })
      })
    )
  })
})

/** Waits as seconds and nanoseconds, and what becomes of them. */
const waits: ReadonlyArray<readonly [seconds: bigint, nanos: number, millis: number | undefined]> = [
  [2n, 0, 2000],
  [0n, 0, 0],
  [0n, 250_000_000, 250],
  [1n, 1, 1000.000001],
  [315_576_000_000n, 0, 315_576_000_000_000],
  [315_576_000_001n, 0, undefined],
  [-1n, 0, undefined],
  [1n, -1, undefined],
  [1n, 1_000_000_000, undefined],
  [9_223_372_036_854_775_807n, 0, undefined]
]

describe("RetryInfo.fromBinary", () => {
  it.each(waits)("reads the status of a trailer: %s s and %s ns", (seconds, nanos, millis) => {
    expect(RetryInfo.fromBinary(Status.encoded([Status.retryInfo(seconds, nanos)]))).toBe(millis)
  })

  it("finds it among other details, and the first of two", () => {
    const details = [
      Status.any("google.rpc.DebugInfo", new Uint8Array([1, 2])),
      Status.retryInfo(1n),
      Status.retryInfo(9n)
    ]
    expect(RetryInfo.fromBinary(Status.encoded(details))).toBe(1000)
  })

  it("asks for nothing without a delay, without details, or with another type", () => {
    expect(RetryInfo.fromBinary(Status.encoded([Status.any("google.rpc.RetryInfo", new Uint8Array())]))).toBe(undefined)
    expect(RetryInfo.fromBinary(Status.encoded([]))).toBe(undefined)
    expect(RetryInfo.fromBinary(Status.encoded([Status.any("google.rpc.Help", new Uint8Array([10, 0]))]))).toBe(
      undefined
    )
  })

  it("skips fields that it does not know", () => {
    const extra = new BinaryWriter()
    extra.tag(7, WireType.Varint).int32(1)
    extra.tag(8, WireType.Bit64).fixed64(1)
    extra.tag(3, WireType.Varint).int32(5)
    const bytes = new Uint8Array([...extra.finish(), ...Status.encoded([Status.retryInfo(3n)])])
    expect(RetryInfo.fromBinary(bytes)).toBe(3000)
  })

  it("takes every prefix of a status for itself, or for none", () => {
    const whole = Status.encoded([Status.retryInfo(2n)])
    for (let length = 0; length < whole.length; length++) {
      expect(RetryInfo.fromBinary(whole.subarray(0, length))).toBe(undefined)
    }
    expect(RetryInfo.fromBinary(whole)).toBe(2000)
  })

  it("reads no more than 64 KiB, and only bytes", () => {
    const padding = Status.any("google.rpc.Help", new Uint8Array(65_536))
    expect(RetryInfo.fromBinary(Status.encoded([Status.retryInfo(2n), padding]))).toBe(undefined)
    for (const given of [undefined, null, "CgIIAg==", [10, 2], { length: 3 }, new ArrayBuffer(4)]) {
      expect(RetryInfo.fromBinary(given)).toBe(undefined)
    }
  })

  it("never throws, and answers a possible wait or none", () => {
    const bytes = FastCheck.uint8Array({ maxLength: 200 })
    FastCheck.assert(
      FastCheck.property(bytes, FastCheck.boolean(), (bytes, isDetail) => {
        const given = isDetail ? Status.encoded([Status.any("google.rpc.RetryInfo", bytes)]) : bytes
        const millis = RetryInfo.fromBinary(given) ?? 0
        expect(millis >= 0 && Number.isFinite(millis)).toBe(true)
      })
    )
  })
})
