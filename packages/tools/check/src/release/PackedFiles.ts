/**
 * The committed list of what is in each package: which files of which folders, and how large the tarball may be. A module
 * more in a folder of the list changes nothing; a folder, a kind of file or a tarball that the list does not know is found.
 */
import { posix } from "node:path"

export interface Listed {
  readonly atMostKilobytes: number
  /** Files, and `*` for all files of a folder with that ending. */
  readonly files: ReadonlyArray<string>
}

export interface PackedInput {
  readonly name: string
  /** Paths inside the tarball, without the leading `package/`. */
  readonly entries: ReadonlyArray<string>
  readonly kilobytes: number
}

export const checkPacked = (
  { entries, kilobytes, name }: PackedInput,
  listed: Listed | undefined
): ReadonlyArray<string> => {
  if (listed === undefined) return [`${name}: is not in the list of packages`]
  const packed = patternsOf(entries)
  return [
    ...packed.filter((file) => !listed.files.includes(file)).map((file) => `${name}: ${file} is packed and not listed`),
    ...listed.files.filter((file) => !packed.includes(file)).map((file) => `${name}: ${file} is listed and not packed`),
    ...(kilobytes > listed.atMostKilobytes
      ? [`${name}: ${Math.ceil(kilobytes)} KB are packed, over the limit of ${listed.atMostKilobytes}`]
      : [])
  ]
}

/** What the list says of a package as it is packed today, with room for a sixth more. */
export const listedFrom = ({ entries, kilobytes }: PackedInput): Listed => ({
  atMostKilobytes: Math.ceil((kilobytes * 7) / 60) * 10,
  files: patternsOf(entries)
})

/**
 * One line for all files of a folder with the same ending, and one for each file at the top, of which each has its own
 * meaning. What is built counts as its source: the check of the tarball holds one to the other.
 */
const patternsOf = (entries: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(entries.map(sourceOf).map((entry) => (entry.includes("/") ? patternOf(entry) : entry)))].toSorted()

const sourceOf = (entry: string): string => entry.replace(/^dist\/(.*?)(\.d\.ts|\.js)(\.map)?$/, "src/$1.ts")

/** With the whole ending: `test/*.test.ts` of `test/Retry.test.ts`. */
const patternOf = (entry: string): string =>
  posix.join(posix.dirname(entry), `*${posix.basename(entry).replace(/^[^.]*/, "")}`)
