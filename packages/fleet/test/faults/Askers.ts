/**
 * A fleet of processes on one bucket, with the stamps of all their grants.
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import * as Program from "@effect-retry/servers/Program"
import { assert } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { type Order, ready, type Task } from "./Order.ts"
import * as Windows from "./Windows.ts"

/** A process. */
export interface Asker {
  readonly ask: (order: Order) => Effect.Effect<void>
  /** Stops it with `SIGSTOP`, and lets it go on with `SIGCONT`. */
  readonly stop: Effect.Effect<void>
  readonly goOn: Effect.Effect<void>
  /** The grants so far. */
  readonly stamps: ReadonlyArray<Windows.Stamp>
  /** Waits until it was granted something from now on. */
  readonly granted: Effect.Effect<void>
}

const main = new URL("asker.ts", import.meta.url)

/** More than a busy machine takes to start a process, and a server to come back. */
const longestWaitMillis = 120_000
const pauseMillis = 5

const until = (what: string, isSo: () => boolean) =>
  Effect.promise(async () => {
    for (let waited = 0; !isSo(); waited += pauseMillis) {
      if (waited > longestWaitMillis) throw new Error(`waited in vain until ${what}`)
      await sleep(pauseMillis)
    }
  })

/** The program of the processes. */
export const program = Program.bundled(main)

/** Starts a process for each task, and waits until all of them know their store. All are killed with the scope. */
export const start = (
  program: string,
  tasks: ReadonlyArray<Task>
): Effect.Effect<ReadonlyArray<Asker>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const started = yield* Effect.forEach(tasks, (task) => startOne(program, task))
    yield* until("all processes know their store", () => started.every(({ isReady }) => isReady()))
    return started.map(({ asker }) => asker)
  })

const startOne = (program: string, task: Task) =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        fork(program, [JSON.stringify(task)], { execArgv: [], stdio: ["ignore", "pipe", "inherit", "ipc"] })
      ),
      kill
    )
    const stamps: Array<Windows.Stamp> = []
    let isReady = false
    if (child.stdout !== null) {
      createInterface({ input: child.stdout }).on("line", (line) => {
        if (line === ready) isReady = true
        else stamps.push(stampOf(line))
      })
    }
    const signal = (name: NodeJS.Signals) => Effect.sync(() => void child.kill(name))
    const asker: Asker = {
      ask: (order) => Effect.sync(() => void child.send(order)),
      stop: signal("SIGSTOP"),
      goOn: signal("SIGCONT"),
      stamps,
      granted: Effect.suspend(() => {
        const before = stamps.length
        return until("a process is granted something", () => stamps.length > before)
      })
    }
    return { asker, isReady: () => isReady }
  })

/** Reads a grant. Any other line would give `NaN`, with which every bound holds. */
const stampOf = (line: string): Windows.Stamp => {
  const [atMillis = NaN, tokens = NaN] = line.split(" ").map(Number)
  if (!Number.isFinite(atMillis) || !Number.isFinite(tokens)) throw new Error(`a process wrote no grant: ${line}`)
  return { atMillis, tokens }
}

const kill = (child: ChildProcess) =>
  Effect.promise(async () => {
    const ended = once(child, "exit")
    child.kill("SIGKILL")
    if (child.exitCode === null && child.signalCode === null) await ended
  })

/** Asserts the bound of `docs/fleet.md` over all windows, and prints the worst one. */
export const assertBound = (
  fault: string,
  stamps: ReadonlyArray<Windows.Stamp>,
  {
    leaseShare,
    limits,
    more = 0,
    processes,
    withinMillis
  }: Pick<Task, "leaseShare" | "limits" | "withinMillis"> & { readonly more?: number; readonly processes: number }
): void => {
  const lease = leaseShare === 0 ? 0 : Math.max(1, leaseShare * limits.burst)
  const bound = { ...limits, delayMillis: withinMillis, processes, lease, more }
  const window = Windows.worst(stamps, limits.perSecond)
  const millis = window === undefined ? 0 : window.toMillis - window.fromMillis
  const tokens = window?.tokens ?? 0
  console.info(
    `| all windows: ${fault} | ${tokens} tokens in ${Math.round(millis)} ms | ${Math.round(window?.beyondRate ?? 0)} of ${Math.floor(Windows.mostBeyondRate(bound))} beyond the rate |`
  )
  assert.isDefined(window)
  assert.isUndefined(Windows.violation(stamps, bound))
}
