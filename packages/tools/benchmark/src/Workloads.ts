/**
 * Everything that is measured, in the order of the page.
 */
import type { Workload } from "./Workload.ts"
import { timeoutAfterYield, timeoutAtOnce, timeoutForeignClock, timeoutPasses } from "./workloads/AttemptTimeout.ts"
import { sdkOneFailure, sdkSucceeds } from "./workloads/AwsSdk.ts"
import { bundles } from "./workloads/Bundle.ts"
import { concurrentOperations } from "./workloads/ConcurrentOperations.ts"
import { fetchGet, fetchPost, fetchRequest, fetchSignal } from "./workloads/FetchCalls.ts"
import { fits } from "./workloads/Fits.ts"
import { foreignSchedule } from "./workloads/ForeignSchedule.ts"
import { hedgeAfterYield, hedgeAtOnce } from "./workloads/Hedges.ts"
import { heldMemory } from "./workloads/HeldMemory.ts"
import { httpFetch, httpInMemory, httpNode, httpPaced, httpUndici } from "./workloads/Http.ts"
import { httpLibrariesOneFailure, httpLibrariesSucceed } from "./workloads/HttpLibraries.ts"
import { keyedBuckets, newKey } from "./workloads/KeyedBuckets.ts"
import { observedSuccess, observedTwoFailures } from "./workloads/Observed.ts"
import { parkedAttempt, parkedFiber } from "./workloads/ParkedFiber.ts"
import { plans } from "./workloads/Plans.ts"
import { productionAfterYield, productionAtOnce } from "./workloads/ProductionPolicy.ts"
import { promisesSucceed, promisesTwoFailures, promisesWait } from "./workloads/Promises.ts"
import { promisesQuotaOneFailure, promisesQuotaSucceed } from "./workloads/PromisesQuota.ts"
import { success } from "./workloads/Success.ts"
import { successUnderBucket } from "./workloads/SuccessUnderBucket.ts"
import { acquireAndRefundTokens } from "./workloads/AcquireAndRefund.ts"
import { twoFailures } from "./workloads/TwoFailures.ts"
import { virtualTime } from "./workloads/VirtualTime.ts"

/** The packages whose versions the page names. */
export const measuredPackages = [
  "effect",
  "@effect/platform",
  "@effect/platform-node",
  "@effect-retry/core",
  "@effect-retry/http",
  "p-retry",
  "cockatiel",
  "async-retry",
  "exponential-backoff",
  "@smithy/util-retry",
  "undici",
  "got",
  "ky",
  "axios",
  "axios-retry"
]

/** `collect` is a full collection of garbage: memory is measured between two. */
export const workloads = (collect: () => void): ReadonlyArray<Workload> => [
  success,
  twoFailures,
  foreignSchedule,
  successUnderBucket,
  acquireAndRefundTokens,
  concurrentOperations,
  keyedBuckets,
  newKey,
  observedSuccess,
  observedTwoFailures,
  timeoutAtOnce,
  timeoutAfterYield,
  timeoutPasses,
  hedgeAtOnce,
  hedgeAfterYield,
  timeoutForeignClock,
  productionAtOnce,
  productionAfterYield,
  parkedFiber(collect),
  parkedAttempt(collect),
  heldMemory(collect),
  bundles,
  plans,
  fits,
  virtualTime,
  promisesSucceed,
  promisesTwoFailures,
  promisesWait,
  promisesQuotaSucceed,
  promisesQuotaOneFailure,
  httpUndici,
  httpNode,
  httpPaced,
  httpFetch,
  httpInMemory,
  fetchGet,
  fetchPost,
  fetchSignal,
  fetchRequest,
  httpLibrariesSucceed,
  httpLibrariesOneFailure,
  sdkSucceeds,
  sdkOneFailure
]
