/** Type checks in a stranger's project, under the compilers that users have. */

/** As strict as a project can be. Unused names are not asked for, since examples define what a program would use. */
export const strict = {
  target: "ES2022",
  lib: ["ES2022", "DOM", "DOM.AsyncIterable"],
  types: [],
  module: "NodeNext",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  noPropertyAccessFromIndexSignature: true,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  rootDir: "src"
} as const

/**
 * The errors in what the compiler printed that are ours: in the project itself, in a declaration of our packages, or in
 * none at all. The declarations of other packages are not ours to mend.
 */
export const ourErrors = (printed: string): ReadonlyArray<string> =>
  printed.split("\n").filter((line) => {
    const [, path] = /^(.*?)\(\d+,\d+\): error TS/.exec(line) ?? []
    return path === undefined ? line.startsWith("error TS") : isOurs(path)
  })

/** Whether a file is one of the project or of our packages. */
export const isOurs = (path: string): boolean =>
  !path.includes("node_modules/") || /node_modules\/@effect-retry\/(?!.*node_modules\/)/.test(path)
