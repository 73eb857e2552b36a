/**
 * Programs with the policy of the page, for copying. Pure.
 */
import { describe } from "./Description.ts"
import * as Expression from "./Expression.ts"
import type { Settings } from "./Settings.ts"

export const dialects = {
  effect: "Effect 3",
  effect4: "Effect 4",
  promises: "Promises",
  fetch: "fetch"
} as const

export type Dialect = keyof typeof dialects

export const write = (dialect: Dialect, settings: Settings): string => programs[dialect](settings)

/** How each version of Effect declares the service of a rate limiter; all else is the same for both. */
const limiters = {
  effect: `class Limiter extends Context.Tag("app/Limiter")<Limiter, TokenBucket.TokenBucket>() {}`,
  effect4: `class Limiter extends Context.Service<Limiter, TokenBucket.TokenBucket>()("app/Limiter") {}`
} as const

const effect = (dialect: keyof typeof limiters, settings: Settings): string => {
  const { bucket, hedge, policy, rateLimiter } = describe(settings)
  const fields = {
    ...fieldsOf(policy, { classifier: "Classifier.always" }),
    ...(bucket === undefined ? {} : { bucket: Expression.member("TokenBucket.RetryBucket") })
  }
  const limiter = rateLimiter === undefined ? "" : ",\n  rateLimiter: Limiter"
  const used = [
    ...modules(fields, bucket, rateLimiter, hedge),
    "Retry",
    ...(rateLimiter === undefined ? [] : ["TokenBucket"])
  ]
  return lines([
    imports(used, "@effect-retry/core"),
    imports(
      [...(rateLimiter === undefined ? [] : ["Context"]), "Effect", ...((bucket ?? rateLimiter) ? ["Layer"] : [])],
      "effect"
    ),
    "",
    ...(rateLimiter === undefined ? [] : [limiters[dialect], ""]),
    `export const policy = ${Expression.print(Expression.fields(fields)).replace(/\n}$/, `${limiter}\n}`)}`,
    "",
    ...retried(hedge),
    ...(bucket === undefined
      ? []
      : [
          "",
          "/** Provide it once: all calls share the bucket. */",
          layer("bucket", "TokenBucket.RetryBucket", bucket)
        ]),
    ...(rateLimiter === undefined
      ? []
      : ["", "/** Provide it once: all calls share the rate limiter. */", layer("rateLimiter", "Limiter", rateLimiter)])
  ])
}

const retried = (hedge: Expression.Expression | undefined): ReadonlyArray<string> =>
  hedge === undefined
    ? ["export const retried = <A, E, R>(call: Effect.Effect<A, E, R>) => Retry.retry(call, policy)"]
    : [
        "export const retried = <A, E, R>(call: Effect.Effect<A, E, R>) =>",
        `  call.pipe(${Expression.print(hedge)}, Retry.retry(policy))`
      ]

const layer = (name: string, tag: string, made: Expression.Expression): string =>
  `export const ${name} = Layer.effect(${tag}, ${Expression.print(made)})`

/** What promises and fetch cannot say. */
const noHedge = (settings: Settings): ReadonlyArray<string> =>
  settings.hedge === 0 ? [] : ["// Without its hedge, which needs an effect."]

const promises = (settings: Settings): string => {
  const { bucket, policy, rateLimiter } = describe(settings)
  const fields = fieldsOf(policy, { classifier: "Classifier.always" })
  return lines([
    imports([...modules(fields, bucket, rateLimiter), "Promises"], "@effect-retry/core"),
    ...made(bucket, rateLimiter),
    "",
    ...noHedge(settings),
    `export const policy = ${withMade(fields, bucket, rateLimiter)}`,
    "",
    "export const retried = <A>(call: (attempt: Promises.Attempt) => Promise<A>) => Promises.retry(call, policy)"
  ])
}

const fetching = (settings: Settings): string => {
  const { bucket, policy, rateLimiter } = describe(settings)
  const fields = fieldsOf(policy, {})
  return lines([
    imports(modules(fields, bucket, rateLimiter), "@effect-retry/core"),
    imports(["Fetch"], "@effect-retry/http"),
    ...made(bucket, rateLimiter),
    "",
    ...noHedge(settings),
    `export const retrying = Fetch.make(${withMade(fields, bucket, rateLimiter)})`
  ])
}

const programs: Readonly<Record<Dialect, (settings: Settings) => string>> = {
  effect: (settings) => effect("effect", settings),
  effect4: (settings) => effect("effect4", settings),
  promises,
  fetch: fetching
}

type Fields = Readonly<Record<string, Expression.Expression>>

/** The fields of a policy in the order in which the loop consults them, with those that settings do not describe. */
const fieldsOf = (policy: Expression.Expression, more: Readonly<Record<string, string>>): Fields => {
  const { attemptTimeout, ...rest } = policy._tag === "Fields" ? policy.fields : {}
  return {
    ...(attemptTimeout === undefined ? {} : { attemptTimeout }),
    ...Object.fromEntries(Object.entries(more).map(([field, path]) => [field, Expression.member(path)])),
    ...rest
  }
}

/** Without services: buckets are made where the program begins. */
const made = (
  bucket: Expression.Expression | undefined,
  rateLimiter: Expression.Expression | undefined
): ReadonlyArray<string> => {
  const run = (name: string, self: Expression.Expression | undefined) =>
    self === undefined ? [] : [`const ${name} = Effect.runSync(${Expression.print(self)})`]
  const constants = [...run("bucket", bucket), ...run("rateLimiter", rateLimiter)]
  return constants.length === 0 ? [] : [imports(["Effect"], "effect"), "", ...constants]
}

const withMade = (
  fields: Fields,
  bucket: Expression.Expression | undefined,
  rateLimiter: Expression.Expression | undefined
): string => {
  const names = [...(bucket === undefined ? [] : ["bucket"]), ...(rateLimiter === undefined ? [] : ["rateLimiter"])]
  const more = names.map((name) => `,\n  ${name}`).join("")
  return Expression.print(Expression.fields(fields)).replace(/\n}$/, `${more}\n}`)
}

const modules = (
  fields: Fields,
  ...others: ReadonlyArray<Expression.Expression | undefined>
): ReadonlyArray<string> => [
  ...Expression.modulesOf(Expression.fields(fields)),
  ...others.flatMap((other) => (other === undefined ? [] : Expression.modulesOf(other)))
]

const imports = (names: ReadonlyArray<string>, from: string): string =>
  `import { ${[...new Set(names)].toSorted().join(", ")} } from "${from}"`

const lines = (written: ReadonlyArray<string>): string => `${written.join("\n")}\n`
