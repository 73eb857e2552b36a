/**
 * What is measured on Effect 4, in the order of the page.
 */
import type { Workload } from "./Workload.ts"
import { bundles } from "./workloads/Bundle.ts"
import { foreignSchedule } from "./workloads/ForeignSchedule.ts"
import { httpInMemory, httpNode, httpPaced } from "./workloads/Http.ts"
import { productionAfterYield, productionAtOnce } from "./workloads/ProductionPolicy.ts"
import { success } from "./workloads/Success.ts"
import { twoFailures } from "./workloads/TwoFailures.ts"

/** The packages whose versions the page names. */
export const measuredPackages = ["effect", "@effect/platform-node", "@effect-retry/core", "@effect-retry/http"]

/** More rounds of requests would take longer than all else together. */
const mostRounds = 61

/** The titles differ from those of Effect 3, which stand on the same page. */
export const workloads = (_collect: () => void): ReadonlyArray<Workload> =>
  [
    success,
    twoFailures,
    foreignSchedule,
    productionAtOnce,
    productionAfterYield,
    bundles,
    httpNode,
    httpPaced,
    httpInMemory
  ].map((workload) => ({
    ...workload,
    title: `On Effect 4: ${workload.title}`,
    rounds: Math.min(workload.rounds, mostRounds)
  }))
