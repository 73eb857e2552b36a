/**
 * The policy of the settings, made by the packages.
 */
import { AttemptTimeout, Backoff, Curve, Deadline, Hint, Jitter } from "@effect-retry/core"
import type { Policy } from "@effect-retry/core"
import type { Plan } from "@effect-retry/plan"
import { type Description, describe } from "./Description.ts"
import * as Expression from "./Expression.ts"
import type { Settings } from "./Settings.ts"

export type Explained = Policy.Preset<unknown> & Pick<Plan.Explainable, "backoff">

const modules = { AttemptTimeout, Backoff, Curve, Deadline, Hint, Jitter }

/** Throws the `InvalidArgument` of the package that refuses a value. */
export const made = ({ policy }: Description): Explained => Expression.evaluate(policy, modules) as Explained

/** What a plan looks at. Of a bucket it asks only whether there is one. */
export const explainable = (settings: Settings): Plan.Explainable => {
  const described = describe(settings)
  return { ...made(described), bucket: described.bucket, rateLimiter: described.rateLimiter }
}
