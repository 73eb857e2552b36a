/**
 * Operations that are recorded: by the lines of their observer, and by the events on their spans.
 */
import { Observe, Retry, Verdict } from "@effect-retry/core"
import { type Load, SeededRandom, VirtualClock } from "@effect-retry/plan"
import { Duration, Effect, Exit, Random } from "effect"
import * as Spans from "../../../core/test/support/Spans.ts"

export interface Recorded {
  readonly client: Load.Client
  readonly operations?: number
  readonly pauseMillis?: number
  /** Whether an attempt at this time fails, by its draw. */
  readonly fails: (atMillis: number, u: number) => boolean
  readonly verdict?: Verdict.Verdict
  readonly ranMillis?: number
}

const nowMillis = Effect.map(VirtualClock.now, Duration.toMillis)

/** Runs operations that overlap, each in a span, and answers the lines of their observer and those of their spans. */
export const recordBoth = ({
  client,
  fails,
  operations = 100,
  pauseMillis = 20,
  ranMillis = 15,
  verdict = Verdict.transient
}: Recorded): Effect.Effect<{ readonly lines: ReadonlyArray<string>; readonly spans: ReadonlyArray<Span> }> =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const { spans, tracer } = recording()
    const bucket = client.bucket === undefined ? {} : { bucket: yield* client.bucket }
    const rateLimiter = client.rateLimiter === undefined ? {} : { rateLimiter: yield* client.rateLimiter }
    const policy = {
      ...client.policy,
      ...bucket,
      ...rateLimiter,
      name: "orders",
      classifier: () => verdict,
      observe: [Observe.jsonLines((line) => void lines.push(line)), Observe.spanEvents]
    }
    const call = Effect.gen(function* () {
      const [at, u] = [yield* nowMillis, yield* Random.next]
      yield* Effect.sleep(Duration.millis(Math.round(ranMillis * (0.5 + u))))
      if (fails(at, u)) return yield* Effect.fail("failed")
    })
    yield* Effect.forEach(
      Array.from({ length: operations }, (_, i) => i * pauseMillis),
      (at) => Effect.zipRight(Effect.sleep(at), Effect.exit(Effect.withSpan(Retry.retry(call, policy), "order"))),
      { concurrency: "unbounded", discard: true }
    ).pipe(Effect.withTracer(tracer))
    return { lines, spans }
  }).pipe(Effect.provide(SeededRandom.layer(1)), VirtualClock.run)

export const record = (recorded: Recorded): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(recordBoth(recorded), ({ lines }) => lines)

/** A span as the protocol of OpenTelemetry writes it in JSON. */
interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly name: string
  readonly startTimeUnixNano: string
  endTimeUnixNano: string
  readonly events: Array<{ readonly timeUnixNano: string; readonly name: string; readonly attributes: unknown }>
  status: { code?: number }
}

/** A line of an exporter that writes to a file. */
export const batch = (spans: ReadonlyArray<unknown>): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] },
        scopeSpans: [{ scope: { name: "shop" }, spans }]
      }
    ]
  })

const attributesOf = (attributes: Readonly<Record<string, unknown>> = {}) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }))

const valueOf = (value: unknown) => {
  if (typeof value !== "number") return { stringValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

const recording = () => {
  const spans: Array<Span> = []
  const tracer = Spans.tracer((name, startNanos) => {
    const spanId = (spans.length + 1).toString(16).padStart(16, "0")
    const traceId = "5b8efff798038103d269b633813fc60c"
    const startTimeUnixNano = String(startNanos)
    const span: Span = { traceId, spanId, name, startTimeUnixNano, endTimeUnixNano: "", events: [], status: {} }
    spans.push(span)
    return {
      spanId,
      traceId,
      event: (name, atNanos, attributes) => {
        span.events.push({ timeUnixNano: String(atNanos), name, attributes: attributesOf(attributes) })
      },
      end: (atNanos, exit) => {
        span.endTimeUnixNano = String(atNanos)
        span.status = Exit.isSuccess(exit) ? {} : { code: 2 }
      }
    }
  })
  return { spans, tracer }
}
