import * as PostgresError from "@effect-retry/fleet/PostgresError"
import { describe, expect, it } from "@effect/vitest"
import { Cause } from "effect"
import { inspect } from "node:util"

const secret = "postgres://user:hunter2@db.internal"

const error = new PostgresError.PostgresError({
  reason: "Refused",
  bucket: "orders",
  code: "28P01",
  cause: Object.assign(new Error(secret), { detail: secret, parameters: [secret] })
})

describe("PostgresError", () => {
  it("says what happened and what to do", () => {
    expect(error.message).toBe(
      "orders: Postgres does not let this client in; check its user, its password and its rights on the table effect_retry (28P01)"
    )
  })

  it.each([
    ["its text", String(error)],
    ["its stack", String(error.stack)],
    ["its JSON", JSON.stringify(error)],
    ["inspect", inspect(error, { depth: 9, showHidden: true })],
    ["Cause.pretty", Cause.pretty(Cause.fail(error), { renderErrorCause: true })]
  ])("shows nothing of the cause in %s", (_, text) => {
    expect(text).not.toContain("hunter2")
  })
})
