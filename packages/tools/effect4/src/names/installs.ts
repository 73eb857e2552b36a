/** What a line that installs packages names on Effect 4; nothing in the place of what Effect 4 contains. */
const versions: ReadonlyArray<readonly [three: RegExp, four: string]> = [
  [/^(@effect-retry\/testing)@\d+$/, "$1@4 fast-check@3"],
  [/^(@effect-retry\/\w+)@\d+$/, "$1@4"],
  [/^effect@3$/, "effect@4"],
  [/^@effect\/platform@[\d.]+$/, ""],
  [/^(@effect\/(?:platform-node|opentelemetry))@[\d.]+$/, "$1@4"]
]

const four = (word: string): string => {
  const [found, version = ""] = versions.find(([three]) => three.test(word)) ?? []
  return found === undefined ? word : word.replace(found, version)
}

/** Lines of a shell as they are for Effect 4; those that install nothing then are left out. */
export const installed = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.flatMap((line) => {
    if (!line.startsWith("npm install ")) return [line]
    const words = line
      .split(" ")
      .map(four)
      .filter((word) => word !== "")
    return words.slice(2).every((word) => word.startsWith("--")) ? [] : [words.join(" ")]
  })
