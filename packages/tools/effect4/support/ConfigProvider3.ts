/** What tests use of Effect 3's `ConfigProvider` that Effect 4 has in another shape. */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"

/** Names of a map are divided as those of the environment where the delimiter is that of the environment. */
export const fromMap = (
  map: ReadonlyMap<string, string>,
  { pathDelim = "." }: { readonly pathDelim?: string } = {}
): ConfigProvider.ConfigProvider =>
  pathDelim === "_"
    ? ConfigProvider.fromEnvRecord(Object.fromEntries(map))
    : ConfigProvider.make((path) => Effect.succeed(nodeAt(map, path.map(String), pathDelim)))

const nodeAt = (map: ReadonlyMap<string, string>, path: ReadonlyArray<string>, pathDelim: string) => {
  const value = map.get(path.join(pathDelim))
  const names = [...map.keys()].map((name) => name.split(pathDelim))
  const below = names.filter((name) => name.length > path.length && path.every((word, at) => name[at] === word))
  if (below.length > 0) return ConfigProvider.makeRecord(new Set(below.map((name) => name[path.length]!)), value)
  return value === undefined ? undefined : ConfigProvider.makeValue(value)
}

export const orElse = (self: ConfigProvider.ConfigProvider, that: () => ConfigProvider.ConfigProvider) =>
  ConfigProvider.orElse(self, that())

export const fromJson = (json: unknown): ConfigProvider.ConfigProvider => ConfigProvider.fromUnknown(json)

export const kebabCase = (self: ConfigProvider.ConfigProvider): ConfigProvider.ConfigProvider =>
  ConfigProvider.mapInput(self, (path) =>
    path.map((word) => String(word).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))
  )
