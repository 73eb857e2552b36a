import { Fetch } from "@effect-retry/http"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Clients from "../support/Clients.ts"
import * as Leavings from "../support/Leavings.ts"

const overFetch = (): Leavings.Subject => {
  const reading = (retrying: typeof fetch) => (url: string, init?: RequestInit) =>
    retrying(url, init).then((response) => response.text())
  const { signal } = new AbortController()
  let calls = 0
  const read = reading(Fetch.make(Leavings.quick))
  return {
    // Every twentieth with a signal that all of them share.
    get: (url) => Effect.tryPromise(() => read(url, ++calls % 20 === 0 ? { signal } : undefined)),
    interruptible: (url) => Effect.tryPromise((signal) => read(url, { signal })),
    patient: (waits) => (url) =>
      Effect.tryPromise((signal) => reading(Fetch.make(Leavings.patiently(waits)))(url, { signal })),
    shared: signal
  }
}

describe("Fetch.make", () => {
  it.scopedLive("keeps no bytes, sockets and listeners of operations", () =>
    Leavings.expectNothingKept(Clients.globalFetch, Effect.sync(overFetch))
  )
})
