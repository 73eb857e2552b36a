// #region stream
import { RetrySettings, ServerStream } from "@effect-retry/google"
import { Data, Effect, Option, Stream } from "effect"

class ApiError extends Data.TaggedError("ApiError")<{ readonly code: string }> {}

interface Request {
  readonly after: string
}

interface Row {
  readonly key: string
}

const policy = RetrySettings.toPolicy(
  { totalTimeout: "1 minute", initialRetryDelay: 100, retryDelayMultiplier: 2, maxRetryDelay: "5 seconds" },
  { codes: ["UNAVAILABLE"] }
)

const rows = (open: (request: Request) => Stream.Stream<Row, ApiError>) =>
  ServerStream.make(
    {
      request: { after: "" },
      open,
      // The rows so far, and the request for those that follow.
      resumption: {
        initial: "",
        received: (_: string, row: Row) => [row.key, row],
        resume: (after) => Option.some({ after })
      }
    },
    policy
  )
// #endregion

const table = ["ann", "bob", "eve", "joe"].map((key) => ({ key }))

export const program = Effect.gen(function* () {
  const requests: Array<Request> = []
  /** A server that breaks off after two rows. */
  const open = (request: Request) => {
    requests.push(request)
    const rest = Stream.fromIterable(table.filter(({ key }) => key > request.after))
    return requests.length > 1
      ? rest
      : Stream.concat(Stream.take(rest, 2), Stream.fail(new ApiError({ code: "UNAVAILABLE" })))
  }
  const received = yield* Stream.runCollect(rows(open))
  return { received: Array.from(received).map(({ key }) => key), requests }
})

export const expected = {
  received: ["ann", "bob", "eve", "joe"],
  requests: [{ after: "" }, { after: "bob" }]
}
