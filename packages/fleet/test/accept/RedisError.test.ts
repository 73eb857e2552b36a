import * as RedisError from "@effect-retry/fleet/RedisError"
import type { StoreReason } from "@effect-retry/fleet"
import { describe, expect, it } from "@effect/vitest"
import { Cause } from "effect"
import { inspect } from "node:util"

const secret = "tenant-7-of-orders"

/** An error as `ioredis` rejects with: it has the command and its arguments beside a message of the server. */
const thrown = Object.assign(new Error(`ERR unknown command, with args beginning with: '${secret}'`), {
  command: { name: "evalsha", args: ["sha", "1", secret] }
})

const error = (reason: StoreReason.Reason, code: string) =>
  new RedisError.RedisError({ reason, bucket: "orders", code, cause: thrown })

describe("RedisError", () => {
  it.each<[StoreReason.Reason, string, string]>([
    [
      "Unavailable",
      "ECONNREFUSED",
      "orders: Redis cannot be reached or does not serve now; see whether the server runs and takes writes (ECONNREFUSED)"
    ],
    ["TimedOut", "", "orders: Redis did not answer in time; tokens may have been taken, and count as spent"],
    [
      "Refused",
      "NOAUTH",
      "orders: Redis does not let this client in; check its user, its password, its permissions, its database and renamed commands (NOAUTH)"
    ],
    [
      "WrongType",
      "WRONGTYPE",
      "orders: the key holds a value that no bucket wrote, and was left alone; delete it or choose another name (WRONGTYPE)"
    ],
    [
      "Full",
      "OOM",
      "orders: Redis has no memory left, and nothing was taken; raise maxmemory or evict other keys (OOM)"
    ],
    [
      "BadAnswer",
      "ERR",
      "orders: Redis gave an answer that is not that of a bucket; see what stands between it and this client (ERR)"
    ]
  ])("says what happened and what to do: %s", (reason, code, message) => {
    expect(error(reason, code).message).toBe(message)
  })

  it.each<[string, (error: RedisError.RedisError) => string]>([
    ["its text", String],
    ["its stack", ({ stack }) => String(stack)],
    ["its JSON", JSON.stringify],
    ["inspect", (error) => inspect(error, { depth: Infinity, showHidden: true })],
    ["inspect of what holds it", (error) => inspect({ error: [error] }, { depth: Infinity })],
    ["Cause.pretty", (error) => Cause.pretty(Cause.fail(error), { renderErrorCause: true })],
    ["the JSON of a cause", (error) => JSON.stringify(Cause.die(error))],
    ["the JSON of what Cause.pretty shows", (error) => JSON.stringify(Cause.prettyErrors(Cause.fail(error)))]
  ])("shows nothing of the command in %s", (_, show) => {
    const shown = show(error("BadAnswer", "ERR"))
    expect(shown).not.toContain(secret)
    expect(shown).not.toContain("evalsha")
  })

  it("keeps the client's error for those who ask", () => {
    expect(error("BadAnswer", "ERR").error).toBe(thrown)
  })
})
