/**
 * Events as lines of JSON: one object per event, to keep in a file for later.
 */
import * as Effect from "effect/Effect"
import * as AtOnce from "../fund/fiber/AtOnce.ts"
import * as Line from "../fund/fiber/Line.ts"
import type { Observer } from "../loop/policy/RetryEvent.ts"
import { attributes } from "./Attributes.ts"
import { nameOf } from "./SpanEvents.ts"

/**
 * Writes each event as a line of JSON, without a line break: `time` in milliseconds since 1970, `event` with the name that
 * `spanEvents` gives it, `fiber`, and the attributes.
 *
 * The lines of one fiber and one name describe an operation from its first attempt to its end. `Replay.replay` of
 * `@effect-retry/plan` reads them. `write` is called synchronously; an exception that it throws is logged and changes nothing.
 *
 * @category constructors
 */
export const jsonLines =
  (write: (line: string) => void): Observer =>
  (event) =>
    AtOnce.suspend(() => {
      const fiber = Line.nameOf(AtOnce.currentFiber())
      return Effect.flatMap(attributes(event), (shown) =>
        Effect.clockWith((clock) =>
          Effect.sync(() => {
            const time = Line.wallMillis(clock)
            write(JSON.stringify({ time, event: nameOf(event), fiber, ...shown }))
          })
        )
      )
    })
