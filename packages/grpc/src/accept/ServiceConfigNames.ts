/**
 * Finds the method config for a method: the one that names it, else the one for its service, else the one for all.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import type { MethodConfig, Name, ServiceConfig } from "./ServiceConfigShape.ts"

/** An index from method to config. */
export interface Index {
  (owner: string, method: string): MethodConfig | undefined
}

/** Builds the index of a config. */
export const index = (config: ServiceConfig): Index => {
  const byName = new Map(config.methodConfig.flatMap((each) => each.name.map((name) => [keyOf(name), each] as const)))
  return (owner, method) => {
    const [service, name] = split(owner, method)
    return byName.get(keyOf({ service, method: name })) ?? byName.get(keyOf({ service })) ?? byName.get(keyOf({}))
  }
}

/** The first name that repeats an earlier one, and its path. */
export const repeated = (config: ServiceConfig): { readonly path: string; readonly name: string } | undefined => {
  const seen = new Set<string>()
  for (const [i, { name: names }] of config.methodConfig.entries()) {
    for (const [j, name] of names.entries()) {
      const key = keyOf(name)
      if (seen.has(key)) return { path: `methodConfig[${i}].name[${j}]`, name: key }
      seen.add(key)
    }
  }
  return undefined
}

/** The key of a name. An empty field counts as absent. */
const keyOf = ({ method, service }: Name): string => `${service ?? ""}/${method ?? ""}`

/** Splits a path into service and method. Throws for anything else. */
export const split = (owner: string, method: string): readonly [service: string, method: string] => {
  const found = typeof method === "string" ? /^\/([^/]+)\/([^/]+)$/.exec(method) : null
  return found === null
    ? Argument.refuse(owner, "method", "a path such as /package.Service/Method", method)
    : [found[1]!, found[2]!]
}
