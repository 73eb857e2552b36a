/**
 * Detects when all fibers of a run are idle, because a virtual clock may move only then.
 *
 * Counts the tasks that fibers give to the run's scheduler, and the turns of the event loop without a task. A scheduler
 * set with `Effect.withScheduler` is not counted; after those turns it is given a task, and once that has run, so have
 * the tasks before it. What a fiber waits for outside Effect is noticed only when it calls back.
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import type * as Scheduler from "effect/Scheduler"
import type * as Scope from "effect/Scope"
import * as Supervisor from "effect/Supervisor"

export interface Activity {
  /**
   * Whether the fibers are idle: this many turns in a row have passed without a task, and no task waits in a fiber's
   * own scheduler. Call it once per turn of the event loop.
   */
  readonly takeStillness: (turns: number) => boolean
  /** Counts as a waiting task until `end` is called. */
  readonly begin: () => void
  readonly end: () => void
}

/** The part of an activity for the supervisor of its fibers. */
interface Supervised extends Activity {
  /** Notes that a fiber continues. */
  readonly resumed: (fiber: AnyFiber) => void
  /** Notes that a fiber has begun or is suspended on an uncounted scheduler. */
  readonly suspendedElsewhere: (fiber: AnyFiber) => void
}

type AnyFiber = Fiber.RuntimeFiber<unknown, unknown>

/** The activity of a run, and of the runs in which it is nested. */
export interface Watched {
  readonly activity: Activity
  readonly around: ReadonlyArray<Activity>
}

/** A scheduler that counts the tasks that it passes to `inner`. */
interface Counting extends Scheduler.Scheduler {
  readonly inner: Scheduler.Scheduler
  readonly activity: Activity
}

/** Watches this fiber and all fibers that it forks from now on, until the scope closes. */
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
  /** Suspended fibers on uncounted schedulers. */
  const elsewhere = new Set<AnyFiber>()
  /** How many of their schedulers have been given a task that has not run; `undefined` if none since the last task. */
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
 * Gives the scheduler of each fiber a task, with the fiber's priority: once it has run, so have the fiber's waiting
 * tasks. Twice, because a worker of `Effect.forEach` is started by a task that schedules the next one.
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

/** Follows fibers, including those that switch to another scheduler with `Effect.withScheduler`. */
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
