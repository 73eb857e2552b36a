/**
 * Whether the fibers of a run stand still: a virtual clock may move only then.
 *
 * It counts the tasks that fibers hand to the scheduler of the run, and the turns of the event loop that pass without one and
 * without a step of a fiber. A scheduler that a fiber is provided with inside the run does not count. What a fiber waits for
 * outside of Effect shows only when it calls back.
 */
import * as Context from "effect/Context"
import * as Scheduler from "effect/Scheduler"

export interface Activity {
  /** Whether so many turns in a row have passed without a task and a step; to be asked once per turn of the event loop. */
  readonly takeStillness: (turns: number) => boolean
  /** Counts as a task that waits, until `end` is called. */
  readonly begin: () => void
  readonly end: () => void
  /** A fiber takes a step: one that is called back goes on without a task. */
  readonly step: () => void
}

/** The activity of a run, and of the runs in which it is nested. */
export interface Watched {
  readonly activity: Activity
  readonly around: ReadonlyArray<Activity>
}

/** What is watched, and the scheduler by which it is. */
export interface Watching extends Watched {
  readonly scheduler: Scheduler.Scheduler
}

/** A scheduler that counts the tasks that it hands to `inner`. */
interface Counting extends Scheduler.Scheduler {
  readonly inner: Scheduler.Scheduler
  readonly activity: Activity
}

/** Watches the fibers that run in this context, with another scheduler. */
export const watch = (context: Context.Context<never>): Watching => {
  const activity = make()
  const scheduler = Context.get(context, Scheduler.Scheduler)
  return { activity, around: activitiesOf(scheduler), scheduler: counting(activity, scheduler) }
}

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
    },
    step: () => {
      quietTurns = 0
    }
  }
}

const counting = (activity: Activity, inner: Scheduler.Scheduler): Counting => ({
  inner,
  activity,
  executionMode: inner.executionMode,
  shouldYield: (fiber) => {
    activity.step()
    return inner.shouldYield(fiber)
  },
  makeDispatcher: () => {
    const dispatcher = inner.makeDispatcher()
    return {
      scheduleTask: (task, priority) => {
        const counted = () => {
          activity.end()
          task()
        }
        activity.begin()
        dispatcher.scheduleTask(counted, priority)
      },
      flush: () => dispatcher.flush()
    }
  }
})

/** The activities that count the tasks of a scheduler, that of the innermost run first. */
const activitiesOf = (scheduler: Scheduler.Scheduler): ReadonlyArray<Activity> =>
  isCounting(scheduler) ? [scheduler.activity, ...activitiesOf(scheduler.inner)] : []

const isCounting = (scheduler: Scheduler.Scheduler): scheduler is Counting =>
  "activity" in scheduler && "inner" in scheduler
