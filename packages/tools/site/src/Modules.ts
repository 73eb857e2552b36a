/**
 * The modules that a package offers its users, from the exports of its manifest. Pure.
 */

export interface Module {
  readonly name: string
  /** From the folder of the package, such as `src/decide/Backoff.ts`. */
  readonly file: string
}

type Conditions = Readonly<Record<string, string>>

/** Without the index, and without what only the other packages import. */
export const modulesOf = (exports: Readonly<Record<string, string | Conditions>>): ReadonlyArray<Module> =>
  Object.entries(exports).flatMap(([path, conditions]) => {
    const [, name] = /^\.\/(\w+)$/.exec(path) ?? []
    const file = typeof conditions === "string" ? undefined : conditions["@effect-retry/source"]
    return name === undefined || file === undefined ? [] : [{ name, file: file.replace("./", "") }]
  })
