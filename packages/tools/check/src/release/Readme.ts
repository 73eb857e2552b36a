/** What a stranger does with a README: runs its install lines, and copies its first example. */

/** The version of Effect that a reader has. */
export type Effect = 3 | 4

/**
 * The packages of each `npm install` line for a version of Effect, in their order; options such as `--save-dev` stay. A
 * block says above itself which version it is for, or is for both.
 */
export const installLines = (readme: string, effect: Effect): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from(readme.matchAll(/(?:^With Effect (\d):\n\n)?^```sh\n([\s\S]*?)^```$/gm)).flatMap(
    ([, version = `${effect}`, commands = ""]) =>
      version === `${effect}`
        ? Array.from(commands.matchAll(/^npm install (.*)$/gm), ([, names = ""]) => names.trim().split(/\s+/))
        : []
  )

/** The code of the first example; none if there is no block of TypeScript. */
export const firstExample = (readme: string): string | undefined => /^```ts\n([\s\S]*?)^```$/m.exec(readme)?.[1]

/** What the README says that its first example prints, if it says so before the next one. */
export const printed = (readme: string): string | undefined => {
  const [, untilNext = ""] = readme.split(/^```ts$/m)
  return /^It prints:\n\n```text\n([\s\S]*?)^```$/m.exec(untilNext)?.[1]
}
