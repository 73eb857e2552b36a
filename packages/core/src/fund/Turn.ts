/**
 * Whether an attempt whose turn has not come waits for it, and for how long: what the send rates that wait share.
 */
import { Duration, Effect, Option } from "effect"
import * as Argument from "../accept/InvalidArgument.ts"
import * as Line from "./Line.ts"
import type { SendRate } from "./SendRate.ts"

/**
 * @category models
 */
export interface Waiting {
  /** What happens to an attempt that may not be sent now: it waits for its turn, or is refused. @default "wait" */
  readonly whenShort?: "refuse" | "wait"
  /** The longest wait of an attempt; it is refused at once when it would take longer. @default no limit */
  readonly maxWait?: Duration.DurationInput
}

/**
 * Milliseconds; `None` for no waiting at all.
 *
 * @category models
 */
export type MaxWait = Option.Option<number>

/**
 * @category constructors
 */
export const check = (owner: string, { maxWait, whenShort }: Waiting): MaxWait => {
  const waits = Argument.oneOf(owner, "whenShort", whenShort ?? "wait", ["refuse", "wait"]) === "wait"
  if (!waits && maxWait !== undefined) {
    Argument.refuse(owner, "maxWait", 'absent where whenShort is "refuse"', maxWait)
  }
  if (!waits) return Option.none()
  return Option.some(maxWait === undefined ? Infinity : Argument.millis(owner, "maxWait", maxWait, { min: 0 }))
}

/**
 * @category models
 */
export interface Turns extends Pick<SendRate, "acquire"> {
  /** Lets the first in line look again. */
  readonly poke: Effect.Effect<void>
  readonly isNobodyWaiting: Effect.Effect<boolean>
}

/**
 * Turns to take one token each.
 *
 * @category constructors
 */
export const make = (source: Line.Source, maxWait: MaxWait): Turns => {
  const line = Line.make(source)
  return {
    acquire: Option.match(maxWait, {
      onNone: () => () => source.take(1, 0),
      onSome: (maxWaitMillis): SendRate["acquire"] => {
        const attempt = line.attempt(1)
        // Where there is no need to wait, nothing has to be masked.
        const within = (millis: number) =>
          Effect.flatMap(attempt, (ok) =>
            ok ? Effect.succeed(true) : Effect.uninterruptibleMask((restore) => line.acquire(1, millis, restore))
          )
        const whenever = within(maxWaitMillis)
        return ({ atMost }) =>
          Option.isNone(atMost) ? whenever : within(Math.min(maxWaitMillis, Duration.toMillis(atMost.value)))
      }
    }),
    poke: line.poke,
    isNobodyWaiting: Effect.map(line.length, (length) => length === 0)
  }
}
