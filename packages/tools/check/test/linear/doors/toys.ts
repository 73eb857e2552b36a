/** Functions of which it is known how their steps grow. */
import type { Door } from "@effect-retry/check/linear/Doors"

const some = ["a", "a,"]

export const linear: ReadonlyArray<Door> = [
  { name: "one loop", pieces: some, run: (text) => [...text].map((char) => char.charCodeAt(0)) },
  {
    name: "a search that goes on from what it has found",
    pieces: some,
    run: (text) => {
      const found: Array<string> = []
      for (let at = 0; at !== -1; at = text.indexOf(",", at + 1)) found.push(text.charAt(at))
      return found.join()
    }
  },
  { name: "a sorted list", pieces: some, run: (text) => text.split("").toSorted() },
  {
    name: "a bound",
    pieces: some,
    run: (text) =>
      text
        .slice(0, 20)
        .split("")
        .map(() => text.slice(0, 20).split(""))
  },
  { name: "a pattern that is anchored", pieces: some, run: (text) => /^[a,]*$/.test(text) },
  { name: "JSON", pieces: some, run: (text) => JSON.parse(JSON.stringify(text)) }
]

const forEach = (text: string, of: (at: number) => unknown): void => {
  for (let at = 0; at < text.length; at++) of(at)
}

const slow: ReadonlyArray<Door> = [
  { name: "indexOf in a loop", run: (text) => forEach(text, (at) => text.indexOf("b", at)) },
  { name: "includes in a loop", run: (text) => forEach(text, () => text.includes("b")) },
  { name: "slice in a loop", run: (text) => forEach(text, (at) => text.slice(at)) },
  { name: "trim in a loop", run: (text) => forEach(text, () => text.trim()) },
  { name: "split and join in a loop", run: (text) => forEach(text, () => text.split("b").join("c")) },
  { name: "replaceAll in a loop", run: (text) => forEach(text, () => text.replaceAll("b", "c")) },
  {
    name: "a text that grows, and a pattern",
    run: (text) => {
      let read = ""
      for (const char of text) {
        read += char
        if (/b/.test(read)) return read
      }
      return read
    }
  },
  { name: "a pattern that goes back", run: (text) => /a*b/.exec(text) },
  { name: "replace with a pattern that goes back", run: (text) => text.replace(/a+b/g, "") },
  { name: "split with a pattern that goes back", run: (text) => text.split(/a+b/) },
  { name: "loops inside of loops", run: (text) => forEach(text, () => forEach(text, () => {})) },
  {
    name: "a while inside of a while",
    run: (text) => {
      let outer = text.length
      while (outer-- > 0) {
        let inner = text.length
        while (inner > 0) inner--
      }
    }
  },
  { name: "a list that is copied for each element", run: (text) => copied([...text]) },
  { name: "a record that is copied for each key", run: (text) => recorded([...text]) },
  { name: "find in a loop", run: (text) => forEach(text, () => [..."b"].concat(text.split("")).find(isOther)) },
  { name: "includes of a list", run: (text) => text.split("").filter((_, at, all) => all.includes(`b${at}`)) },
  { name: "filter of a list in a loop", run: (text) => text.split("").map((_, __, all) => all.filter(isOther)) },
  { name: "shift", run: (text) => text.split("").map((_, __, all) => all.shift()) },
  { name: "recursion with a copy", run: (text) => rest(text.slice(0, 1024).repeat(text.length / 512)) },
  { name: "JSON.parse in a loop", run: (text) => forEach(text, () => JSON.parse(`"${text}"`)) },
  { name: "decodeURIComponent in a loop", run: (text) => forEach(text, () => decodeURIComponent(text)) },
  { name: "Number in a loop", run: (text) => forEach(text, () => Number(text)) },
  {
    name: "URL in a loop",
    run: (text) => forEach(text, () => new URL("http://a").pathname === new URL(`b:${text}`).href)
  }
]

export const quadratic: ReadonlyArray<Door> = slow.map((door) => ({ ...door, pieces: ["a"] }))

const isOther = (char: string): boolean => char === "c"

const copied = (chars: ReadonlyArray<string>): ReadonlyArray<string> =>
  chars.reduce<ReadonlyArray<string>>((all, char) => [...all, char], [])

const recorded = (chars: ReadonlyArray<string>): object =>
  chars.reduce<object>((all, char, at) => ({ ...all, [at]: char }), {})

/** Half of the text, each time. */
const rest = (text: string): number => {
  let left = text
  while (left !== "") left = left.slice(1)
  return left.length
}
