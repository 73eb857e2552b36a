/**
 * A scene: the server fails in some way, calls are retried, and promises are held against what happened.
 */
import type { HttpRetry } from "@effect-retry/http"
import { Effect, Exit } from "effect"
import * as Figure from "./Figure.ts"
import type { Line, Style } from "./Paint.ts"
import type { Promised } from "./Promised.ts"
import * as Run from "./Run.ts"
import type { Step } from "./Server.ts"

/**
 * @category models
 */
export interface Scene {
  readonly title: string
  readonly play: (stage: Omit<Run.Target, "steps" | "method">) => Effect.Effect<Report>
}

/**
 * The result of a scene.
 *
 * @category models
 */
export interface Report {
  readonly figure: (style: Style) => ReadonlyArray<Line>
  readonly promises: ReadonlyArray<Promised>
  /** Why one side did better, in one line. */
  readonly why: string
  readonly ours: Tally
  readonly native: Tally
}

/**
 * @category models
 */
export interface Tally {
  /** As the server counts them. */
  readonly requests: number
  /** How it ended, if the scene is a single operation. */
  readonly succeeded?: boolean
}

/**
 * One operation under a policy, side by side with the same operation under a plain retry.
 *
 * @category constructors
 */
export const pair = (options: {
  readonly title: string
  readonly why: string
  readonly steps: () => ReadonlyArray<Step>
  readonly method?: Run.Target["method"]
  readonly policy: HttpRetry.Preset<unknown>
  readonly native: Run.Retrying
  readonly promises: (run: Run.Run) => ReadonlyArray<Promised>
}): Scene => ({
  title: options.title,
  play: (stage) => {
    const target = () => ({ ...stage, steps: options.steps(), method: options.method })
    const both = [Run.ours(target(), options.policy), Run.native(target(), options.native)] as const
    return Effect.map(Effect.all(both, { concurrency: "unbounded" }), ([ours, native]) => ({
      figure: (style) => Figure.draw(style, [ours, native]),
      promises: options.promises(ours),
      why: options.why,
      ours: tally(ours),
      native: tally(native)
    }))
  }
})

const tally = ({ arrivals, timeline }: Run.Run): Tally => ({
  requests: arrivals.length,
  succeeded: Exit.isSuccess(timeline.exit)
})
