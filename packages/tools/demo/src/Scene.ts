/**
 * A scene: something happens on the server, policies are at work, and promises are held against what was seen.
 */
import { Effect } from "effect"
import type { Line, Style } from "./Paint.ts"
import type { Promised } from "./Promised.ts"
import type { CallPolicy, Run, Target } from "./Run.ts"
import * as RunOf from "./Run.ts"
import type { Script } from "./Script.ts"
import type { ScriptedServer } from "./Server.ts"
import type { Bound } from "./Timeline.ts"
import * as Timeline from "./Timeline.ts"

/**
 * @category models
 */
export interface Scene {
  readonly title: string
  /** What the server does, and what meets it. */
  readonly intro: ReadonlyArray<string>
  readonly play: (stage: Stage) => Effect.Effect<Report>
}

/**
 * Where a scene is played. Scenes share the server; each has paths of its own.
 *
 * @category models
 */
export interface Stage {
  readonly server: ScriptedServer
  readonly seed: string
  readonly path: string
}

/**
 * What came of a scene.
 *
 * @category models
 */
export interface Report {
  readonly figure: (style: Style) => ReadonlyArray<Line>
  readonly promises: ReadonlyArray<Promised>
  /** What else there was to see; nothing depends on it. */
  readonly notes: ReadonlyArray<string>
  readonly ours: Tally
  readonly native: Tally
}

/**
 * @category models
 */
export interface Tally {
  readonly operations: number
  readonly succeeded: number
  /** Given up for a reason that was told. */
  readonly stopped: number
  /** As the server counts them. */
  readonly requests: number
  readonly elapsedMillis: number
}

/**
 * One operation under a policy, side by side with the same operation under a plain retry.
 *
 * @category constructors
 */
export const pair = (options: {
  readonly title: string
  readonly intro: ReadonlyArray<string>
  readonly script: Script
  /** @default "GET" */
  readonly method?: "GET" | "POST"
  readonly policy: CallPolicy
  readonly native: RunOf.Plain
  readonly promises: (ours: Run) => ReadonlyArray<Promised>
  readonly notes?: (native: Run) => ReadonlyArray<string>
  readonly bound?: Bound
}): Scene => ({
  title: options.title,
  intro: options.intro,
  play: ({ path, seed, server }) => {
    const target: Target = { server, seed, path, script: options.script, method: options.method ?? "GET" }
    const both = [RunOf.ours(target, options.policy), RunOf.native(target, options.native)] as const
    return Effect.map(Effect.all(both, { concurrency: "unbounded" }), ([ours, native]) => ({
      figure: (style) => Timeline.draw(style, [Timeline.fromRun(ours), Timeline.fromRun(native)], options.bound),
      promises: options.promises(ours),
      notes: options.notes?.(native) ?? [],
      ours: tally([ours]),
      native: tally([native])
    }))
  }
})

/**
 * What operations that ran at the same time came to.
 *
 * @category destructors
 */
export const tally = (runs: ReadonlyArray<Run>): Tally => ({
  operations: runs.length,
  succeeded: runs.filter(({ ending }) => ending._tag === "Succeeded").length,
  stopped: runs.filter(({ ending }) => ending._tag === "Stopped").length,
  requests: runs.reduce((requests, { arrivals }) => requests + arrivals.length, 0),
  elapsedMillis: Math.max(0, ...runs.map(({ elapsedMillis }) => elapsedMillis))
})
