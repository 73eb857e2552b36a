/** The tables of docs/observing.md, held against what operations show. */
import { Backoff, Classifier, Hedge, Hint, Observe, RateLimiter, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { GrpcRetry, ServiceConfig } from "@effect-retry/grpc"
import { HttpRetry } from "@effect-retry/http"
import { VirtualClock } from "@effect-retry/testing"
import { HttpClientRequest } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger, LogLevel } from "effect"
import * as LogLines from "../../../core/test/support/LogLines.ts"
import { type Answer, answer, exchange, reset, unavailable } from "../src/http-scripted.ts"
import { rowsOf } from "./rows.ts"

const path = "docs/observing.md"

interface Shown {
  readonly tag: Observe.RetryEvent["_tag"]
  readonly line: string
  readonly level: string
  readonly names: ReadonlyArray<string>
}

/** What observers show of the operations of a program. */
const shownBy = <A, E>(program: (observe: ReadonlyArray<Observe.Observer>) => Effect.Effect<A, E>, levels = {}) =>
  Effect.gen(function* () {
    const shown: Array<Shown> = []
    let tag: Shown["tag"] = "Succeeded"
    const logger = Logger.make<unknown, void>((options) => {
      const { annotations, level, message } = LogLines.of(options)
      const names = Object.keys(annotations)
      if (names.includes("retry.attempt")) shown.push({ tag, line: String(message), level, names })
    })
    const noting: Observe.Observer = ({ _tag }) =>
      Effect.sync(() => {
        tag = _tag
      })
    yield* Effect.exit(program([noting, Observe.logs(levels)])).pipe(
      Effect.withRandomFixed([0]),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Logger.withMinimumLogLevel(LogLevel.All)
    )
    return shown
  }).pipe(VirtualClock.run)

const policy = { maxAttempts: 4, backoff: Backoff.constant({ delay: "400 millis" }) }

const slow =
  (answer: Answer): Answer =>
  (request) =>
    Effect.delay(answer(request), "30 millis")

const hedge = { name: "search", classifier: Classifier.never, maxAttempts: 2, delay: "50 millis" } as const

/** The operations of the page, the last one inside an attempt of another. */
const stories = (observe: ReadonlyArray<Observe.Observer>) => {
  const client = { ...policy, name: "orders", observe }
  const get = (...answers: readonly [Answer, ...ReadonlyArray<Answer>]) =>
    exchange(answers, (bare) => HttpRetry.withRetry(bare, client).get("https://api.example/orders?token=secret"))
  const nested = Effect.zipRight(get(slow(unavailable)), Effect.fail("busy"))
  const job = { name: "job", classifier: Classifier.never, maxAttempts: 2, backoff: policy.backoff }
  const search = Effect.as(Effect.sleep("70 millis"), "found")
  return Effect.all([
    Hedge.hedge(search, { ...hedge, observe }),
    Hedge.hedge(search, { ...hedge, observe, bucket: TokenBucket.empty }),
    get(slow(answer(429, { "retry-after": "1" })), reset, answer(200)),
    get(slow(unavailable)),
    Effect.exit(Retry.retry(nested, job))
  ])
}

/** Operations that have the attributes that those lack. */
const others = (observe: ReadonlyArray<Observe.Observer>) =>
  Effect.gen(function* () {
    const route = HttpRetry.withOptions({ route: "/orders/{id}" })
    yield* exchange([unavailable, answer(404)], (bare) =>
      route(HttpRetry.withRetry(bare, { ...policy, observe }).get("https://api.example/orders/17"))
    )
    const retryPolicy = {
      maxAttempts: 2,
      initialBackoff: "0.1s",
      maxBackoff: "1s",
      backoffMultiplier: 2,
      retryableStatusCodes: ["UNAVAILABLE"]
    } as const
    const config = ServiceConfig.make({ methodConfig: [{ name: [{}], retryPolicy }] })
    const grpc = yield* GrpcRetry.make(config, { observe })
    yield* Effect.exit(grpc.call("/orders.Orders/Get", () => Effect.fail({ code: 14 })))
    const purge = HttpClientRequest.make("PURGE" as "GET")("http://127.0.0.1:8080/")
    yield* exchange([unavailable], (bare) => HttpRetry.withRetry(bare, { ...policy, observe }).execute(purge))
    const bucket = yield* TokenBucket.quota({ capacity: 100 })
    const rateLimiter = yield* RateLimiter.fixed({ rate: 1, burst: 1 })
    const classifier = (error: Error) => (error.message === "busy" ? Verdict.transient : Verdict.terminal("no use"))
    const own = { ...policy, classifier, bucket, rateLimiter, observe, hint: Hint.ignore }
    const steps = [Effect.fail(new Error("busy")), Effect.succeed("done"), Effect.fail(new Error("broken"))]
    const attempt = Effect.suspend(() => steps.shift() ?? Effect.succeed("done"))
    yield* Retry.retry(attempt, own)
    yield* Hedge.hedge(Effect.sleep("60 millis"), { ...hedge, bucket, observe })
    return yield* Effect.exit(Retry.retry(attempt, own))
  })

describe("docs/observing.md", () => {
  it.effect("has each line as it is logged, at its level", () =>
    Effect.gen(function* () {
      const rows = rowsOf(path, "## Log lines")
      expect(rows.map(([event]) => event)).toHaveLength(7)
      const [asDefault, all] = [yield* shownBy(stories), yield* shownBy(stories, { Succeeded: LogLevel.Info })]
      for (const [event, line, level] of rows) {
        expect(all.map(({ line, tag }) => [`\`${tag}\``, `\`${line}\``])).toContainEqual([event, line])
        const levels = new Set(asDefault.filter(({ tag }) => `\`${tag}\`` === event).map(({ level }) => level))
        expect([event, ...levels]).toEqual(level === "None" ? [event] : [event, level])
      }
    })
  )

  it.effect("has each attribute, and the events that have it", () =>
    Effect.gen(function* () {
      const rows = rowsOf(path, "## Attributes")
      const levels = { Succeeded: LogLevel.Info }
      const shown = [...(yield* shownBy(stories, levels)), ...(yield* shownBy(others, levels))]
      const names = new Set(shown.flatMap(({ names }) => names))
      expect(rows.map(([name = ""]) => name.replaceAll("`", "")).toSorted()).toEqual([...names].toSorted())
      for (const [name = "", , of = ""] of rows) {
        const tags = new Set(
          shown.filter(({ names }) => names.includes(name.replaceAll("`", ""))).map(({ tag }) => tag)
        )
        const named = Array.from(of.matchAll(/`(\w+)`/g), ([, tag]) => tag)
        if (named.length > 0) expect([name, ...[...tags].toSorted()]).toEqual([name, ...named.toSorted()])
        else expect(tags.size).toBeGreaterThan(1)
      }
    })
  )
})
