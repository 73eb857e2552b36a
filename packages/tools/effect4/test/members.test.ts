import { members } from "@effect-retry/effect4/names/members"
import { modules } from "@effect-retry/effect4/names/modules"
import * as effect3 from "effect"
import { describe, expect, it } from "vitest"
import { body, effect4 } from "./Derived.ts"

/** Their module is in a package of its own, which tests do not install; the program reads what it exports. */
const inPackages = ["NodeHttpClient"]

const ofBoth = Object.entries(members).filter(([module]) => !inPackages.includes(module))

const rows = ofBoth.flatMap(([module, names]) =>
  Object.entries(names).map(([old, four]) => [`${module}.${old}`, { module, old, four }] as const)
)

/** Types have no value to ask for. */
const types = new Set([
  "ConfigError.ConfigError",
  "Duration.DurationInput",
  "Effect.Latch",
  "Effect.Semaphore",
  "Either.Either",
  "Fiber.RuntimeFiber",
  "Runtime.Runtime",
  "Scope.CloseableScope"
])

/** Effect 4 has these names too, for something else. */
const reused = new Set(["Predicate.isObject"])

/** The module of Effect 3 as it is imported: some are of the platform. */
const specifier = (module: string): string =>
  Object.hasOwn(effect3, module) ? `effect/${module}` : `@effect/platform/${module}`

const ofEffect = rows.filter(([name, { module }]) => !types.has(name) && specifier(module) === `effect/${module}`)

describe("members", () => {
  it.each(ofEffect)("%s is of Effect 3", (_, { module, old }) => {
    expect((effect3 as unknown as Record<string, object>)[module]).toHaveProperty(old)
  })

  it.each(rows)("%s has another name in Effect 4", (title, { four, module, old }) => {
    const three = specifier(module)
    const own = (modules[three] ?? three).slice("effect/".length)
    const [name, elsewhere = own] = four.split(".").toReversed()
    expect(effect4(`effect/${elsewhere}`)).toContain(name)
    expect(effect4(`effect/${own}`)?.has(old) === true).toBe(reused.has(title))
    expect(body(`import * as ${module} from "${three}"\nuse(${module}.${old})`)).toBe(
      `use(${elsewhere.replace("http/", "")}.${name})`
    )
  })

  it("come in the order of the alphabet", () => {
    for (const names of [members, ...Object.values(members)]) {
      expect(Object.keys(names)).toEqual(Object.keys(names).toSorted())
    }
  })
})
