/**
 * The processes of the fleet: started a few at a time, since each takes half a second of a core, and ended with the scope.
 */
import { Effect, type Scope } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Play, Played } from "./process/Message.ts"

/**
 * How a process is started: `built` runs what `tsc -b` has made, and is what fifty can afford; `sources` needs no build.
 *
 * @category models
 */
export type Start = "built" | "sources"

/**
 * @category models
 */
export interface Process {
  readonly play: (play: Play) => Effect.Effect<Played>
}

const ways = {
  built: { file: "../dist/main.js", execArgv: [] },
  sources: { file: "process/main.ts", execArgv: ["--import=tsx", "--conditions=@effect-retry/source"] }
} as const

/**
 * Starts so many processes, and answers when all of them are ready.
 *
 * @category constructors
 */
export const make = (count: number, start: Start): Effect.Effect<ReadonlyArray<Process>, never, Scope.Scope> =>
  Effect.forEach(Array.from({ length: count }), () => one(start), { concurrency: 2 })

const one = (start: Start): Effect.Effect<Process, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { execArgv, file } = ways[start]
    const path = fileURLToPath(new URL(file, import.meta.url))
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => fork(path, { execArgv: [...execArgv] })),
      (child) => Effect.sync(() => child.kill())
    )
    yield* answerOf<"ready">(child)
    return {
      play: (play) => {
        const played = answerOf<Played>(child)
        return Effect.zipRight(
          Effect.sync(() => child.send(play)),
          played
        )
      }
    }
  })

/** The next message of a process. The end of the process is a defect. */
const answerOf = <A>(child: ChildProcess): Effect.Effect<A> =>
  Effect.async((resume) => {
    const onMessage = (message: A) => {
      child.off("exit", onExit)
      resume(Effect.succeed(message))
    }
    const onExit = (code: number | null) => {
      child.off("message", onMessage)
      resume(Effect.dieMessage(`a process of the fleet ended with ${code}`))
    }
    child.once("message", onMessage)
    child.once("exit", onExit)
  })
