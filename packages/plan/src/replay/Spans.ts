/**
 * Reads spans of OpenTelemetry, in the JSON of its protocol: their events are those that `Observe.spanEvents` adds.
 *
 * Sources: https://opentelemetry.io/docs/specs/otlp/ ("JSON Protobuf Encoding") and
 * https://opentelemetry.io/docs/specs/otel/protocol/file-exporter/ ("JSON Lines file"), read 2026-11-27.
 */
import * as Fields from "./Fields.ts"
import type { Line } from "./Lines.ts"
import { eventOf, isName, keyOf, longest } from "./Lines.ts"

/** A span; it is an operation if some span with its name has our events. */
export interface Span {
  readonly name: string
  readonly key: string
  readonly startMillis: number
  readonly endMillis: number
  readonly hasFailed: boolean
  readonly lines: ReadonlyArray<Line>
  /** Operations that cannot be distinguished, because they ran side by side in the span. */
  readonly mixed: number
}

/** Whether a line is a batch of spans. */
export const isBatch = (fields: Fields.Fields): boolean => fields.has("resourceSpans")

/** The spans of a line. Throws an `UnreadableLine`. */
export const read = (batch: Fields.Fields): ReadonlyArray<Span> =>
  batch
    .list("resourceSpans")
    .flatMap((resource) => resource.list("scopeSpans"))
    .flatMap((scope) => scope.list("spans"))
    .map(spanOf)

const spanOf = (span: Fields.Fields): Span => {
  const key = JSON.stringify([span.text("traceId"), span.text("spanId")])
  const startMillis = millisOf(span, "startTimeUnixNano")
  const endMillis = millisOf(span, "endTimeUnixNano")
  if (endMillis < startMillis) span.refuse("endTimeUnixNano", "a time that is not before startTimeUnixNano")
  const lines = span.list("events").flatMap((event) => {
    const name = nameOf(event)
    if (!isName(name)) return []
    const attributes = attributesOf(event)
    const timeMillis = millisOf(event, "timeUnixNano")
    return [eventOf(attributes, { name, key: keyOf(attributes, () => key), timeMillis })]
  })
  const shared = sharedOf(lines)
  return {
    name: nameOf(span),
    key,
    startMillis,
    endMillis,
    hasFailed: statusOf(span.given("status")) === errorStatus,
    lines: lines.filter(({ key }) => !shared.has(key)),
    mixed: lines.filter((line) => shared.has(line.key) && begins(line)).length
  }
}

/** The name of a span or event; names that are not ours may have any length. */
const nameOf = (named: Fields.Fields): string => {
  const name = named.given("name") ?? ""
  return typeof name === "string" ? name : named.refuse("name", "a text")
}

/** `STATUS_CODE_ERROR` of the protocol. */
const errorStatus = 2

const statusOf = (status: unknown): unknown => (Fields.isRecord(status) ? status["code"] : undefined)

/** The protocol writes whole numbers of 64 bits as text. */
const millisOf = (fields: Fields.Fields, field: string): number => {
  const given = fields.given(field)
  const nanos = typeof given === "string" && /^\d{1,20}$/.test(given) ? Number(given) : given
  const fits = typeof nanos === "number" && nanos >= 0 && nanos <= longest * nanosPerMilli
  return fits ? nanos / nanosPerMilli : fields.refuse(field, "a time in nanoseconds since 1970")
}

const nanosPerMilli = 1_000_000

/** The attributes of an event, as a record of plain values with the event's path. */
const attributesOf = (event: Fields.Fields): Fields.Fields =>
  event.within(
    Object.fromEntries(event.list("attributes").map((attribute) => [attribute.given("key"), valueOf(attribute)]))
  )

/** A number or a text; other values are not ours. */
const valueOf = (attribute: Fields.Fields): unknown => {
  const value = attribute.given("value")
  if (!Fields.isRecord(value)) return undefined
  const { doubleValue, intValue, stringValue } = value
  return stringValue ?? doubleValue ?? (/^\d{1,19}$/.test(String(intValue)) ? Number(intValue) : intValue)
}

const begins = ({ attempt, event }: Line): boolean => event === "failed" && attempt === 1

/** Keys under which an operation begins before the previous one has ended. */
const sharedOf = (lines: ReadonlyArray<Line>): ReadonlySet<string> => {
  const open = new Set<string>()
  const shared = new Set<string>()
  for (const line of lines) {
    if (begins(line) && open.has(line.key)) shared.add(line.key)
    if (begins(line)) open.add(line.key)
    if (line.event === "succeeded" || line.event === "gave up") open.delete(line.key)
  }
  return shared
}

/**
 * The events of spans. `Observe.spanEvents` adds none for a success at the first attempt, so a span without events
 * counts as one if spans with its name have some, from its start to its end; if it failed, the operation is left out.
 */
export const linesOf = (
  spans: ReadonlyArray<Span>
): { readonly lines: ReadonlyArray<Line>; readonly leftOut: number } => {
  const hasEvents = ({ lines, mixed }: Span) => lines.length > 0 || mixed > 0
  const ours = new Set(spans.filter(hasEvents).map(({ name }) => name))
  const operations = spans.filter(({ name }) => ours.has(name))
  const lines = operations.flatMap((span) =>
    hasEvents(span) ? span.lines : span.hasFailed ? [] : [succeededAtOnce(span)]
  )
  const silent = operations.filter((span) => !hasEvents(span) && span.hasFailed).length
  return { lines, leftOut: operations.reduce((sum, { mixed }) => sum + mixed, silent) }
}

const succeededAtOnce = ({ endMillis, key, startMillis }: Span): Line => ({
  key,
  timeMillis: endMillis,
  attempt: 1,
  elapsedMillis: endMillis - startMillis,
  event: "succeeded",
  waitedMillis: 0
})
