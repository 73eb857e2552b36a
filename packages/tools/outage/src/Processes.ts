/**
 * The processes of the fleet: started a few at a time, since each takes half a second of a core, and ended with the scope.
 */
import { Effect, type Scope } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Play, Played } from "./process/Message.ts"

/**
 * @category models
 */
export interface Process {
  readonly play: (play: Play) => Effect.Effect<Played>
}

/** What `tsc -b` has made, which fifty can afford. */
const built = fileURLToPath(new URL("../dist/main.js", import.meta.url))

/**
 * Starts so many processes of a program, and answers when all of them are ready.
 *
 * @category constructors
 */
export const make = (count: number, program = built): Effect.Effect<ReadonlyArray<Process>, never, Scope.Scope> =>
  Effect.forEach(Array.from({ length: count }), () => one(program), { concurrency: 2 })

const one = (program: string): Effect.Effect<Process, never, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => fork(program, { execArgv: [] })),
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
