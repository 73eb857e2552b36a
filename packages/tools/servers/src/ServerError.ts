/** What goes wrong with servers. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** A server that is not there, or that does not start. The message is one line and says what to do. */
export class ServerError extends Data.TaggedError("ServerError")<{ readonly message: string }> {}

/** The last line of an error that a program or a library gave. */
export const lastLine = (error: unknown): string =>
  String(error instanceof Error ? error.message : error)
    .trim()
    .split("\n")
    .at(-1) ?? ""

/** A promise that rejects only because of a server. */
export const attempt = <A>(evaluate: () => Promise<A>): Effect.Effect<A, ServerError> =>
  Effect.tryPromise({
    try: evaluate,
    catch: (error) => (error instanceof ServerError ? error : new ServerError({ message: lastLine(error) }))
  })
