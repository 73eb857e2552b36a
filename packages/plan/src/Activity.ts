/**
 * Whether the fibers of a run stand still: a virtual clock may move only then.
 *
 * It counts the tasks that fibers hand to their schedulers, to any of them, and the turns of the event loop that
 * pass without one. What a fiber waits for outside of Effect shows only when it calls back.
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import type * as Scheduler from "effect/Scheduler"
import type * as Scope from "effect/Scope"
import * as Supervisor from "effect/Supervisor"

/**
 * @category models
 */
export interface Activity {
  /** Whether so many turns in a row have passed without a task; to be asked once per turn of the event loop. */
  readonly takeStillness: (turns: number) => boolean
  /** Counts as a task that waits, until `end` is called. */
  readonly begin: () => void
  readonly end: () => void
}

/**
 * The activity of a run, and of the runs in which it is nested.
 *
 * @category models
 */
export interface Watched {
  readonly activity: Activity
  readonly around: ReadonlyArray<Activity>
}

/** A scheduler that counts the tasks that it hands to `inner`. */
interface Counting extends Scheduler.Scheduler {
  readonly inner: Scheduler.Scheduler
  readonly activity: Activity
}

/**
 * Watches this fiber and all that it forks from here on, until the scope closes.
 *
 * @category constructors
 */
export const watch: Effect.Effect<Watched, never, Scope.Scope> = Effect.gen(function* () {
  const activity = make()
  const scheduler = yield* FiberRef.get(FiberRef.currentScheduler)
  const supervisor = yield* FiberRef.get(FiberRef.currentSupervisor)
  yield* Effect.locallyScoped(FiberRef.currentScheduler, counting(activity, scheduler))
  yield* Effect.locallyScoped(FiberRef.currentSupervisor, supervisor.zip(following(activity)))
  return { activity, around: activitiesOf(scheduler) }
})

const make = (): Activity => {
  let waiting = 0
  let quietTurns = 0
  return {
    takeStillness: (turns) => {
      quietTurns = waiting === 0 ? quietTurns + 1 : 0
      return quietTurns > turns
    },
    begin: () => {
      waiting += 1
      quietTurns = 0
    },
    end: () => {
      waiting -= 1
      quietTurns = 0
    }
  }
}

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

/**
 * Follows fibers that enter another scheduler by `Effect.withScheduler`.
 *
 * That scheduler gets its first task when the fiber forks or suspends, so there it is replaced by one that counts. When
 * the fiber leaves it, Effect gives it the former one back.
 */
const following = (activity: Activity): Supervisor.Supervisor<void> => {
  const follow = (fiber: Fiber.RuntimeFiber<unknown, unknown>): void => {
    const scheduler = fiber.getFiberRef(FiberRef.currentScheduler)
    if (activitiesOf(scheduler).includes(activity)) return
    if (isSettable(fiber)) fiber.setFiberRef(FiberRef.currentScheduler, counting(activity, scheduler))
  }
  const onStart: Supervisor.Supervisor<void>["onStart"] = (_context, _effect, parent, fiber) => {
    if (Option.isSome(parent)) follow(parent.value)
    follow(fiber)
  }
  return Object.assign(Supervisor.fromEffect(Effect.void), { onStart, onSuspend: follow })
}

/** What a fiber of Effect 3 can do beyond its interface. */
interface Settable {
  readonly setFiberRef: <A>(fiberRef: FiberRef.FiberRef<A>, value: A) => void
}

const isSettable = (fiber: object): fiber is Settable => "setFiberRef" in fiber

/** The activities that count the tasks of a scheduler, that of the innermost run first. */
const activitiesOf = (scheduler: Scheduler.Scheduler): ReadonlyArray<Activity> =>
  isCounting(scheduler) ? [scheduler.activity, ...activitiesOf(scheduler.inner)] : []

const isCounting = (scheduler: Scheduler.Scheduler): scheduler is Counting =>
  "activity" in scheduler && "inner" in scheduler
