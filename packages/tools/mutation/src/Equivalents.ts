/**
 * All mutants that no test can notice: a list for each folder.
 */
import type { Equivalent } from "./Equivalent.ts"
import { equivalents as coreAccept } from "./equivalents/core-accept.ts"
import { equivalents as coreClassify } from "./equivalents/core-classify.ts"
import { equivalents as coreDecide } from "./equivalents/core-decide.ts"
import { equivalents as coreFund } from "./equivalents/core-fund.ts"
import { equivalents as coreLoop } from "./equivalents/core-loop.ts"
import { equivalents as coreLoopTime } from "./equivalents/core-loop-time.ts"
import { equivalents as coreObserve } from "./equivalents/core-observe.ts"
import { equivalents as httpAccept } from "./equivalents/http-accept.ts"
import { equivalents as httpClassify } from "./equivalents/http-classify.ts"
import { equivalents as httpDecide } from "./equivalents/http-decide.ts"
import { equivalents as httpLoop } from "./equivalents/http-loop.ts"
import { equivalents as plan } from "./equivalents/plan.ts"
import { equivalents as planLoad } from "./equivalents/plan-load.ts"

export const equivalents: ReadonlyArray<Equivalent> = [
  ...coreAccept,
  ...coreClassify,
  ...coreDecide,
  ...coreFund,
  ...coreLoop,
  ...coreLoopTime,
  ...coreObserve,
  ...httpAccept,
  ...httpClassify,
  ...httpDecide,
  ...httpLoop,
  ...plan,
  ...planLoad
]
