// #region methods
import { Retry } from "@effect-retry/core"
import { MethodSettings, RetrySettings } from "@effect-retry/google"
import { Data, Effect } from "effect"

class ApiError extends Data.TaggedError("ApiError")<{ readonly code: string }> {}

const library = MethodSettings.make({
  defaults: {
    settings: { ...RetrySettings.logicalTimeout("1 minute"), initialRetryDelay: 100, maxRetryDelay: "1 second" },
    codes: ["UNAVAILABLE"]
  },
  methods: {
    listBooks: {},
    getBook: { settings: { maxAttempts: 3 }, codes: ["UNAVAILABLE", "DEADLINE_EXCEEDED"] },
    borrowBook: { codes: [] }
  }
})

const getBook = <A, R>(call: Effect.Effect<A, ApiError, R>) =>
  Retry.retry(call, MethodSettings.policy(library, "getBook"))
// #endregion

export const program = Effect.gen(function* () {
  let attempts = 0
  const call = Effect.suspend(() => {
    attempts += 1
    return new ApiError({ code: "DEADLINE_EXCEEDED" })
  })
  yield* Effect.flip(getBook(call))
  const got = attempts
  yield* Effect.flip(Retry.retry(call, MethodSettings.policy(library, "borrowBook")))
  return { got, borrowed: attempts - got }
})

export const expected = { got: 3, borrowed: 1 }
