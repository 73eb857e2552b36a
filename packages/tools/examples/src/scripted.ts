import { Clock, Effect } from "effect"

/** What a caller saw: when its calls started, in milliseconds since the first, and how it all ended. */
export interface Timeline<B, E2> {
  readonly calls: ReadonlyArray<number>
  readonly outcome: B | E2
}

/**
 * Runs `caller` against a service that answers from a script, one answer per call; the last one is repeated.
 */
export const timeline = <A, E, R, B, E2, R2>(
  answers: readonly [Effect.Effect<A, E, R>, ...ReadonlyArray<Effect.Effect<A, E, R>>],
  caller: (call: Effect.Effect<A, E, R>) => Effect.Effect<B, E2, R2>
): Effect.Effect<Timeline<B, E2>, never, R2> =>
  Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    const calls: Array<number> = []
    const call = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      calls.push(now - startedAt)
      return answers[calls.length - 1] ?? answers.at(-1) ?? answers[0]
    })
    const outcome = yield* Effect.merge(caller(call))
    return { calls, outcome }
  })

export const program = timeline(
  [Effect.fail("busy"), Effect.succeed("done").pipe(Effect.delay("1 second"))],
  Effect.retry({ times: 1 })
)

export const expected = { calls: [0, 0], outcome: "done" }
