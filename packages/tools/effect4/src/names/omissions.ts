import type { Omission } from "../Omissions.ts"

/** The parts of tests of Effect 3 that cannot hold on Effect 4, each with its reason. */
export const omissions: ReadonlyArray<Omission> = [
  {
    file: "core/test/accept/InvalidArgument.test.ts",
    parts: ["shows a duration that is too long to be formatted"],
    reason: "Effect 4 writes any duration."
  },
  {
    file: "core/test/classify/Verdict.test.ts",
    parts: ["[1e300, 1e300]"],
    reason: "Effect 4 reads seconds and nanoseconds beyond all numbers as Duration.infinity."
  },
  {
    file: "core/test/fund/bucket/AdaptiveConcurrency.test.ts",
    parts: ["finds how many attempts a server takes at once, by %s"],
    reason:
      "The semaphore of Effect 4, of which the server of this test is made, serves new requests before those that wait."
  },
  {
    file: "core/test/fund/compose/Fallible.test.ts",
    parts: ["report a call once if it answers just as its time is over"],
    reason: "A fiber of Effect 4 goes on in the step that wakes it: no two end before one of them is seen."
  },
  {
    file: "core/test/fund/fiber/Bounded.ts",
    parts: ["a supervisor sees the fibers of the effect, and nothing of it afterwards"],
    reason: "Effect 4 has no supervisors."
  },
  {
    file: "core/test/fund/fiber/Bounded.ts",
    parts: [
      "the annotations around it are seen inside",
      "a FiberRef counts forks and joins",
      "a FiberRef comes back from a fiber that was joined inside"
    ],
    reason: "Effect 4 has no FiberRefs: a context leaves no effect."
  },
  {
    file: "core/test/fund/fiber/Bounded.ts",
    parts: [
      "flagsAfter",
      "runtime flags are switched on inside",
      "runtime flags are switched off inside",
      "the effect ends uninterruptible"
    ],
    reason: "Effect 4 has no runtime flags."
  },
  {
    file: "core/test/fund/fiber/Bounded.ts",
    parts: ["cannot be interrupted and fails", "has a finalizer that dies", "has a slow finalizer that dies"],
    reason:
      "Effect.timeout of Effect 4 drops errors and defects of an effect that is interrupted from outside, and `within` keeps them."
  },
  {
    file: "core/test/fund/fiber/Timer.test.ts",
    parts: ["inUse", "sleeps $name"],
    reason: "The clock of Effect 4 hands out no timers, and its fibers are not counted."
  },
  {
    file: "core/test/fund/fiber/Timer.test.ts",
    parts: ["makes no call when it is cancelled between the end of the sleep and its notice, and the sleep $name"],
    reason: "A fiber of Effect 4 goes on in the step that wakes it: nothing comes between."
  },
  {
    file: "core/test/fund/fiber/Within.test.ts",
    parts: [
      "hands FiberRefs back as it does, after $name",
      "leaves an earlier interruption of the fiber as it was",
      "takes no step to hand FiberRefs of a child back when none has changed",
      "hands back what a child has set in a FiberRef that the fiber around it does not have",
      "leaves FiberRefs as they were before the timeout"
    ],
    reason: "Effect 4 has no FiberRefs: a context leaves no effect."
  },
  {
    file: "core/test/fund/fiber/Within.test.ts",
    parts: ["without", "missing", "has the same result when effects have no $field"],
    reason: "These are fields of Effect 3."
  },
  {
    file: "core/test/fund/fiber/Within.test.ts",
    parts: ["succeeds"],
    reason: "Effects of Effect 4 that are nested 3,000 deep overflow the stack, also those of Effect.timeout."
  },
  {
    file: "core/test/fund/fiber/Within.test.ts",
    parts: ["has the fibers of the effect log as ever"],
    reason: "Effect 4 logs no failures of fibers."
  },
  {
    file: "core/test/fund/fiber/Within.test.ts",
    parts: ["begins no effect in a fiber that is interrupted already, $way"],
    reason: "A step of the effect itself is among those before which Effect 4 can be interrupted by a test."
  },
  {
    file: "core/test/fund/fiber/Within.test.ts",
    parts: ["programs that are interrupted"],
    reason: "Effect.timeout of Effect 4 ends before the finalizers of what it interrupts, and `within` waits for them."
  },
  {
    file: "core/test/fund/fiber/Within.test.ts",
    parts: ["has the same result with timers of the platform: $group"],
    reason:
      "Fibers of Effect 4 take turns by setImmediate, which a busy machine orders otherwise than timers of a few milliseconds."
  },
  {
    file: "core/test/loop/Hedge.test.ts",
    parts: ["hands back the FiberRefs of the success, and of no other attempt"],
    reason: "Effect 4 has no FiberRefs: a context leaves no effect."
  },
  {
    file: "core/test/loop/Hedge.test.ts",
    parts: ["a success before a fatal failure", "releases the result of a loser that answers at the same moment"],
    reason: "A fiber of Effect 4 goes on in the step that wakes it: no two end before one of them is seen."
  },
  {
    file: "core/test/loop/Hedge.test.ts",
    parts: ["passes an interruption on when it cannot be interrupted itself"],
    reason: "Effect 4 passes an interruption of a region that cannot be interrupted on to no child."
  },
  {
    file: "core/test/loop/Nesting.test.ts",
    parts: ["stays as it is when a fiber takes over the FiberRefs of one that makes an attempt"],
    reason: "Effect 4 has no FiberRefs: a context leaves no effect."
  },
  {
    file: "core/test/loop/Nesting.test.ts",
    parts: ["a managed runtime"],
    reason: "Effect.provide of Effect 4 takes layers and contexts, and no managed runtime."
  },
  {
    file: "core/test/loop/PolicySchedule.test.ts",
    parts: ["retries the acquisition of a layer"],
    reason: "Effect 4 has no Layer.retry."
  },
  {
    file: "core/test/loop/PolicySchedule.test.ts",
    parts: ["answers the same twice from one state"],
    reason: "A step of Effect 4 keeps its state to itself."
  },
  {
    file: "core/test/loop/Promises.test.ts",
    parts: ["fibers", "fibersOf", "starts $starts fibers for an operation $what"],
    reason: "Effect 4 counts fibers only where a program asks for the metrics of the runtime."
  },
  {
    file: "core/test/loop/Retry.test.ts",
    parts: ["take any effect, such as an option or a tagged error"],
    reason: "An option of Effect 4 is no effect."
  },
  {
    file: "core/test/loop/policy/PolicyConfig.test.ts",
    parts: ["names the place of a bad value under a prefix"],
    reason: "A configuration of Effect 4 does not know the names around it."
  },
  {
    file: "core/test/loop/run/Attempt.test.ts",
    parts: ["hands the FiberRefs of an attempt that succeeds back, and its services not"],
    reason: "Effect 4 has no FiberRefs: a context leaves no effect."
  },
  {
    file: "core/test/loop/run/Observers.test.ts",
    parts: ["adds one handler around the effect itself, and nothing that runs before it"],
    reason: "These are fields of effects of Effect 3."
  },
  {
    file: "core/test/loop/run/Operation.test.ts",
    parts: ["neither waits nor pays for a retry once it is due"],
    reason: "The effects of Effect.timeout can be interrupted on Effect 4 also where nothing around them can."
  },
  {
    file: "fleet/test/fund/lease/Lease.test.ts",
    parts: ["keeps the tokens of an attempt that is interrupted before it runs on"],
    reason: "A fiber of Effect 4 goes on in the step that wakes it: nothing comes between."
  },
  {
    file: "grpc/test/loop/Hedging.test.ts",
    parts: ["hands back the FiberRefs of the success, and of no other attempt"],
    reason: "Effect 4 has no FiberRefs: a context leaves no effect."
  },
  {
    file: "plan/test/clock/VirtualClock.test.ts",
    parts: ["VirtualClock.layer, with fibers on schedulers of their own"],
    reason:
      "Effect 4 has no supervisor that could follow a fiber into another scheduler: what it does there is not counted."
  },
  {
    file: "testing/test/contract/TokenBucketContract.test.ts",
    parts: ["keeps the place of an attempt that was interrupted"],
    reason: "On Effect 4 a fiber that is woken goes on at once: an attempt is served before it can be interrupted."
  },
  {
    file: "http/test/loop/fetch/FetchCall.test.ts",
    parts: ["Started", "starts fibers if there is something to judge: %s"],
    reason: "Effect 4 has no supervisors."
  },
  {
    file: "http/test/classify/HttpClassifier.test.ts",
    parts: ["OtherError"],
    reason: "An error of a client of Effect 4 is known by its reason, whatever its tag."
  },
  {
    file: "http/test/loop/policy/BeforeRetry.test.ts",
    parts: ["Policy.beforeRetry under a scope"],
    reason: "Effect 4 keeps to itself which scope aborts a request, so that one which a policy has changed has none."
  },
  {
    file: "http/test/loop/HttpRetry.test.ts",
    parts: ["leaves only the last response to the scope of withScope after it"],
    reason: "Effect 4 keeps to itself which scope aborts a request, so that one which a policy has changed has none."
  },
  {
    file: "http/test/loop/HttpRetry.test.ts",
    parts: ["lets withCookiesRef before it keep the cookies of every attempt, and after it those of the last"],
    reason: "The cookies that a client of Effect 4 keeps are an array."
  },
  {
    file: "http/test/loop/RetryTransient.test.ts",
    parts: ["does not go on for ever as retryTransient does without retries"],
    reason: "retryTransient of Effect 4 makes one attempt if it may not retry."
  },
  {
    file: "http/test/loop/RetryTransient.test.ts",
    parts: ["does not wait by its schedule alone as retryTransient does"],
    reason: "retryTransient of Effect 4 waits as long as the server asks for."
  },
  {
    file: "http/test/loop/exchange/Release.test.ts",
    parts: ["leaves no observer at the fiber of an operation once a body is read"],
    reason: "Fibers of Effect 4 have no member to remove an observer."
  },
  {
    file: "tools/examples/test/from-native.test.ts",
    parts: ["resets a steady series of failures"],
    reason: "Effect 4 has no Schedule.resetAfter."
  },
  {
    file: "tools/examples/test/from-native.test.ts",
    parts: ["arms no timer, so that the fiber never wakes", "arms none for a Backoff under native retry either"],
    reason: "The clock of Effect 4 waits for a long delay in several sleeps."
  },
  {
    file: "http/test/loop/fetch/FetchChange.test.ts",
    parts: ["a body, whose length fetch says by itself"],
    reason: "A body of text stays a text on Effect 4, and is not encoded before it is sent."
  }
]
