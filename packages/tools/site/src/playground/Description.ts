/**
 * Settings as the policy that they describe, and a policy back as settings. Pure.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Expression from "./Expression.ts"
import { checkOptions } from "./KnownOptions.ts"
import { Unreadable } from "./Reader.ts"
import type { Settings } from "./Settings.ts"

/** What the settings of the policy describe; buckets are effects, made once for all calls. */
export interface Description {
  readonly policy: Expression.Expression
  readonly bucket: Expression.Expression | undefined
  readonly rateLimiter: Expression.Expression | undefined
  /** A function of the call, inside of the policy. */
  readonly hedge: Expression.Expression | undefined
}

export const describe = (settings: Settings): Description => ({
  policy: Expression.fields(
    present({
      attemptTimeout: attemptTimeout(settings),
      maxAttempts: Expression.value(settings.maxAttempts),
      backoff: backoff(settings),
      hint: hint(settings),
      deadline: deadline(settings)
    })
  ),
  bucket: bucket(settings),
  rateLimiter: rateLimiter(settings),
  hedge: hedge(settings)
})

const present = <A>(fields: Readonly<Record<string, A | undefined>>): Readonly<Record<string, A>> =>
  Object.fromEntries(Object.entries(fields).flatMap(([key, field]) => (field === undefined ? [] : [[key, field]])))

/** Whole seconds are written as such. */
const duration = (millis: number): Expression.Expression => {
  const [count, unit] = millis >= 1000 && millis % 1000 === 0 ? [millis / 1000, "second"] : [millis, "milli"]
  return Expression.value(`${count} ${unit}${count === 1 ? "" : "s"}`)
}

const options = (fields: Readonly<Record<string, Expression.Expression>>) => Expression.fields(fields)

const attemptTimeout = ({ attemptTimeout }: Settings) =>
  attemptTimeout === 0 ? undefined : Expression.call("AttemptTimeout.constant", duration(attemptTimeout))

const backoff = (settings: Settings): Expression.Expression => {
  const jittered = jitter(settings)
  return Expression.pipe(
    curve(settings),
    Expression.call("Backoff.capped", duration(settings.cap)),
    ...(jittered === undefined ? [] : [Expression.call("Backoff.jittered", jittered)])
  )
}

const curve = ({ base, curve, factor, step }: Settings): Expression.Expression => {
  const own = (name: string, fields: Readonly<Record<string, Expression.Expression>>) =>
    Expression.call("Backoff.fromCurve", Expression.call(`Curve.${name}`, options(fields)))
  const from = duration(base)
  switch (curve) {
    case "constant":
      return Expression.call("Backoff.constant", options({ delay: from }))
    case "linear":
      return own("linear", { base: from, step: duration(step) })
    case "exponential":
      return Expression.call(
        "Backoff.exponential",
        options({ base: from, ...(factor === 2 ? {} : { factor: Expression.value(factor) }) })
      )
    case "fibonacci":
    case "decorrelated":
    case "decorrelatedSmooth":
      return own(curve, { base: from })
  }
}

/** A curve that draws by definition takes no jitter. */
const jitter = ({ curve, jitter, jitterMax, jitterRatio }: Settings): Expression.Expression | undefined => {
  if (jitter === "none" || curve === "decorrelated" || curve === "decorrelatedSmooth") return undefined
  switch (jitter) {
    case "full":
    case "equal":
      return Expression.member(`Jitter.${jitter}`)
    case "proportional":
      return Expression.call("Jitter.proportional", options({ ratio: Expression.value(jitterRatio) }))
    case "additive":
      return Expression.call("Jitter.additive", options({ max: duration(jitterMax) }))
  }
}

const hint = ({ hint, hintAtMost }: Settings): Expression.Expression =>
  hint === "ignore"
    ? Expression.member("Hint.ignore")
    : Expression.call(`Hint.${hint}`, options({ atMost: duration(hintAtMost), otherwise: Expression.value("giveUp") }))

const deadline = (settings: Settings): Expression.Expression | undefined => {
  const within = duration(settings.deadlineWithin)
  switch (settings.deadline) {
    case "none":
      return undefined
    case "truncate":
      return Expression.call("Deadline.truncate", within, options({ reserve: duration(settings.deadlineReserve) }))
    default:
      return Expression.call(`Deadline.${settings.deadline}`, within)
  }
}

const bucket = ({ bucket, bucketCapacity, bucketRatio }: Settings): Expression.Expression | undefined => {
  const capacity = Expression.value(bucketCapacity)
  const ratio = Expression.value(bucketRatio)
  switch (bucket) {
    case "none":
      return undefined
    case "quota":
      return Expression.call("TokenBucket.quota", options({ capacity }))
    case "successRatio":
      return Expression.call("TokenBucket.successRatio", options({ ratio, capacity }))
    case "requestRatio":
      return Expression.call("TokenBucket.requestRatio", options({ ratio }))
  }
}

const rateLimiter = ({
  breakerFailures,
  breakerOpenFor,
  burst,
  concurrency,
  rate,
  rateLimiter
}: Settings): Expression.Expression | undefined => {
  switch (rateLimiter) {
    case "none":
      return undefined
    case "fixed":
      return Expression.call(
        "RateLimiter.fixed",
        options({ rate: Expression.value(rate), burst: Expression.value(burst) })
      )
    case "concurrencyLimit":
      return Expression.call("RateLimiter.concurrencyLimit", options({ limit: Expression.value(concurrency) }))
    case "acceptRatio":
      return Expression.call("RateLimiter.acceptRatio")
    case "circuitBreaker":
      return Expression.call(
        "CircuitBreaker.make",
        options({
          opensAt: options({ consecutive: Expression.value(breakerFailures) }),
          openFor: duration(breakerOpenFor)
        })
      )
  }
}

const hedge = ({ hedge }: Settings): Expression.Expression | undefined =>
  hedge === 0
    ? undefined
    : Expression.call(
        "Hedge.hedge",
        options({
          classifier: Expression.member("Classifier.always"),
          maxAttempts: Expression.value(2),
          delay: duration(hedge)
        })
      )

type Values = Readonly<Partial<Record<keyof Settings, unknown>>>

type Call = Expression.Expression & { readonly _tag: "Call" }

/** What each constructor says of the settings; the inverse of the functions above, and the same names. */
const readers: Readonly<Record<string, (self: Call) => Values>> = {
  "AttemptTimeout.constant": ({ args }) => ({ attemptTimeout: millisOf(args[0]) }),
  "Backoff.constant": (self) => ({ curve: "constant", base: millisOf(option(self, "delay")) }),
  "Backoff.exponential": (self) => ({
    curve: "exponential",
    base: millisOf(option(self, "base")),
    factor: valueOf(option(self, "factor")) ?? 2
  }),
  "Backoff.fromCurve": ({ args: [curve] }) => valuesOf(curve),
  "Curve.linear": (self) => ({
    curve: "linear",
    base: millisOf(option(self, "base")),
    step: millisOf(option(self, "step"))
  }),
  "Curve.fibonacci": (self) => ({ curve: "fibonacci", base: millisOf(option(self, "base")) }),
  "Curve.decorrelated": (self) => ({ curve: "decorrelated", base: millisOf(option(self, "base")) }),
  "Curve.decorrelatedSmooth": (self) => ({ curve: "decorrelatedSmooth", base: millisOf(option(self, "base")) }),
  "Backoff.capped": ({ args }) => ({ cap: millisOf(args[0]) }),
  "Backoff.jittered": ({ args: [jitter] }) => valuesOf(jitter),
  "Jitter.proportional": (self) => ({ jitter: "proportional", jitterRatio: valueOf(option(self, "ratio")) }),
  "Jitter.additive": (self) => ({ jitter: "additive", jitterMax: millisOf(option(self, "max")) }),
  "Hint.floor": (self) => ({ hint: "floor", hintAtMost: millisOf(option(self, "atMost")) }),
  "Hint.override": (self) => ({ hint: "override", hintAtMost: millisOf(option(self, "atMost")) }),
  "Deadline.refuse": ({ args }) => ({ deadline: "refuse", deadlineWithin: millisOf(args[0]) }),
  "Deadline.cut": ({ args }) => ({ deadline: "cut", deadlineWithin: millisOf(args[0]) }),
  "Deadline.truncate": ({ args: [within, fields] }) => ({
    deadline: "truncate",
    deadlineWithin: millisOf(within),
    deadlineReserve: millisOf(fieldOf(fields, "reserve"))
  }),
  "TokenBucket.quota": (self) => ({ bucket: "quota", bucketCapacity: valueOf(option(self, "capacity")) ?? 500 }),
  "TokenBucket.successRatio": (self) => ({
    bucket: "successRatio",
    bucketCapacity: valueOf(option(self, "capacity")),
    bucketRatio: valueOf(option(self, "ratio"))
  }),
  "TokenBucket.requestRatio": (self) => ({ bucket: "requestRatio", bucketRatio: valueOf(option(self, "ratio")) }),
  "RateLimiter.fixed": (self) => ({
    rateLimiter: "fixed",
    rate: valueOf(option(self, "rate")),
    burst: valueOf(option(self, "burst"))
  }),
  "RateLimiter.concurrencyLimit": (self) => ({
    rateLimiter: "concurrencyLimit",
    concurrency: valueOf(option(self, "limit"))
  }),
  "RateLimiter.acceptRatio": () => ({ rateLimiter: "acceptRatio" }),
  "CircuitBreaker.make": (self) => ({
    rateLimiter: "circuitBreaker",
    breakerFailures: valueOf(fieldOf(option(self, "opensAt"), "consecutive")) ?? 5,
    breakerOpenFor: millisOf(option(self, "openFor")) ?? 10_000
  }),
  "Hedge.hedge": (self) => ({ hedge: millisOf(option(self, "delay")) })
}

const policyFields = new Set(["attemptTimeout", "maxAttempts", "backoff", "hint", "deadline"])

const members: Readonly<Record<string, Values>> = {
  "Jitter.none": { jitter: "none" },
  "Jitter.full": { jitter: "full" },
  "Jitter.equal": { jitter: "equal" },
  "Hint.ignore": { hint: "ignore" },
  "Hint.standard": { hint: "floor", hintAtMost: 60_000 },
  "TokenBucket.RetryBucket": {}
}

/** What stands outside of the policy in a program: buckets, rate limiters and a hedge. */
export const outside: ReadonlyArray<string> = Object.keys(readers).filter((name) =>
  /^(?:TokenBucket|RateLimiter|CircuitBreaker|Hedge)\./.test(name)
)

/** What code without these parts means. */
const absent: Values = {
  attemptTimeout: 0,
  jitter: "none",
  cap: 3_600_000,
  hint: "floor",
  hintAtMost: 60_000,
  deadline: "none",
  bucket: "none",
  rateLimiter: "none",
  hedge: 0
}

/** The values of settings that a policy and its buckets describe. Throws an `Unreadable` where no control has what they say. */
export const read = ({ bucket, hedge, policy, rateLimiter }: Description): Values => {
  if (policy._tag !== "Fields") throw new Unreadable("a policy must be an object")
  const { maxAttempts, ...fields } = policy.fields
  const unknown = Object.keys(fields).find((field) => !policyFields.has(field))
  if (unknown !== undefined) throw new Unreadable(`a policy has no field ${unknown} on this page`)
  return Object.assign(
    { ...absent, maxAttempts: valueOf(maxAttempts) },
    ...Object.values(fields).map(valuesOf),
    valuesOf(bucket),
    valuesOf(rateLimiter),
    valuesOf(hedge)
  ) as Values
}

const valuesOf = (self: Expression.Expression | undefined): Values => {
  switch (self?._tag) {
    case undefined:
      return {}
    case "Pipe":
      return Object.assign({}, ...[self.self, ...self.steps].map(valuesOf)) as Values
    case "Member":
    case "Call": {
      const path = `${self.module}.${self.name}`
      if (self._tag === "Call" && Object.hasOwn(readers, path)) checkOptions(path, self.args)
      const found = self._tag === "Member" ? own(members, path) : own(readers, path)?.(self)
      if (found !== undefined) return found
      throw new Unreadable(`${path} has no control on this page`)
    }
    default:
      throw new Unreadable("a field of the policy has a value that the page cannot read")
  }
}

const own = <A>(record: Readonly<Record<string, A>>, key: string): A | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

const option = ({ args: [options] }: Call, name: string) => fieldOf(options, name)

const fieldOf = (self: Expression.Expression | undefined, name: string): Expression.Expression | undefined =>
  self?._tag === "Fields" ? own(self.fields, name) : undefined

/** Throws where there is something else than a plain value, which would be lost. */
const valueOf = (self: Expression.Expression | undefined): unknown => {
  if (self === undefined || self._tag === "Value") return self?.value
  throw new Unreadable(`a value of a policy cannot be ${Expression.print(self)}`)
}

const units: Readonly<Record<string, number>> = { millis: 1, seconds: 1000, minutes: 60_000, hours: 3_600_000 }

const millisOf = (self: Expression.Expression | undefined): number | undefined => {
  if (self === undefined) return undefined
  const unit = self._tag === "Call" && self.module === "Duration" ? own(units, self.name) : undefined
  if (self._tag === "Call" && unit !== undefined) return unit * Number(valueOf(self.args[0]))
  return Option.match(Duration.decodeUnknown(self._tag === "Value" ? self.value : undefined), {
    onNone: () => {
      throw new Unreadable(`a duration cannot be ${Expression.print(self)}`)
    },
    onSome: Duration.toMillis
  })
}
