/**
 * What a back-off does, seen three ways: through the interpreter, as a native schedule, and in our own loop.
 */
import type { Backoff, Classifier } from "@effect-retry/core"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import { Retry, Verdict } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { Duration, Effect, Schedule } from "effect"

/** The delays of a back-off in milliseconds, and "ended" when it has ended. */
export type Trace = ReadonlyArray<number | "ended">

/** A step's input; what is left out is as in a failure at once, of no known kind, under the least draw. */
export const input = (given: Partial<BackoffTree.Input> = {}): BackoffTree.Input => ({
  u: 0,
  kind: undefined,
  ranMillis: 0,
  elapsedMillis: 0,
  ...given
})

/** Steps a tree once for each input. */
export const treeTrace = (tree: BackoffTree.Tree, inputs: ReadonlyArray<BackoffTree.Input>): Trace => {
  const trace: Array<number | "ended"> = []
  let rest = tree
  for (const given of inputs) {
    const stepped = BackoffTree.step(rest, given)
    if (stepped === undefined) return [...trace, "ended"]
    trace.push(stepped.delayMillis)
    rest = stepped.rest
  }
  return trace
}

export const trace = (backoff: Backoff.Backoff, inputs: ReadonlyArray<BackoffTree.Input>): Trace =>
  treeTrace(backoff.tree, inputs)

/** A failed attempt, and the draw of the step that follows it. */
interface Failed extends Partial<Failing> {
  readonly u?: number
}

/**
 * The delays of an operation in which nothing takes time but its attempts and its waits; its time counts from the start
 * of the first attempt, or from the end of it.
 */
export const operationTrace = (
  { tree }: Backoff.Backoff,
  failures: ReadonlyArray<Failed>,
  since: "first attempt" | "first failure" = "first attempt"
): Trace => {
  const trace: Array<number | "ended"> = []
  let rest = tree
  let elapsedMillis = since === "first attempt" ? 0 : -(failures[0]?.ranMillis ?? 0)
  for (const failure of failures) {
    elapsedMillis += failure.ranMillis ?? 0
    const stepped = BackoffTree.step(rest, input({ ...failure, elapsedMillis }))
    if (stepped === undefined) return [...trace, "ended"]
    trace.push(stepped.delayMillis)
    rest = stepped.rest
    elapsedMillis += stepped.delayMillis
  }
  return trace
}

/** The delay before retry `n`, asked for without the retries before it. */
export const delayAt = (backoff: Backoff.Backoff, n: number, u: number): number | undefined => {
  const at = BackoffTree.mapLeaves(backoff.tree, (leaf) => ({ ...leaf, n }))
  return BackoffTree.step(at, input({ u }))?.delayMillis
}

/** How an attempt ends: it runs for so long, and fails with a failure of this kind. */
interface Failing {
  readonly ranMillis: number
  readonly kind: Verdict.Kind
}

/** Fails at once, `times` times. */
export const failing = (times: number): ReadonlyArray<Failing> =>
  Array.from({ length: times }, () => ({ ranMillis: 0, kind: "Transient" }))

/**
 * An effect that fails once for each of `failures` and then succeeds, together with the waits that its attempts saw:
 * from the end of one to the start of the next.
 */
const script = (failures: ReadonlyArray<Failing>) => {
  const waits: Array<number> = []
  let attempts = 0
  let endedAt: number | undefined
  const attempt = Effect.gen(function* () {
    const startedAt = Duration.toMillis(yield* VirtualClock.now)
    if (endedAt !== undefined) waits.push(startedAt - endedAt)
    const failure = failures[attempts++]
    if (failure === undefined) return
    if (failure.ranMillis > 0) yield* Effect.sleep(failure.ranMillis)
    endedAt = Duration.toMillis(yield* VirtualClock.now)
    yield* Effect.fail(failure)
  })
  const traced = <E, R>(run: Effect.Effect<void, E, R>) =>
    Effect.match(run, {
      onFailure: (): Trace => [...waits, "ended"],
      onSuccess: (): Trace => waits
    })
  return { attempt, traced }
}

/** The waits of `Effect.retry`, and the outputs of the schedule. */
export const nativeTrace = (backoff: Backoff.Backoff, failures: ReadonlyArray<Failing>) =>
  Effect.suspend(() => {
    const outputs: Array<number> = []
    const { attempt, traced } = script(failures)
    const schedule = Schedule.tapOutput(backoff, (delay) => Effect.sync(() => outputs.push(Duration.toMillis(delay))))
    return Effect.map(traced(Effect.retry(attempt, schedule)), (waits) => ({ waits, outputs }))
  }).pipe(VirtualClock.run)

/** The waits of `Retry.retry`. */
export const retryTrace = (backoff: Backoff.Backoff, failures: ReadonlyArray<Failing>) =>
  Effect.suspend(() => {
    const { attempt, traced } = script(failures)
    const classifier: Classifier.Classifier<Failing> = ({ kind }) => Verdict.retryable(kind)
    return traced(Retry.retry(attempt, { classifier, maxAttempts: Infinity, backoff }))
  }).pipe(VirtualClock.run)
