import { describe, expect, it } from "@effect/vitest"
import * as PostgresFailure from "../../src/classify/PostgresFailure.ts"

const server = (code: string) => Object.assign(new Error("detail with secret"), { severity: "ERROR", code })
const driver = (message: string, code?: string) => Object.assign(new Error(message), code === undefined ? {} : { code })

describe("PostgresFailure.fromUnknown", () => {
  it.each([
    ["a connection that fails", server("08006"), "Unavailable", "08006"],
    ["a replica", server("25006"), "Unavailable", "25006"],
    ["a serialization failure", server("40001"), "Unavailable", "40001"],
    ["a deadlock", server("40P01"), "Unavailable", "40P01"],
    ["too many connections", server("53300"), "Unavailable", "53300"],
    ["a server that shuts down", server("57P01"), "Unavailable", "57P01"],
    ["a server that starts", server("57P03"), "Unavailable", "57P03"],
    ["an input or output error", server("58030"), "Unavailable", "58030"],
    ["the statement timeout", server("57014"), "TimedOut", "57014"],
    ["the lock timeout", server("55P03"), "TimedOut", "55P03"],
    ["the transaction timeout", server("25P04"), "TimedOut", "25P04"],
    ["a wrong password", server("28P01"), "Refused", "28P01"],
    ["a database that is not there", server("3D000"), "Refused", "3D000"],
    ["no right on the table", server("42501"), "Refused", "42501"],
    ["no table", server("42P01"), "WrongType", "42P01"],
    ["no column", server("42703"), "WrongType", "42703"],
    ["no primary key", server("42P10"), "WrongType", "42P10"],
    ["another type", server("42804"), "WrongType", "42804"],
    ["a number out of range", server("22003"), "WrongType", "22003"],
    ["a full disk", server("53100"), "Full", "53100"],
    ["no memory", server("53200"), "Full", "53200"],
    ["a prepared statement that a pooler lost", server("26000"), "BadAnswer", "26000"],
    ["a prepared statement that a pooler kept", server("42P05"), "BadAnswer", "42P05"],
    ["an internal error", server("XX000"), "BadAnswer", "XX000"],
    [
      "a refused connection",
      driver("connect ECONNREFUSED 10.0.0.1:5432", "ECONNREFUSED"),
      "Unavailable",
      "ECONNREFUSED"
    ],
    [
      "a pipe that broke, whose code looks like that of a server",
      driver("write EPIPE", "EPIPE"),
      "Unavailable",
      "EPIPE"
    ],
    ["a pool that has ended", driver("Cannot use a pool after calling end on the pool"), "Unavailable", ""],
    ["a pool without a free connection", driver("timeout exceeded when trying to connect"), "TimedOut", ""],
    ["a pool that cannot connect in time", driver("Connection terminated due to connection timeout"), "TimedOut", ""],
    ["a query timeout of the client", driver("Query read timeout"), "TimedOut", ""],
    ["an error of @effect/sql", { _tag: "SqlError", message: "Failed", cause: server("42P01") }, "WrongType", "42P01"],
    ["a code that is none", driver("x", "password=secret"), "Unavailable", ""],
    ["undefined", undefined, "Unavailable", ""],
    ["a text", "secret", "Unavailable", ""]
  ])("reads %s", (_, thrown, reason, code) => {
    expect(PostgresFailure.fromUnknown(thrown)).toEqual({ reason, code })
  })

  it("stops at causes that go round", () => {
    const error = new Error("secret")
    error.cause = error
    expect(PostgresFailure.fromUnknown(error)).toEqual({ reason: "Unavailable", code: "" })
  })
})
