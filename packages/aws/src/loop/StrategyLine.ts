/**
 * The runtime of a strategy's operations, whose parts differ between Effect 3 and Effect 4. This is the file for Effect 3;
 * the line for Effect 4 replaces it with its own.
 */
import type * as RunnerLine from "@effect-retry/core/unstable/RunnerLine"
import type * as Stepped from "@effect-retry/core/unstable/Stepped"
import type * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import * as Runtime from "effect/Runtime"
import * as RuntimeFlags from "effect/RuntimeFlags"

/** What runs the steps of an operation. */
export type Runner = RunnerLine.Runner

/** The same runtime with another context. */
export const withContext = (runner: Runner, context: Context.Context<never>): Runner =>
  Runtime.make({ ...runner, context })

type Seen = Parameters<typeof Stepped.make>

/** What an operation reads from a fiber of this runtime, and its flags. */
export const seenIn = ({ context, fiberRefs, runtimeFlags }: Runner): readonly [view: Seen[1], flags: Seen[2]] => [
  {
    currentContext: context,
    currentDefaultServices: FiberRefs.getOrDefault(fiberRefs, DefaultServices.currentServices),
    getFiberRef: (ref) => FiberRefs.getOrDefault(fiberRefs, ref)
  },
  runtimeFlags
]

/** The runtime for steps: interruptible wherever it was taken, and not counted in the metric of active fibers. */
export const ofSteps = (runner: Runner): Runner =>
  // Every fiber sets both anew, so inherited values would only be copied and compared.
  Runtime.updateFiberRefs(runner, (refs) =>
    FiberRefs.delete(FiberRefs.delete(refs, FiberRef.currentContext), FiberRef.currentScheduler)
  ).pipe(Runtime.enableRuntimeFlag(RuntimeFlags.Interruption), Runtime.disableRuntimeFlag(RuntimeFlags.RuntimeMetrics))
