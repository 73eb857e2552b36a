/**
 * Finds configuration keys that a policy does not read but that look like one of its own.
 *
 * A prefix may be used by more than the policy: a service may keep its address there, and Kubernetes sets
 * `PAYMENTS_PORT` for a service `payments`. So a key that resembles none of the policy's keys is ignored.
 */
import * as Config from "effect/Config"
import * as Nearest from "../../accept/Nearest.ts"
import { names } from "./ConfigLine.ts"
import * as ConfigText from "./ConfigText.ts"
import * as PolicySettings from "./PolicySettings.ts"

/** A name as the configuration spells it, and the key that was probably meant. */
export interface Misspelt {
  readonly name: string
  readonly meant: string
}

/** A name that is present: as the source spells it, the part that may be a key, and how that source names keys. */
interface Given {
  readonly name: string
  readonly part: string
  readonly nameOf: (policy: string, key: PolicySettings.Key) => string
}

/** The largest number of words in a key. */
const mostWords = 2

/** Finds the names under the prefix of a policy, in the environment and in a file. */
export const given = (policy: string): Config.Config<ReadonlyArray<Given>> => {
  const prefix = ConfigText.prefixOf(policy)
  const words = prefix.split("_").slice(0, -1)
  const nested = words.reduceRight((config, word) => Config.nested(config, word), names(mostWords))
  const variable = (part: string): Given => ({ name: prefix + part, part, nameOf: PolicySettings.variableOf })
  const path = (part: string): Given => ({
    name: ConfigText.pathOf(policy, part),
    part,
    nameOf: ConfigText.pathOf
  })
  return Config.map(Config.all([names(1), nested, Config.nested(names(1), policy)]), ([whole, parts, inFile]) => [
    ...whole.filter((name) => name.startsWith(prefix)).map((name) => variable(name.slice(prefix.length))),
    ...parts.map(variable),
    ...inFile.map(path)
  ])
}

/** The misspelt keys among `given`, each once. */
export const misspelt = (
  policy: string,
  given: ReadonlyArray<Given>,
  settings: PolicySettings.Settings
): ReadonlyArray<Misspelt> => {
  const known = new Set<string>()
  return given.flatMap(({ name, nameOf, part }) => {
    const letters = part.replaceAll(/[^A-Za-z\d]/g, "").toLowerCase()
    const key = Nearest.nearest(letters, PolicySettings.keys)
    if (key === undefined || known.has(letters)) return []
    known.add(letters)
    const isRead = letters === key.toLowerCase() && !PolicySettings.isAbsent(settings[key])
    return isRead ? [] : [{ name, meant: nameOf(policy, key) }]
  })
}
