import { exchange, ok, reset, unavailable } from "./http-scripted.ts"
// #region key
import { HttpRetry, Idempotency } from "@effect-retry/http"
import { Effect } from "effect"

/** For a server that honours keys: every POST has one, created once, the same on each attempt. */
const keyed = HttpRetry.withRetry({
  ...HttpRetry.standard,
  idempotency: { ...Idempotency.standard, createKeyFor: ["POST"], keyHeader: "x-request-key" }
})

/** For one request whose repetition does no harm. */
const declared = Idempotency.declared("a search changes nothing")
// #endregion

// #region rule
/** A POST that only reads, and a PUT that must not be repeated; `undefined` leaves any other request to the table. */
const rule: Idempotency.Rule = ({ method, url }) => {
  if (method === "POST" && url.endsWith("/search")) return { _tag: "Repeatable", because: "a search changes nothing" }
  if (method === "PUT" && url.endsWith("/next")) return { _tag: "NotRepeatable", why: "it counts up each time" }
  return undefined
}

const ruled = HttpRetry.withRetry({ ...HttpRetry.standard, idempotency: { ...Idempotency.standard, rule } })
// #endregion

import { IdempotencyKey } from "@effect-retry/http"

const url = "https://api.example/"
const summary = ({ requests }: Effect.Effect.Success<ReturnType<typeof exchange>>) =>
  requests.map(({ headers }) => headers["x-request-key"] ?? "no key")

export const program = Effect.all({
  keyed: exchange([reset, unavailable, ok], (client) => keyed(client).post(url)),
  declared: exchange([reset, ok], (client) => declared(HttpRetry.withRetry(client, HttpRetry.standard).post(url))),
  neither: exchange([reset, ok], (client) => HttpRetry.withRetry(client, HttpRetry.standard).post(url)),
  search: exchange([reset, ok], (client) => ruled(client).post(`${url}search`)),
  next: exchange([reset, ok], (client) => ruled(client).put(`${url}next`))
}).pipe(
  Effect.map(({ declared, keyed, neither, next, search }) => ({
    keyed: summary(keyed),
    declared: summary(declared),
    neither: summary(neither),
    search: summary(search),
    next: summary(next)
  })),
  Effect.provide(IdempotencyKey.layerSequence)
)

export const expected = {
  keyed: ["key-1", "key-1", "key-1"],
  declared: ["no key", "no key"],
  neither: ["no key"],
  search: ["no key", "no key"],
  next: ["no key"]
}
