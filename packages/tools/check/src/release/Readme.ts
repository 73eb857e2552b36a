/** What a stranger does with a README: runs its install lines, and copies its first example. */

/** The packages of each `npm install` line, in their order; options such as `--save-dev` stay. */
export const installLines = (readme: string): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from(readme.matchAll(/^npm install (.*)$/gm), ([, names = ""]) => names.trim().split(/\s+/))

/** The code of the first example; none if there is no block of TypeScript. */
export const firstExample = (readme: string): string | undefined => /^```ts\n([\s\S]*?)^```$/m.exec(readme)?.[1]

/** What the README says that its first example prints, if it says so before the next one. */
export const printed = (readme: string): string | undefined => {
  const [, untilNext = ""] = readme.split(/^```ts$/m)
  return /^It prints:\n\n```text\n([\s\S]*?)^```$/m.exec(untilNext)?.[1]
}
