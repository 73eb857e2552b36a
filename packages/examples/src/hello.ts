import { Effect } from "effect"

export const program = Effect.succeed("hello").pipe(Effect.delay("1 hour"))

export const expected = "hello"
