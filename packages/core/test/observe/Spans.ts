/**
 * A tracer that writes down its spans.
 */
import { Effect, Exit, Option, Tracer } from "effect"

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
  const tracer = Tracer.make({
    context: (f) => f(),
    span: (name, parent, context, links, startTime, kind) => {
      const recorded: Recorded = {
        name,
        parent: Option.getOrUndefined(Option.map(parent, ({ spanId }) => spanId)),
        attributes: {},
        events: [],
        ended: undefined
      }
      spans.push(recorded)
      return {
        _tag: "Span",
        name,
        spanId: `${name} ${spans.length}`,
        traceId: "trace",
        parent,
        context,
        links,
        kind,
        sampled: true,
        status: { _tag: "Started", startTime },
        attributes: new Map(),
        attribute: (key, value) => void (recorded.attributes[key] = value),
        addLinks: () => {},
        event: (name, startTime, attributes) => {
          recorded.events.push({ name, atMillis: millis(startTime), attributes })
        },
        end: (_, exit) => {
          recorded.ended = Exit.isSuccess(exit) ? "succeeded" : Exit.isInterrupted(exit) ? "interrupted" : "failed"
        }
      }
    }
  })
  return { spans, provide: Effect.withTracer(tracer) }
}
