/**
 * `Retry.retry` written with a stepper: the shortest caller of one.
 */
import { type Policy, Stepper } from "@effect-retry/core"
import { Effect, Exit, Option } from "effect"

/** Runs an effect under a policy, one step after the other, and abandons the operation if it is interrupted. */
export const stepped = <A, E, P extends Stepper.Steppable>(self: Effect.Effect<A, E>, policy: Policy.Checked<P>) =>
  Effect.flatMap(Stepper.make(policy), (stepper) =>
    Effect.gen(function* () {
      let attempt = yield* stepper.begin
      for (;;) {
        const exit = yield* Effect.exit(self)
        const next: Option.Option<Stepper.Attempt> = Exit.isSuccess(exit)
          ? yield* stepper.succeeded(attempt, exit.value as never)
          : Option.some(yield* stepper.failedCause(attempt, exit.cause as never))
        if (Option.isSome(next)) attempt = next.value
        else if (Exit.isSuccess(exit)) return exit.value
      }
    }).pipe(Effect.ensuring(stepper.abandon))
  )
