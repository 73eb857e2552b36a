/**
 * The runtime of a strategy's operations, which is a context on Effect 4. This is the file of Effect 4.
 */
import type * as RunnerLine from "@effect-retry/core/unstable/RunnerLine"
import type * as Stepped from "@effect-retry/core/unstable/Stepped"
import type * as Context from "effect/Context"

/** What runs the steps of an operation. */
export type Runner = RunnerLine.Runner

/** The same runtime with another context. */
export const withContext = (_: Runner, context: Context.Context<never>): Runner => context

type Seen = Parameters<typeof Stepped.make>

/** What an operation reads from a fiber of this runtime, and whether the fiber can be interrupted. */
export const seenIn = (runner: Runner): readonly [view: Seen[1], flags: Seen[2]] => [{ context: runner }, true]

/** The runtime for steps. */
export const ofSteps = (runner: Runner): Runner => runner
