import { Verdict } from "@effect-retry/core"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Duration, FastCheck as fc, Option } from "effect"
import { law } from "../support/Laws.ts"

/** What a server, or a proxy before it, may send as a wait. */
const hostile: ReadonlyArray<readonly [hint: unknown, read: Option.Option<Duration.Duration>]> = [
  [NaN, Option.none()],
  [-1, Option.none()],
  [-Infinity, Option.none()],
  [-1n, Option.none()],
  ["-5 seconds", Option.none()],
  [1e308, Option.some(Duration.infinity)],
  ["soon", Option.none()],
  ["5", Option.none()],
  ["1e99 seconds", Option.none()],
  ["__proto__", Option.none()],
  ["x".repeat(1e6), Option.none()],
  [[NaN, 0], Option.none()],
  [[1e300, 1e300], Option.none()],
  [[], Option.none()],
  [{}, Option.none()],
  [null, Option.none()],
  [Symbol("now"), Option.none()],
  [() => 1, Option.none()],
  [0, Option.some(Duration.zero)],
  ["5 seconds", Option.some(Duration.seconds(5))],
  [1e99, Option.some(Duration.infinity)],
  [Infinity, Option.some(Duration.infinity)],
  [`${"9".repeat(400)} seconds`, Option.some(Duration.infinity)],
  [10n ** 400n, Option.some(Duration.infinity)]
]

describe("Verdict.retryable", () => {
  it.each(Verdict.kinds.map((kind) => [kind]))("carries its kind and no hint: %s", (kind) => {
    expect(Verdict.retryable(kind)).toEqual({ _tag: "Retryable", kind, hint: Option.none() })
  })

  it("reads a hint, which may be undefined or left out", () => {
    expect(Verdict.retryable("Throttling", { hint: "3 seconds" }).hint).toEqual(Option.some(Duration.seconds(3)))
    expect(Verdict.retryable("Throttling", { hint: undefined }).hint).toEqual(Option.none())
    expect(Verdict.retryable("Throttling", {}).hint).toEqual(Option.none())
  })

  it("says that there was progress, and nothing otherwise", () => {
    expect(Verdict.retryable("Server", { progressed: true })).toEqual({ ...Verdict.server, progressed: true })
    expect(Object.keys(Verdict.retryable("Server", { progressed: false }))).toEqual(["_tag", "kind", "hint"])
    expect(Verdict.withHint(Verdict.retryable("Server", { progressed: true }), 5)).toMatchObject({ progressed: true })
  })

  it("refuses a kind that does not exist", () => {
    expect(() => Verdict.retryable("Slow" as never)).toThrow(
      'Verdict.retryable: kind must be one of Transient, Throttling, Timeout, Server, Client, got "Slow"'
    )
  })

  it("never throws because of a hint, and ignores one that is not a duration", () => {
    expect(hostile.map(([hint]) => Verdict.retryable("Server", { hint: hint as never }).hint)).toEqual(
      hostile.map(([, read]) => read)
    )
  })

  it.prop(
    "never throws, whatever the hint",
    [fc.anything()],
    ([hint]) => {
      const { hint: read } = Verdict.retryable("Server", { hint: hint as never })
      expect(Option.getOrElse(Option.map(read, Duration.toMillis), () => 0)).toBeGreaterThanOrEqual(0)
    },
    law(1_000)
  )
})

describe("Verdict.kinds", () => {
  it("has a ready-made verdict for each", () => {
    const { client, server, throttling, timeout, transient } = Verdict
    expect([transient, throttling, timeout, server, client]).toEqual(
      Verdict.kinds.map((kind) => Verdict.retryable(kind))
    )
    expectTypeOf<Verdict.Kind>().toEqualTypeOf<"Transient" | "Throttling" | "Timeout" | "Server" | "Client">()
  })
})

describe("Verdict.withHint", () => {
  it("gives a retryable verdict a hint, in place of an earlier one", () => {
    const once = Verdict.withHint(Verdict.server, "1 second")
    expect(once).toEqual(Verdict.retryable("Server", { hint: 1_000 }))
    expect(Verdict.withHint(once, "2 seconds")).toEqual(Verdict.retryable("Server", { hint: 2_000 }))
  })

  it("keeps what it has when there is no hint", () => {
    const hinted = Verdict.retryable("Server", { hint: 1_000 })
    expect(Verdict.withHint(hinted, undefined)).toBe(hinted)
  })

  it("gives a terminal verdict a hint for buckets and rate limiters, and leaves no opinion as it is", () => {
    expect(Verdict.withHint(Verdict.terminal("no", { kind: "Throttling" }), 1_000)).toEqual(
      Verdict.terminal("no", { kind: "Throttling", hint: 1_000 })
    )
    expect(Verdict.withHint(Verdict.noOpinion, 1_000)).toBe(Verdict.noOpinion)
  })

  it("never throws because of a hint", () => {
    expect(hostile.map(([hint]) => Verdict.withHint(Verdict.client, hint as never))).toEqual(
      hostile.map(([, read]) => ({ ...Verdict.client, hint: read }))
    )
  })
})

describe("Verdict.terminal", () => {
  it("says why, with neither kind nor hint unless they are given", () => {
    expect(Verdict.terminal("it is gone")).toEqual({
      _tag: "Terminal",
      why: "it is gone",
      kind: Option.none(),
      hint: Option.none()
    })
    expect(Verdict.terminal("sent twice", { kind: "Throttling", hint: "2 seconds" })).toEqual({
      _tag: "Terminal",
      why: "sent twice",
      kind: Option.some("Throttling"),
      hint: Option.some(Duration.seconds(2))
    })
  })

  it("refuses a kind that does not exist, and no hint", () => {
    expect(() => Verdict.terminal("no", { kind: "Slow" as never })).toThrow(
      'Verdict.terminal: kind must be one of Transient, Throttling, Timeout, Server, Client, got "Slow"'
    )
    expect(hostile.map(([hint]) => Verdict.terminal("no", { hint: hint as never }).hint)).toEqual(
      hostile.map(([, read]) => read)
    )
  })
})

describe("Verdict.kindOf", () => {
  it("knows the kind of a failure, retryable or not", () => {
    const verdicts = [
      Verdict.timeout,
      Verdict.terminal("no"),
      Verdict.terminal("no", { kind: "Client" }),
      Verdict.noOpinion
    ]
    expect(verdicts.map(Verdict.kindOf)).toEqual([
      Option.some("Timeout"),
      Option.none(),
      Option.some("Client"),
      Option.none()
    ])
  })
})
