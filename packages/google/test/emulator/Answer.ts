/**
 * What the emulator answers a request with.
 */
import { Data } from "effect"

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Fields of a resource, as JSON has them. */
export interface Resource {
  readonly [field: string]: unknown
}

export const text = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", ...headers },
  body: Buffer.from(body)
})

export const json = (resource: unknown, status = 200): Answer => ({
  status,
  headers: { "content-type": "application/json; charset=UTF-8" },
  body: Buffer.from(JSON.stringify(resource))
})

export const empty = (status: number, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers,
  body: new Uint8Array(0)
})

/** The operation is refused, and has changed nothing. */
export class Refused extends Data.TaggedError("Refused")<{ readonly answer: Answer }> {}

/**
 * Reasons of errors, by their statuses.
 *
 * Source: https://cloud.google.com/storage/docs/json_api/v1/status-codes.
 */
const reasons: Readonly<Record<number, string>> = {
  400: "invalid",
  401: "required",
  404: "notFound",
  405: "methodNotAllowed",
  409: "conflict",
  412: "conditionNotMet",
  416: "requestedRangeNotSatisfiable",
  501: "notImplemented",
  503: "backendError"
}

export const failure = (status: number, message: string): Answer =>
  status === 304
    ? empty(304)
    : json(
        {
          error: {
            code: status,
            message,
            errors: [{ message, domain: "global", reason: reasons[status] ?? "backendError" }]
          }
        },
        status
      )

export const refuse = (status: number, message: string): never => {
  throw new Refused({ answer: failure(status, message) })
}

/** The body of a request, read as a resource; a request without a body has one without fields. */
export const readResource = (body: Uint8Array): Resource => {
  if (body.length === 0) return {}
  try {
    const read: unknown = JSON.parse(Buffer.from(body).toString("utf8"))
    if (typeof read === "object" && read !== null && !Array.isArray(read)) return { ...read }
  } catch {
    // Refused below, as is what is JSON and no resource.
  }
  return refuse(400, "Parse Error")
}

/** As PATCH changes a resource: fields with `null` are removed, and those of resources are changed one by one. */
export const merged = (resource: Resource, changes: Resource): Resource => {
  const fields = new Map(Object.entries(resource))
  for (const [field, change] of Object.entries(changes)) {
    const before = fields.get(field)
    if (change === null) fields.delete(field)
    else if (isResource(change)) fields.set(field, merged(isResource(before) ? before : {}, change))
    else fields.set(field, change)
  }
  return Object.fromEntries(fields)
}

const isResource = (value: unknown): value is Resource =>
  typeof value === "object" && value !== null && !Array.isArray(value)
