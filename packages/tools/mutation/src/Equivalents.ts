/**
 * All mutants that no test can notice: a list for each folder.
 */
import type { Equivalents } from "./Equivalent.ts"
import { equivalents as coreAccept } from "./equivalents/core-accept.ts"
import { equivalents as coreClassify } from "./equivalents/core-classify.ts"
import { equivalents as coreDecide } from "./equivalents/core-decide.ts"
import { equivalents as coreFund } from "./equivalents/core-fund.ts"
import { equivalents as coreLoop } from "./equivalents/core-loop.ts"
import { equivalents as coreObserve } from "./equivalents/core-observe.ts"
import { equivalents as httpClassify } from "./equivalents/http-classify.ts"
import { equivalents as httpDecide } from "./equivalents/http-decide.ts"
import { equivalents as httpLoop } from "./equivalents/http-loop.ts"
import { equivalents as plan } from "./equivalents/plan.ts"
import { equivalents as planLoad } from "./equivalents/plan-load.ts"

export const equivalents: Equivalents = {
  ...coreAccept,
  ...coreClassify,
  ...coreDecide,
  ...coreFund,
  ...coreLoop,
  ...coreObserve,
  ...httpClassify,
  ...httpDecide,
  ...httpLoop,
  ...plan,
  ...planLoad
}
