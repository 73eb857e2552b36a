import { AwsClassifier, ErrorTable } from "@effect-retry/aws"
import { InvalidArgument } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { pipe } from "effect"
import * as Verdicts from "../support/Verdicts.ts"

const { botocore, botocoreLegacy, guide, javascript, kotlin, standard, sts } = ErrorTable

describe("ErrorTable", () => {
  it("has as many codes as the sources", () => {
    // Sources: those named in the tables. Throttles; all.
    const all = Object.entries({ standard, sts, guide, javascript, botocore, kotlin, botocoreLegacy })
    const counts = all.map(([name, { codes }]) => {
      const kinds = Object.values(codes).map((row) => (typeof row === "string" ? row : row?.kind))
      return [name, kinds.filter((kind) => kind === "Throttling").length, kinds.length]
    })
    expect(counts).toEqual([
      ["standard", 14, 17],
      ["sts", 14, 18],
      ["guide", 14, 16],
      ["javascript", 14, 17],
      ["botocore", 14, 16],
      ["kotlin", 14, 17],
      ["botocoreLegacy", 5, 5]
    ])
  })
})

describe("ErrorTable.withCodes", () => {
  it("adds, changes and removes rows, and leaves the given table as it was", () => {
    const rows = { Odd: "Server", SlowDown: "Transient", Throttling: undefined } as const
    const judge = Verdicts.judgeWith(AwsClassifier.fromTable(ErrorTable.withCodes(standard, rows)))
    expect(
      ["Odd", "SlowDown", "Throttling", "ThrottlingException"].map((code) => judge({ code, status: 400 }))
    ).toEqual(["Server", "Transient", "never: Throttling, status 400", "Throttling"])
    expect([standard.codes["Odd"], standard.codes["Throttling"]]).toEqual([undefined, "Throttling"])
    expect(pipe(standard, ErrorTable.withCodes(rows)).codes).toEqual(ErrorTable.withCodes(standard, rows).codes)
  })
  it("asks for a status or words beside the code", () => {
    const table = ErrorTable.withCodes(standard, {
      ValidationException: { kind: "Server", message: "read block" },
      Conflict: { kind: "Client", statuses: [409] }
    })
    const judge = Verdicts.judgeWith(AwsClassifier.fromTable(table))
    expect([
      judge({ name: "ValidationException", status: 400, message: "Failed to read block data" }),
      judge({ name: "ValidationException", status: 400, message: "wrong" }),
      judge({ code: "Conflict", status: 409 }),
      judge({ code: "Conflict", status: 400 }),
      judge({ code: "Conflict" })
    ]).toEqual(["Server", "never: ValidationException, status 400", "Client", "never: Conflict, status 400", "Client"])
  })
})

describe("ErrorTable.without", () => {
  it("removes codes, and leaves the given table as it was", () => {
    const table = ErrorTable.without(standard, ["LimitExceededException"])
    expect(Object.keys(standard.codes).filter((code) => !Object.hasOwn(table.codes, code))).toEqual([
      "LimitExceededException"
    ])
    expect(pipe(standard, ErrorTable.without(["LimitExceededException"]))).toEqual(table)
  })
  it("refuses a code that is not there", () => {
    expect(() => ErrorTable.without(standard, ["LimitExceeded"])).toThrow(
      new InvalidArgument.InvalidArgument({
        owner: "ErrorTable.without",
        field: "codes",
        allowed: "codes of the table",
        value: "LimitExceeded"
      })
    )
    expect(() => ErrorTable.without(standard, ["constructor"])).toThrow(InvalidArgument.InvalidArgument)
  })
})

describe("ErrorTable: changed by spread", () => {
  it("accepts a custom status, connection, order or reader", () => {
    const judge = (table: Partial<ErrorTable.ErrorTable>, error: unknown) =>
      Verdicts.judgeWith(AwsClassifier.fromTable({ ...standard, ...table }))(error)
    const late = { code: "RequestTimeout", status: 500 }
    expect([
      judge({ statuses: { ...standard.statuses, 429: "Throttling" } }, { status: 429 }),
      judge({ statuses: { ...standard.statuses, 503: undefined } }, { status: 503 }),
      judge({ connections: { ...standard.connections, ENOTFOUND: undefined } }, { code: "ENOTFOUND" }),
      judge({ order: ["status", "code"] }, late),
      judge({ order: [] }, late),
      judge({ causes: 0, throttlingCauses: 0 }, { cause: late }),
      judge({ metadata: () => "Server" }, {}),
      judge({ retryAfter: () => 7 }, { status: 503 })
    ]).toEqual([
      "Throttling",
      "never: status 503",
      "no opinion",
      "Transient",
      "never: RequestTimeout, status 500",
      "no opinion",
      "Server",
      "Transient 7ms"
    ])
  })
})

describe("ErrorTable.check", () => {
  const bad: ReadonlyArray<readonly [table: unknown, message: string]> = [
    [null, "table must be a record of rows, got null"],
    [{ ...standard, codes: [] }, "codes must be a table, got []"],
    [
      { ...standard, codes: { A: "Slow" } },
      'codes.A must be one of Transient, Throttling, Timeout, Server, Client, got "Slow"'
    ],
    [
      { ...standard, codes: { A: {} } },
      "codes.A.kind must be one of Transient, Throttling, Timeout, Server, Client, got undefined"
    ],
    [
      { ...standard, codes: { A: { kind: "Server", statuses: 500 } } },
      "codes.A.statuses must be a list of statuses, got 500"
    ],
    [
      { ...standard, codes: { A: { kind: "Server", statuses: [5] } } },
      "codes.A.statuses must be a whole number >= 100 and <= 599, got 5"
    ],
    [{ ...standard, codes: { A: { kind: "Server", message: /a/ } } }, "codes.A.message must be a text, got /a/"],
    [{ ...standard, codes: { A: { kind: "Server", retried: 1 } } }, "codes.A.retried must be true or false, got 1"],
    [{ ...standard, connections: "ECONNRESET" }, 'connections must be a table, got "ECONNRESET"'],
    [{ ...standard, statuses: { 99: "Server" } }, "statuses must be a whole number >= 100 and <= 599, got 99"],
    [
      { ...standard, statuses: { 500: 500 } },
      "statuses.500 must be one of Transient, Throttling, Timeout, Server, Client, got 500"
    ],
    [{ ...standard, order: "code" }, 'order must be a list of signs, got "code"'],
    [
      { ...standard, order: ["codes"] },
      'order must be one of throttling, code, metadata, connection, status, got "codes"'
    ],
    [{ ...standard, causes: 21 }, "causes must be a whole number >= 0 and <= 20, got 21"],
    [{ ...standard, causes: NaN }, "causes must be a whole number >= 0 and <= 20, got NaN"],
    [{ ...standard, causes: 3, throttlingCauses: 4 }, "throttlingCauses must be a whole number >= 0 and <= 3, got 4"],
    [{ ...standard, metadata: undefined }, "metadata must be a function, got undefined"],
    [{ ...standard, retryAfter: "x-amz-retry-after" }, 'retryAfter must be a function, got "x-amz-retry-after"']
  ]
  const messageOf = (run: () => unknown): string => {
    try {
      run()
      return "accepted"
    } catch (error) {
      return error instanceof InvalidArgument.InvalidArgument ? error.message : "another error"
    }
  }
  it("names what is wrong with a table", () => {
    expect(bad.map(([table]) => messageOf(() => AwsClassifier.fromTable(table as ErrorTable.ErrorTable)))).toEqual(
      bad.map(([, message]) => `AwsClassifier.fromTable: ${message}`)
    )
  })
  it("answers a copy of a table that is right", () => {
    const checked = ErrorTable.check("here", standard)
    expect(checked).toEqual(standard)
    expect([checked.codes === standard.codes, checked.order === standard.order]).toEqual([false, false])
  })
})
