/**
 * Scopes for buckets that are made and dropped while a larger scope is open.
 *
 * A scope closes in the background: an operation that makes room for another bucket does not wait for finalizers.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Untrusted from "../../accept/Untrusted.ts"
import * as Line from "../fiber/Line.ts"
import * as Logging from "../port/Logging.ts"
import * as ShownCause from "../port/ShownCause.ts"

/** The scope of one bucket. */
export interface BucketScope {
  readonly scope: Scope.Scope
  /** Keeps the scope open during a call of the bucket, or an attempt that it granted. */
  readonly begin: () => void
  /** Ends what `begin` began. */
  readonly end: () => void
  /** Closes the scope as soon as nothing keeps it open. To be called once. */
  readonly drop: () => void
}

/**
 * Makes a maker of scopes inside the scope of the context; `undefined` if the context has none. If a finalizer dies, the log
 * names `owner`.
 *
 * At most `mostWaiting` dropped scopes are kept open; beyond that, the one dropped first closes.
 */
export const make = (owner: string, mostWaiting: number): Effect.Effect<Effect.Effect<BucketScope> | undefined> =>
  Effect.gen(function* () {
    const runner = yield* Line.runner
    const outer = Option.getOrUndefined(Context.getOption(Line.contextOf(runner), Scope.Scope))
    if (outer === undefined) return undefined
    const inner = yield* Scope.make(Line.parallel)
    const close = (scope: Scope.CloseableScope, exit: Exit.Exit<unknown, unknown>) =>
      Effect.catchAllCause(Scope.close(scope, exit), (cause) =>
        Logging.safely(Effect.logWarning(`${owner}: a finalizer died`, ShownCause.of(cause, Untrusted.shown)))
      )
    const closing = new Set<Fiber.RuntimeFiber<void>>()
    const closed = Effect.suspend(() => Fiber.awaitAll(closing))
    yield* Scope.addFinalizerExit(outer, (exit) => Effect.zipRight(close(inner, exit), closed))
    const closeLater = (scope: Scope.CloseableScope): void => {
      const fiber = Line.runLater(runner, close(scope, Exit.void))
      closing.add(fiber)
      fiber.addObserver(() => closing.delete(fiber))
    }
    const waiting = new Map<BucketScope, () => void>()
    return Effect.map(Scope.fork(inner, Line.sequential), (scope) =>
      counting(scope, () => closeLater(scope), waiting, mostWaiting)
    )
  })

/** A scope that counts its users. `waiting` holds the dropped scopes that are still open, and how to close them. */
const counting = (
  scope: Scope.Scope,
  close: () => void,
  waiting: Map<BucketScope, () => void>,
  mostWaiting: number
): BucketScope => {
  let underWay = 0
  const self: BucketScope = {
    scope,
    begin: () => {
      underWay += 1
    },
    end: () => {
      underWay -= 1
      if (underWay === 0 && waiting.delete(self)) close()
    },
    drop: () => {
      if (underWay === 0) return close()
      waiting.set(self, close)
      if (waiting.size <= mostWaiting) return
      for (const [first, close] of waiting) {
        waiting.delete(first)
        return close()
      }
    }
  }
  return self
}
