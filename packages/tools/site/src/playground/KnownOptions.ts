/**
 * The options that the controls of the page have, of each constructor that it reads. Pure.
 */
import * as Expression from "./Expression.ts"
import { Unreadable } from "./Reader.ts"

/** The options of each constructor that have a control, whichever argument they are of. */
const known: Readonly<Record<string, ReadonlyArray<string>>> = {
  "Backoff.constant": ["delay"],
  "Backoff.exponential": ["base", "factor"],
  "Curve.linear": ["base", "step"],
  "Curve.fibonacci": ["base"],
  "Curve.decorrelated": ["base"],
  "Curve.decorrelatedSmooth": ["base"],
  "Jitter.proportional": ["ratio"],
  "Jitter.additive": ["max"],
  "Hint.floor": ["atMost", "otherwise"],
  "Hint.override": ["atMost", "otherwise"],
  "Deadline.truncate": ["reserve"],
  "TokenBucket.quota": ["capacity"],
  "TokenBucket.successRatio": ["capacity", "ratio"],
  "TokenBucket.requestRatio": ["ratio"],
  "RateLimiter.fixed": ["rate", "burst"],
  "RateLimiter.concurrencyLimit": ["limit"],
  "CircuitBreaker.make": ["opensAt", "consecutive", "openFor"],
  "Hedge.hedge": ["classifier", "maxAttempts", "delay"]
}

/** Options with the one value that the page writes. */
const fixed: Readonly<Record<string, string | number>> = {
  "Hint.floor.otherwise": "giveUp",
  "Hint.override.otherwise": "giveUp",
  "Hedge.hedge.maxAttempts": 2
}

/** Of a constructor of the page: throws where an option has no control, and would be lost. */
export const checkOptions = (path: string, args: ReadonlyArray<Expression.Expression>): void => {
  for (const [name, option] of args.flatMap((arg) => (arg._tag === "Fields" ? Object.entries(arg.fields) : []))) {
    if (known[path]?.includes(name) !== true) throw new Unreadable(`${path} has no option ${name} on this page`)
    checkOptions(path, [option])
    const only = fixed[`${path}.${name}`]
    if (only === undefined || (option._tag === "Value" && option.value === only)) continue
    throw new Unreadable(
      `${path} has only ${JSON.stringify(only)} for ${name} on this page, got ${Expression.print(option)}`
    )
  }
}
