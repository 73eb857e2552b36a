/** A process that starts a server and does not end. */
import * as Effect from "effect/Effect"
import * as Redis from "@effect-retry/servers/Redis"

const started = Effect.flatMap(Redis.start(), ({ port }) => Effect.sync(() => process.send?.(port)))
await Effect.runPromise(Effect.scoped(Effect.zipRight(started, Effect.never)))
