/**
 * What operations do under a policy, as data: which attempts they make, and how they end.
 *
 * All functions that retry run them, and so do the tests of the pages that say what happens when.
 */
import {
  Backoff,
  type Classifier,
  Curve,
  Deadline,
  Hint,
  Jitter,
  type Policy,
  Retry,
  TokenBucket,
  Verdict
} from "@effect-retry/core"
import { Schedule } from "effect"
import { judge, type Word } from "./Recording.ts"

/** Policies that every function can carry out. */
export type Plain = Pick<
  Policy.Policy<unknown>,
  "classifier" | "maxAttempts" | "attemptsByKind" | "backoff" | "hint"
> & {
  readonly deadline?: Deadline.Deadline | undefined
}

/** What a schedule cannot: it sees failures alone. */
export type Funded = Plain & Pick<Policy.Policy<unknown, Retry.AttemptRefused>, "bucket" | "rateLimiter">

/** Three attempts, a second apart. */
export const policy = {
  classifier: ((error) => judge(error as Word)) satisfies Classifier.Classifier,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" }),
  hint: Hint.floor({ atMost: "1 minute", otherwise: "giveUp" })
}

/** The server asks to be called again at once. */
const unasked = { ...policy, classifier: () => Verdict.retryable("Server", { hint: 0 }) }

const doubling = Backoff.exponential({ base: "1 second" })

export interface Story<P> {
  readonly name: string
  readonly policy: P
  /** What the attempts fail with, one after the other; the one after the last word succeeds. */
  readonly script?: ReadonlyArray<Word>
  /** The random numbers that are drawn. */
  readonly chance?: ReadonlyArray<number>
  /** When the attempts start, in milliseconds. */
  readonly starts: ReadonlyArray<number>
  /** The result, or the last error. */
  readonly end: string
  /** Why there is no further attempt after a failure. */
  readonly reason?: Partial<Retry.StopReason>
}

/** Stories for every function that retries. */
export const plain: ReadonlyArray<Story<Plain>> = [
  { name: "succeed at once", policy, starts: [0], end: "done" },
  { name: "wait after each failure", policy, script: ["busy", "slow down"], starts: [0, 1_000, 2_000], end: "done" },
  {
    name: "end with the last error where the attempts are spent",
    policy,
    script: ["busy", "slow down", "busy", "busy"],
    starts: [0, 1_000, 2_000],
    end: "busy",
    reason: { _tag: "AttemptsSpent", maxAttempts: 3 }
  },
  {
    name: "count attempts of the kinds apart that the policy limits",
    policy: { ...policy, maxAttempts: 2, attemptsByKind: { Throttling: 3 } },
    script: ["slow down", "busy", "slow down", "slow down", "busy"],
    starts: [0, 1_000, 2_000, 3_000],
    end: "slow down",
    reason: { _tag: "AttemptsSpent", maxAttempts: 3, kind: "Throttling" }
  },
  {
    name: "make one attempt in all",
    policy: { ...policy, maxAttempts: 1 },
    script: ["busy"],
    starts: [0],
    end: "busy",
    reason: { _tag: "AttemptsSpent", maxAttempts: 1 }
  },
  {
    name: "do not repeat what is terminal",
    policy,
    script: ["bad request"],
    starts: [0],
    end: "bad request",
    reason: { _tag: "Terminal", why: "the request is wrong" }
  },
  {
    name: "do not repeat what no classifier knows",
    policy,
    script: ["busy", "riddle"],
    starts: [0, 1_000],
    end: "riddle",
    reason: { _tag: "Terminal" }
  },
  {
    name: "do not wait where the delay is zero",
    policy: { ...policy, backoff: Backoff.constant({ delay: 0 }) },
    script: ["busy", "busy"],
    starts: [0, 0, 0],
    end: "done"
  },
  {
    name: "wait longer than a timer of the platform holds",
    policy: { ...policy, backoff: Backoff.constant({ delay: "50 days" }) },
    script: ["busy"],
    starts: [0, 50 * 86_400_000],
    end: "done"
  },
  {
    name: "let the back-off grow, and start over after progress",
    policy: { ...policy, maxAttempts: 4, backoff: doubling },
    script: ["busy", "busy", "broken off", "busy", "busy", "busy"],
    starts: [0, 1_000, 3_000, 4_000, 6_000, 10_000],
    end: "busy",
    reason: { _tag: "AttemptsSpent" }
  },
  {
    name: "end with the back-off",
    policy: { ...policy, backoff: Backoff.take(doubling, 1) },
    script: ["busy", "slow down", "busy"],
    starts: [0, 1_000],
    end: "slow down",
    reason: { _tag: "BackoffEnded" }
  },
  {
    name: "end with the list of delays",
    policy: { ...policy, backoff: Backoff.fromDelays([100]) },
    script: ["busy", "slow down"],
    starts: [0, 100],
    end: "slow down",
    reason: { _tag: "BackoffEnded" }
  },
  {
    name: "end with the time of the back-off",
    policy: { ...policy, maxAttempts: 9, backoff: Backoff.within(doubling, "4 seconds") },
    script: ["busy", "busy", "busy"],
    starts: [0, 1_000, 3_000],
    end: "busy",
    reason: { _tag: "BackoffEnded" }
  },
  {
    name: "follow a curve of the caller's own",
    policy: { ...policy, maxAttempts: 4, backoff: Backoff.fromCurve(Curve.fromFunction("cubes", (n) => n ** 3)) },
    script: ["busy", "busy", "busy"],
    starts: [0, 1, 9, 36],
    end: "done"
  },
  {
    name: "draw one number for each delay",
    policy: { ...policy, backoff: Backoff.jittered(doubling, Jitter.full) },
    script: ["busy", "busy"],
    chance: [0.5, 0.25],
    starts: [0, 500, 1_000],
    end: "done"
  },
  {
    name: "wait as long as the server asks, also above the cap",
    policy: { ...policy, backoff: Backoff.capped(doubling, "2 seconds") },
    script: ["come back later"],
    starts: [0, 5_000],
    end: "done"
  },
  {
    name: "draw for the hint of the server",
    policy: { ...policy, hint: Hint.floor({ atMost: "1 minute", otherwise: "giveUp", jitterRatio: 0.5 }) },
    script: ["busy", "come back later"],
    chance: [0.5],
    starts: [0, 1_000, 7_250],
    end: "done"
  },
  {
    name: "give up where the server asks for too long a wait",
    policy,
    script: ["come back next year"],
    starts: [0],
    end: "come back next year",
    reason: { _tag: "HintTooLong" }
  },
  {
    name: "wait no longer than the rule lets the server ask",
    policy: { ...policy, hint: Hint.floor({ atMost: "1 minute", otherwise: "clamp" }) },
    script: ["come back next year"],
    starts: [0, 60_000],
    end: "done"
  },
  {
    name: "wait as the back-off says where the rule leaves such a hint",
    policy: { ...policy, hint: Hint.floor({ atMost: "1 minute", otherwise: "ignore" }) },
    script: ["come back next year"],
    starts: [0, 1_000],
    end: "done"
  },
  {
    name: "wait as the back-off says where the server asks for no wait",
    policy: { ...unasked, hint: Hint.override({ atMost: "1 minute", otherwise: "giveUp" }) },
    script: ["busy"],
    starts: [0, 1_000],
    end: "done"
  },
  {
    name: "do not wait where the server asks for no wait and the rule follows it",
    policy: { ...unasked, hint: Hint.override({ atMost: "1 minute", otherwise: "giveUp", zero: "atOnce" }) },
    script: ["busy"],
    starts: [0, 0],
    end: "done"
  },
  {
    name: "let the back-off start over after a hint, where the policy says so",
    policy: {
      ...policy,
      maxAttempts: 4,
      backoff: doubling,
      hint: Hint.override({ atMost: "1 minute", otherwise: "giveUp", startsOver: true })
    },
    script: ["busy", "come back later", "busy"],
    starts: [0, 1_000, 6_000, 7_000],
    end: "done"
  },
  {
    name: "refuse an attempt that would start at the deadline",
    policy: { ...policy, maxAttempts: 9, deadline: Deadline.refuse("2 seconds") },
    script: ["busy", "busy"],
    starts: [0, 1_000],
    end: "busy",
    reason: { _tag: "DeadlinePassed" }
  },
  {
    name: "shorten the wait that would pass the deadline",
    policy: { ...policy, maxAttempts: 9, deadline: Deadline.truncate("2 seconds", { reserve: "300 millis" }) },
    script: ["busy", "busy", "busy"],
    starts: [0, 1_000, 1_700],
    end: "busy",
    reason: { _tag: "DeadlinePassed" }
  },
  {
    name: "step a schedule that is no back-off",
    policy: {
      ...policy,
      maxAttempts: 9,
      backoff: Schedule.intersect(Schedule.fibonacci("1 second"), Schedule.recurs(3))
    },
    script: ["busy", "busy", "busy", "busy"],
    starts: [0, 1_000, 2_000, 4_000],
    end: "busy",
    reason: { _tag: "BackoffEnded" }
  }
]

/** Stories for every function but the schedule. */
export const funded: ReadonlyArray<Story<Funded>> = [
  {
    name: "do not wait where the bucket refuses",
    policy: { ...policy, bucket: TokenBucket.empty },
    script: ["busy"],
    starts: [0],
    end: "busy",
    reason: { _tag: "BucketEmpty" }
  },
  {
    name: "make no attempt that the rate limiter refuses",
    policy: { ...policy, rateLimiter: TokenBucket.empty },
    starts: [],
    end: String(new Retry.AttemptRefused({ attempt: 1, cause: undefined })),
    reason: { _tag: "RateLimiterRefused" }
  },
  {
    name: "retry as before where both grant all",
    policy: { ...policy, bucket: TokenBucket.unlimited, rateLimiter: TokenBucket.unlimited },
    script: ["busy", "slow down", "busy"],
    starts: [0, 1_000, 2_000],
    end: "busy",
    reason: { _tag: "AttemptsSpent" }
  }
]
