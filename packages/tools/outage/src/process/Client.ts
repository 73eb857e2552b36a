/**
 * Requests to the server, each saying the number of its attempt.
 */
import * as Effect from "effect/Effect"
import * as Http from "node:http"

/**
 * A request that fails with the status of its answer, or with the error of its connection.
 *
 * @category models
 */
export type Request = (attempt: number) => Effect.Effect<void, number | Error>

/**
 * A client that keeps its connections open. They are closed when the process ends.
 *
 * @category constructors
 */
export const make = (port: number): Request => {
  const agent = new Http.Agent({ keepAlive: true })
  return (attempt) =>
    Effect.async((resume) => {
      const headers = { attempt: String(attempt) }
      const request = Http.request({ agent, host: "127.0.0.1", port, headers }, (response) => {
        response.resume()
        const { statusCode = 0 } = response
        response.once("end", () => resume(statusCode === 200 ? Effect.void : Effect.fail(statusCode)))
      })
      request.once("error", (error) => resume(Effect.fail(error)))
      request.end()
      return Effect.sync(() => request.destroy())
    })
}
