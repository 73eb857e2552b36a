/**
 * Whether the fibers of a run stand still: a virtual clock may move only then.
 *
 * It counts the tasks that fibers hand to the scheduler of the run, and the turns of the event loop that pass without one. A
 * scheduler that fibers enter by `Effect.withScheduler` does not count: after those turns it gets a task itself, and once that
 * has run, so have those before it. What a fiber waits for outside of Effect shows only when it calls back.
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import type * as Scheduler from "effect/Scheduler"
import type * as Scope from "effect/Scope"
import * as Supervisor from "effect/Supervisor"

export interface Activity {
  /**
   * Whether the fibers stand still: so many turns in a row have passed without a task, and none waits in a scheduler of a
   * fiber's own. To be asked once per turn of the event loop.
   */
  readonly takeStillness: (turns: number) => boolean
  /** Counts as a task that waits, until `end` is called. */
  readonly begin: () => void
  readonly end: () => void
}

/** An activity, as the supervisor of its fibers sees it. */
interface Supervised extends Activity {
  /** Notes that a fiber goes on. */
  readonly resumed: (fiber: AnyFiber) => void
  /** Notes that a fiber has begun or is suspended, on a scheduler that does not count. */
  readonly suspendedElsewhere: (fiber: AnyFiber) => void
}

type AnyFiber = Fiber.RuntimeFiber<unknown, unknown>

/** The activity of a run, and of the runs in which it is nested. */
export interface Watched {
  readonly activity: Activity
  readonly around: ReadonlyArray<Activity>
}

/** A scheduler that counts the tasks that it hands to `inner`. */
interface Counting extends Scheduler.Scheduler {
  readonly inner: Scheduler.Scheduler
  readonly activity: Activity
}

/** Watches this fiber and all that it forks from here on, until the scope closes. */
export const watch: Effect.Effect<Watched, never, Scope.Scope> = Effect.gen(function* () {
  const activity = make()
  const scheduler = yield* FiberRef.get(FiberRef.currentScheduler)
  const supervisor = yield* FiberRef.get(FiberRef.currentSupervisor)
  yield* Effect.locallyScoped(FiberRef.currentScheduler, counting(activity, scheduler))
  yield* Effect.locallyScoped(FiberRef.currentSupervisor, supervisor.zip(following(activity)))
  return { activity, around: activitiesOf(scheduler) }
})

const make = (): Supervised => {
  let waiting = 0
  let quietTurns = 0
  /** Suspended fibers on schedulers that do not count. */
  const elsewhere = new Set<AnyFiber>()
  /** How many of their schedulers have been asked and have not answered; `undefined` where none has been asked since a task. */
  let asked: { left: number } | undefined
  const notStill = () => {
    quietTurns = 0
    asked = undefined
  }
  return {
    takeStillness: (turns) => {
      if (waiting > 0) quietTurns = 0
      else quietTurns += 1
      if (quietTurns <= turns) return false
      if (elsewhere.size === 0) return true
      asked ??= ask(elsewhere)
      if (asked.left > 0) return false
      asked = undefined
      return true
    },
    begin: () => {
      waiting += 1
      notStill()
    },
    end: () => {
      waiting -= 1
      notStill()
    },
    resumed: (fiber) => {
      if (elsewhere.delete(fiber)) notStill()
    },
    suspendedElsewhere: (fiber) => {
      elsewhere.add(fiber)
      notStill()
    }
  }
}

/**
 * Hands a task to the scheduler of each fiber, with the priority of the fiber: once it has run, so has what the fiber had
 * waiting there. Twice, since a worker of `Effect.forEach` is begun by a task that hands over the next one.
 */
const ask = (fibers: ReadonlySet<AnyFiber>): { left: number } => {
  const asked = { left: fibers.size }
  const answer = () => {
    asked.left -= 1
  }
  fibers.forEach((fiber) => handOver(fiber, () => handOver(fiber, answer)))
  return asked
}

const handOver = (fiber: AnyFiber, task: () => void): void =>
  fiber.currentScheduler.scheduleTask(task, fiber.getFiberRef(FiberRef.currentSchedulingPriority), fiber)

const counting = (activity: Activity, inner: Scheduler.Scheduler): Counting => ({
  inner,
  activity,
  shouldYield: (fiber) => inner.shouldYield(fiber),
  scheduleTask: (task, priority, fiber) => {
    const counted = () => {
      activity.end()
      task()
    }
    activity.begin()
    inner.scheduleTask(counted, priority, fiber)
  }
})

/** Follows fibers, also those that enter another scheduler by `Effect.withScheduler`. */
const following = (activity: Supervised): Supervisor.Supervisor<void> => {
  const suspended = (fiber: AnyFiber): void => {
    const isElsewhere = !activitiesOf(fiber.currentScheduler).includes(activity)
    if (isElsewhere && fiber.unsafePoll() === null) activity.suspendedElsewhere(fiber)
  }
  const onStart: Supervisor.Supervisor<void>["onStart"] = (_context, _effect, _parent, fiber) => suspended(fiber)
  return Object.assign(Supervisor.fromEffect(Effect.void), {
    onStart,
    onSuspend: suspended,
    onResume: activity.resumed
  })
}

/** The activities that count the tasks of a scheduler, that of the innermost run first. */
const activitiesOf = (scheduler: Scheduler.Scheduler): ReadonlyArray<Activity> =>
  isCounting(scheduler) ? [scheduler.activity, ...activitiesOf(scheduler.inner)] : []

const isCounting = (scheduler: Scheduler.Scheduler): scheduler is Counting =>
  "activity" in scheduler && "inner" in scheduler
