import type { Backoff, Observe, Retry } from "@effect-retry/core"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import { GrpcClassifier, GrpcRetry, ServiceConfig } from "@effect-retry/grpc"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { hear, hearing } from "./heard.ts"
import { rowsOf, tableOf } from "./rows.ts"

const path = "packages/grpc/README.md"

const virtually = (name: string, body: () => Effect.Effect<void, unknown>) =>
  it.effect(name, () => VirtualClock.run(body()).pipe(Effect.provide(SeededRandom.layerConstant(0.5))))

/** The reason of the last operation that gave up. */
let reason: Retry.StopReason | undefined
const listen: Observe.Observer = (event) =>
  Effect.sync(() => {
    if (event._tag === "GaveUp") reason = event.reason
  })
const observe = [listen, hear]

/** The upper end of what the delay of a retry is drawn from. */
const longest = ({ tree }: Backoff.Backoff, n: number): number => {
  let delayMillis = NaN
  for (let retry = 1; retry <= n; retry++) {
    const stepped = BackoffTree.step(tree, { u: 1 - 2 ** -53, kind: undefined, ranMillis: 0, elapsedMillis: 0 })
    delayMillis = stepped?.delayMillis ?? NaN
    tree = stepped?.rest ?? tree
  }
  return delayMillis
}

const unary = {
  maxAttempts: 4,
  initialBackoff: "1s",
  maxBackoff: "10s",
  backoffMultiplier: 2,
  retryableStatusCodes: ["UNAVAILABLE"]
} as const

const configOf = (retryPolicy: object, others: object = {}) =>
  ServiceConfig.decode({ methodConfig: [{ name: [{}], retryPolicy }], ...others })

const policyOf = (retryPolicy: object) =>
  Effect.flatMap(configOf(retryPolicy), (config) =>
    Effect.map(GrpcRetry.make(config), ({ policy }) => policy("/library.v1.Library/ListBooks"))
  )

const shown = (value: unknown): string =>
  value === undefined ? "absent" : Array.isArray(value) ? value.join(", ") : String(value)

describe(`${path} ## Defaults`, () => {
  virtually("are what the table says, row by row", () =>
    Effect.gen(function* () {
      const { backoff, maxAttempts } = yield* policyOf({ ...unary, maxAttempts: 9 })
      const judged = (pushback?: GrpcClassifier.ServerDelay) =>
        ["100", "-1"].map((value) => GrpcClassifier.make({ codes: [], pushback })(pushedBack(value), {} as never))
      const rules = (["hint", "retry", "ignore"] as const).filter(
        (rule) => JSON.stringify(judged(rule)) === JSON.stringify(judged())
      )
      const values = {
        "`GrpcRetry.make` `maxAttemptsCap`": maxAttempts,
        "`GrpcRetry.make` jitter": (Math.round(longest(backoff, 1)) - 1000) / 1000,
        "`GrpcClassifier.make` `pushback`": rules
      }
      const rows = rowsOf(path, "## Defaults").map(([option = "", value]) => [option, value])
      expect(Object.entries(values).map(([option, value]) => [option, shown(value)])).toEqual(rows)
    })
  )
})

/** What a gRPC call ends with, and when its attempts began; each failure of the script ends one. */
const called = (script: ReadonlyArray<unknown>, others: object = {}) =>
  Effect.gen(function* () {
    const grpc = yield* GrpcRetry.make(yield* configOf(unary, others), { observe })
    const began: Array<number> = []
    const attempt = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      began.push(now)
      const failure = script[began.length - 1]
      return failure === undefined ? Effect.succeed("done") : Effect.fail(failure)
    })
    const outcome = yield* Effect.merge(grpc.call("/library.v1.Library/ListBooks", () => attempt))
    return { began, outcome }
  })

const pushedBack = (value: string) => ({
  code: 14,
  metadata: { get: (name: string) => (name.endsWith("-ms") ? [value] : []) }
})

tableOf(
  path,
  "## What it does when",
  {
    "A call fails with a code that its retry policy lists": () =>
      virtually("waits, and sends it again", () =>
        Effect.gen(function* () {
          expect(yield* called([{ code: 14 }])).toEqual({ began: [0, 1000], outcome: "done" })
        })
      ),

    "A call fails with any other code": () =>
      virtually("fails with the error", () =>
        Effect.gen(function* () {
          expect(yield* called([{ code: 5 }])).toEqual({ began: [0], outcome: { code: 5 } })
          expect(reason).toMatchObject({ _tag: "Terminal", why: "NOT_FOUND" })
        })
      ),

    "All attempts are spent": () =>
      virtually("fails with the last error", () =>
        Effect.gen(function* () {
          const { began, outcome } = yield* called([14, 14, 14, 14].map((code, index) => ({ code, index })))
          expect([began.length, outcome]).toEqual([4, { code: 14, index: 3 }])
          expect(reason?._tag).toBe("AttemptsSpent")
        })
      ),

    "The throttle is at half or below": () =>
      virtually("fails with the last error, without a wait", () =>
        Effect.gen(function* () {
          const unavailable = { code: 14 }
          const throttled = { retryThrottling: { maxTokens: 4, tokenRatio: 0.1 } }
          expect(yield* called([unavailable, unavailable], throttled)).toEqual({
            began: [0, 1000],
            outcome: unavailable
          })
          expect(reason?._tag).toBe("BucketEmpty")
        })
      ),

    "The server pushes back": () =>
      virtually("waits exactly that long, and the back-off starts over", () =>
        Effect.gen(function* () {
          expect(yield* called([{ code: 14 }, pushedBack("123"), { code: 14 }])).toEqual({
            began: [0, 1000, 1123, 2123],
            outcome: "done"
          })
        })
      ),

    "The server forbids a retry": () =>
      virtually("fails with the error", () =>
        Effect.gen(function* () {
          const failure = pushedBack("-1")
          expect(yield* called([failure])).toEqual({ began: [0], outcome: failure })
          expect(reason?._tag).toBe("Terminal")
        })
      ),

    "A call of a method with hedges, and an attempt is slow": () =>
      virtually("sends the next one beside it, and takes the first answer", () =>
        Effect.gen(function* () {
          const hedgingPolicy = { maxAttempts: 3, hedgingDelay: "0.5s" }
          const config = yield* ServiceConfig.decode({ methodConfig: [{ name: [{}], hedgingPolicy }] })
          const grpc = yield* GrpcRetry.make(config, { observe })
          const attempt = (number: number) =>
            Effect.delay(Effect.succeed(number), number === 1 ? "1 minute" : "1 second")
          expect(yield* grpc.call("/library.v1.Library/ListBooks", attempt)).toBe(2)
          expect(yield* Clock.currentTimeMillis).toBe(1500)
        })
      ),

    "The next attempt would start after the `timeout` of its method": () =>
      virtually("fails with the last error, without a wait", () =>
        Effect.gen(function* () {
          const methodConfig = [{ name: [{}], timeout: "1.5s", retryPolicy: unary }]
          expect(yield* called([{ code: 14 }, { code: 14 }], { methodConfig })).toEqual({
            began: [0, 1000],
            outcome: { code: 14 }
          })
          expect(yield* Clock.currentTimeMillis).toBe(1000)
          expect(reason?._tag).toBe("DeadlinePassed")
        })
      ),

    "A call fails, and its method has no policy": () =>
      virtually("fails with the error", () =>
        Effect.gen(function* () {
          expect(yield* called([{ code: 14 }], { methodConfig: [] })).toEqual({ began: [0], outcome: { code: 14 } })
          expect(reason).toMatchObject({ _tag: "Terminal", why: "UNAVAILABLE, and the method has no retry policy" })
        })
      )
  },
  hearing
)
