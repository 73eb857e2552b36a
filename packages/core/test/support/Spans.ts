/**
 * Tracers that write down their spans.
 */
import { Effect, Exit, Option, Tracer } from "effect"

type Attributes = Readonly<Record<string, unknown>>

/** What is to be done with what happens to a span. */
interface Notes {
  readonly spanId: string
  readonly traceId: string
  readonly attribute?: (key: string, value: unknown) => void
  readonly event?: (name: string, atNanos: bigint, attributes?: Attributes) => void
  readonly end?: (atNanos: bigint, exit: Exit.Exit<unknown, unknown>) => void
}

const nothing = () => {}

/** A tracer that asks for each span where its notes go. */
export const tracer = (
  start: (name: string, startNanos: bigint, parent: Option.Option<Tracer.AnySpan>) => Notes
): Tracer.Tracer =>
  Tracer.make({
    context: (f) => f(),
    span: (name, parent, context, links, startTime, kind) => {
      const { attribute = nothing, end = nothing, event = nothing, spanId, traceId } = start(name, startTime, parent)
      return {
        _tag: "Span",
        name,
        spanId,
        traceId,
        parent,
        context,
        links,
        kind,
        sampled: true,
        status: { _tag: "Started", startTime },
        attributes: new Map(),
        attribute,
        addLinks: nothing,
        event,
        end
      }
    }
  })

export interface Recorded {
  readonly name: string
  readonly parent: string | undefined
  readonly attributes: Record<string, unknown>
  readonly events: Array<{ readonly name: string; readonly atMillis: number; readonly attributes: unknown }>
  ended: "succeeded" | "failed" | "interrupted" | undefined
}

const millis = (nanos: bigint) => Number(nanos / 1_000_000n)

/** A tracer that keeps its spans, in the order in which they began. */
export const recording = () => {
  const spans: Array<Recorded> = []
  const recordingTracer = tracer((name, _, parent) => {
    const recorded: Recorded = {
      name,
      parent: Option.getOrUndefined(Option.map(parent, ({ spanId }) => spanId)),
      attributes: {},
      events: [],
      ended: undefined
    }
    spans.push(recorded)
    return {
      spanId: `${name} ${spans.length}`,
      traceId: "trace",
      attribute: (key, value) => void (recorded.attributes[key] = value),
      event: (name, atNanos, attributes) => {
        recorded.events.push({ name, atMillis: millis(atNanos), attributes })
      },
      end: (_, exit) => {
        recorded.ended = Exit.isSuccess(exit) ? "succeeded" : Exit.isInterrupted(exit) ? "interrupted" : "failed"
      }
    }
  })
  return { spans, provide: Effect.withTracer(recordingTracer) }
}
