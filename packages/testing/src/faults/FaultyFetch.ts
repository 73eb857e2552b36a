/**
 * Faults in a `fetch`: for code without Effect, and for clients that accept a custom `fetch`.
 *
 * It resolves and rejects as `fetch` does. Time passes on the clock of the program that made the injector.
 */
import { checked, type Injector } from "./Injector.ts"
import * as Interpret from "./Interpret.ts"
import type { Request } from "./Tree.ts"
import * as WebFault from "./WebFault.ts"
import { ConnectionReset } from "./Fault.ts"
import { off } from "./Faults.ts"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import * as Stream from "effect/Stream"

/**
 * Makes a `fetch` with faults. An aborted signal ends a call at once with its reason, even a call that hangs.
 *
 * `Fault.fail` rejects with its error. `off` returns the same `fetch`.
 *
 * @category combinators
 */
export const inject = (self: typeof fetch, injector: Injector<unknown, "http">): typeof fetch => {
  if (injector === off) return self
  const { runtime } = checked("FaultyFetch.inject", injector)
  return async (input, init) => {
    const given = typeof input === "object" && "url" in input ? input : undefined
    const request: Request = { method: init?.method ?? given?.method ?? "GET", url: given?.url ?? String(input) }
    const signal = init?.signal ?? given?.signal
    const sent = Effect.tryPromise({ try: () => self(input, init), catch: (error) => error })
    const call = injector.call(request, sent, (met) =>
      Interpret.apply(met, sent, (fault, seed) => {
        switch (fault._tag) {
          case "Status":
          case "Throttle":
            return Effect.sync(() => WebFault.madeUp(fault))
          case "Reset":
            return Effect.fail(fetchFailed())
          default:
            return Effect.map(sent, (response) => {
              const { body } = response
              if (body === null) return response
              const bytes = Stream.fromReadableStream({ evaluate: () => body, onError: (error) => error })
              return Object.defineProperties(WebFault.broken(response, bytes, fault, seed, runtime), {
                redirected: { value: response.redirected },
                statusText: { value: response.statusText },
                url: { value: response.url }
              })
            })
        }
      })
    )
    const exit = await Runtime.runPromiseExit(runtime)(call, signal ? { signal } : undefined)
    if (Exit.isSuccess(exit)) return exit.value
    throw signal?.aborted === true ? signal.reason : Cause.squash(exit.cause)
  }
}

/** The error of `fetch` for a connection that was reset. */
const fetchFailed = (): unknown => new TypeError("fetch failed", { cause: new ConnectionReset({ code: "ECONNRESET" }) })
