/**
 * What published clients retry can be said in our tables, each derived from ours by spread.
 *
 * Sources: the published packages in the versions named, as recorded on 2026-11-20. Left out is what is no table: whose
 * methods are retried (see `Idempotency`), how often, and for which statuses a hint counts.
 */
import { HttpClientError, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { HttpClassifier } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Duration } from "effect"

interface Client {
  readonly name: string
  readonly tables: HttpClassifier.Tables
  readonly statuses: ReadonlyArray<number>
  /** Retried only if the response says how long to wait. */
  readonly hinted?: ReadonlyArray<number>
  /** The codes of the transport that are retried, or all but these. */
  readonly codes: { readonly only: ReadonlyArray<string> } | { readonly allBut: ReadonlyArray<string> }
  readonly directive?: string
  readonly retriesTimeouts: boolean
}

const each = <A>(names: ReadonlyArray<string | number>, row: A): { readonly [name: string]: A } =>
  Object.fromEntries(names.map((name) => [name, row]))

const range = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

const { make, standardTables } = HttpClassifier
const { statuses } = standardTables
const server = { kind: "Server" } as const
const client = { kind: "Client" } as const
const timeouts = ["TimeoutError", "TimeoutException", "AttemptTimedOut", "DeadlineExceeded"]
const noEarly = { 421: undefined, 425: undefined }
const hints = [{ name: "retry-after", read: (headers: object) => ("retry-after" in headers ? 5_000 : undefined) }]
const base: HttpClassifier.Tables = { ...standardTables, hints, directives: [] }

/** A list of codes, with our meaning of each. */
const listed = (codes: ReadonlyArray<string>): HttpClassifier.Tables["codes"] =>
  Object.fromEntries(codes.map((code) => [code, standardTables.codes[code] ?? { kind: "Transient" }]))

const gotCodes = [
  "ETIMEDOUT",
  "ECONNRESET",
  "EADDRINUSE",
  "ECONNREFUSED",
  "EPIPE",
  "ENOTFOUND",
  "ENETUNREACH",
  "EAI_AGAIN"
]
const undiciCodes = [
  "ECONNRESET",
  "ECONNREFUSED",
  "ENOTFOUND",
  "ENETDOWN",
  "ENETUNREACH",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "EPIPE",
  "UND_ERR_SOCKET"
]

const clients: ReadonlyArray<Client> = [
  {
    name: "@effect/platform 0.97.2 retryTransient",
    tables: { ...base, statuses: { ...statuses, ...noEarly, 413: undefined }, codes: listed(timeouts) },
    statuses: [408, 429, 500, 502, 503, 504],
    codes: { allBut: [] },
    retriesTimeouts: true
  },
  {
    name: "effect 4.1.0 retryTransient",
    tables: { ...base, statuses: { ...statuses, ...noEarly, 413: undefined }, codes: listed(timeouts) },
    statuses: [408, 429, 500, 502, 503, 504],
    codes: { allBut: [] },
    retriesTimeouts: true
  },
  {
    name: "got 16.1.0",
    tables: {
      ...base,
      statuses: { ...statuses, ...noEarly, ...each([521, 522, 524], server) },
      codes: listed(gotCodes),
      transport: undefined
    },
    statuses: [408, 429, 500, 502, 503, 504, 521, 522, 524],
    hinted: [413],
    codes: { only: gotCodes },
    retriesTimeouts: false
  },
  {
    name: "ky 2.1.0",
    tables: {
      ...base,
      statuses: { ...statuses, ...noEarly },
      codes: { ...standardTables.codes, ...each(timeouts, undefined) }
    },
    statuses: [408, 429, 500, 502, 503, 504],
    hinted: [413],
    codes: { allBut: [...timeouts, "CERT_HAS_EXPIRED"] },
    retriesTimeouts: false
  },
  {
    name: "undici 8.12.4 RetryAgent",
    tables: {
      ...base,
      statuses: { ...statuses, ...noEarly, 408: undefined, 413: undefined },
      codes: listed(undiciCodes),
      transport: undefined
    },
    statuses: [429, 500, 502, 503, 504],
    codes: { only: undiciCodes },
    retriesTimeouts: false
  },
  {
    name: "axios-retry 4.5.0",
    tables: {
      ...base,
      statuses: { ...each(range(500, 599), server), 429: statuses[429] },
      codes: { ...standardTables.codes, ERR_CANCELED: undefined, ECONNABORTED: undefined }
    },
    statuses: [429, ...range(500, 599)],
    codes: { allBut: ["ERR_CANCELED", "ECONNABORTED", "CERT_HAS_EXPIRED"] },
    retriesTimeouts: true
  },
  {
    name: "ofetch 1.5.1",
    tables: {
      ...base,
      statuses: { ...statuses, 409: client, 413: undefined, 421: undefined },
      codes: {},
      transport: statuses[500]
    },
    statuses: [408, 409, 425, 429, 500, 502, 503, 504],
    codes: { allBut: [] },
    retriesTimeouts: false
  },
  {
    name: "fetch-retry 6.0.0",
    tables: { ...base, statuses: {}, codes: {} },
    statuses: [],
    codes: { allBut: [] },
    retriesTimeouts: false
  },
  {
    name: "openai",
    tables: {
      ...base,
      statuses: { ...each(range(500, 599), server), 408: statuses[408], 409: client, 429: statuses[429] },
      directives: ["x-should-retry"]
    },
    statuses: [408, 409, 429, ...range(500, 599)],
    codes: { allBut: ["CERT_HAS_EXPIRED"] },
    directive: "x-should-retry",
    retriesTimeouts: true
  },
  {
    name: "stripe",
    tables: {
      ...base,
      statuses: { ...each(range(500, 599), server), 409: client },
      directives: ["stripe-should-retry"]
    },
    statuses: [409, ...range(500, 599)],
    codes: { allBut: ["CERT_HAS_EXPIRED"] },
    directive: "stripe-should-retry",
    retriesTimeouts: true
  },
  {
    name: "misina 0.5.0",
    tables: { ...base, statuses: { ...statuses, ...noEarly }, directives: ["x-should-retry"] },
    statuses: [408, 429, 500, 502, 503, 504],
    hinted: [413],
    codes: { allBut: ["CERT_HAS_EXPIRED"] },
    directive: "x-should-retry",
    retriesTimeouts: true
  }
]

const request = HttpClientRequest.get("http://localhost/")

const moment = { nowMillis: NaN, attempt: 1, elapsed: Duration.zero }

const retries = (tables: HttpClassifier.Tables, outcome: unknown): boolean =>
  make(tables)(outcome, moment)._tag === "Retryable"

const retriedStatuses = (tables: HttpClassifier.Tables, headers: Record<string, string>): ReadonlyArray<number> =>
  range(200, 599).filter((status) =>
    retries(tables, HttpClientResponse.fromWeb(request, new Response(null, { status, headers })))
  )

const retriedCode = (tables: HttpClassifier.Tables, code: string): boolean => {
  const cause = Object.assign(new Error("made up"), { code })
  return retries(tables, new HttpClientError.RequestError({ request, reason: "Transport", cause }))
}

const sorted = (numbers: ReadonlyArray<number>): ReadonlyArray<number> => numbers.toSorted((a, b) => a - b)

describe("HttpClassifier.standard", () => {
  it.each(clients.map((client) => [client.name, client] as const))(
    "can be made to retry the statuses of %s",
    (_, client) => {
      const { hinted = [], statuses, tables } = client
      expect(retriedStatuses(tables, {})).toEqual(sorted(statuses))
      expect(retriedStatuses(tables, { "retry-after": "5" })).toEqual(sorted([...statuses, ...hinted]))
    }
  )

  it.each(clients.map((client) => [client.name, client] as const))(
    "can be made to retry the codes of %s",
    (_, client) => {
      const { codes, tables } = client
      const asked = [
        ...new Set([
          ...gotCodes,
          ...undiciCodes,
          ...timeouts,
          "ERR_CANCELED",
          "ECONNABORTED",
          "CERT_HAS_EXPIRED",
          "EWHAT"
        ])
      ]
      const expected = asked.filter((code) =>
        "only" in codes ? codes.only.includes(code) : !codes.allBut.includes(code)
      )
      expect(asked.filter((code) => retriedCode(tables, code))).toEqual(expected)
    }
  )

  it.each(clients.map((client) => [client.name, client] as const))(
    "can be made to treat timeouts as %s does",
    (_, client) => {
      expect(retries(client.tables, new Cause.TimeoutException())).toBe(client.retriesTimeouts)
    }
  )

  it.each(
    clients.flatMap((client) =>
      client.directive === undefined ? [] : [[client.name, client.directive, client] as const]
    )
  )("can be made to obey the server as %s does, by %s", (_, directive, client) => {
    expect(retriedStatuses(client.tables, { [directive]: "true" })).toEqual(
      sorted([...new Set([...client.statuses, ...range(400, 599)])])
    )
    expect(retriedStatuses(client.tables, { [directive]: "false" })).toEqual([])
  })
})
