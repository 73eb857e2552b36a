import { Effect } from "effect"

// #region fetch
import { Backoff } from "@effect-retry/core"
import { Fetch } from "@effect-retry/http"

const policy = {
  maxAttempts: 4,
  backoff: Backoff.exponential({ base: "1 millis" })
}

/** Stands for any library that accepts a `fetch`. */
class Library {
  readonly #fetch: typeof fetch
  constructor(options: { readonly fetch: typeof fetch }) {
    this.#fetch = options.fetch
  }
  list(options: { readonly signal?: AbortSignal } = {}): Promise<string> {
    return this.#fetch("https://api.example/list", options).then((response) => response.text())
  }
}

/** `underlying` defaults to the global `fetch`. */
const libraryOver = (underlying: typeof fetch) => new Library({ fetch: Fetch.make(policy, { fetch: underlying }) })
// #endregion

const scripted = (...statuses: ReadonlyArray<number>) => {
  const left = [...statuses]
  const sent: Array<string> = []
  const underlying: typeof fetch = (input) => {
    sent.push(String(input))
    const status = left.shift() ?? 0
    return status === 0 ? Promise.reject(new TypeError("fetch failed")) : Promise.resolve(new Response("a", { status }))
  }
  return { sent, underlying }
}

const listed = (...statuses: ReadonlyArray<number>) => {
  const { sent, underlying } = scripted(...statuses)
  return Effect.promise(async () => {
    const outcome = await libraryOver(underlying).list().catch(String)
    return { outcome, requests: sent.length }
  })
}

const aborted = Effect.promise(async () => {
  const { sent, underlying } = scripted(503, 503, 503)
  const fetch = Fetch.make({ ...policy, backoff: Backoff.constant({ delay: "1 hour" }) }, { fetch: underlying })
  const controller = new AbortController()
  const listing = new Library({ fetch }).list({ signal: controller.signal }).catch(String)
  controller.abort("enough")
  return { outcome: await listing, requests: sent.length }
})

export const live = true

export const program = Effect.all({ recovered: listed(503, 429, 200), down: listed(), aborted })

export const expected = {
  recovered: { outcome: "a", requests: 3 },
  down: { outcome: "TypeError: fetch failed", requests: 4 },
  aborted: { outcome: "enough", requests: 1 }
}
