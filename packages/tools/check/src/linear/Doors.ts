/** Functions that read texts from outside, and the texts for which their steps are counted. */
import { isLinear } from "./Linear.ts"
import { stepsOf } from "./Steps.ts"

export interface Door {
  readonly name: string
  /** Gets a text of each length, and may wrap it in a value from outside, such as an error or a record. */
  readonly run: (text: string) => unknown
  /** What the texts repeat. @default pieces */
  readonly pieces?: ReadonlyArray<string>
}

/** The lengths of two texts, one twice the other: below the bounds of most sources, and above them. */
export const lengths: ReadonlyArray<readonly [number, number]> = [
  [384, 768],
  [1280, 2560]
]

/** The characters that parsers distinguish, and those that make them look ahead, go back, or begin anew. */
export const pieces: ReadonlyArray<string> = [
  ..."a7 \t\n()[{<>%\\/\"'`@:;,.?&=#-+_*|!\u00e9",
  "\ud83d",
  "a ",
  "a, ",
  "a;",
  "a.",
  "a:",
  "a=b&",
  "a=b ",
  "a@",
  "%41",
  "%4",
  '"a" ',
  "'a ",
  "<a ",
  "[a]\n",
  "a=b\n",
  "\r\n\r\n",
  "--a\r\n",
  "key ",
  "token: a ",
  "password=",
  "http://a:b@c/d?e=f#g ",
  "://",
  "a/",
  "aB7-",
  "0.",
  "1, ",
  "1s",
  '{"a":',
  "    at a (b:1:2)\n"
]

/** For functions that pass a text through several others on the list. */
export const few: ReadonlyArray<string> = [
  ..."a \n'[",
  "\ud83d",
  "a ",
  "a=b\n",
  "a=b&",
  "password=",
  "http://a:b@c/d?e=f#g ",
  "    at a (b:1:2)\n"
]

export const textOf = (piece: string, length: number): string =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length)

/** The pieces for which a function takes too many steps, with the steps for each length. */
export const notLinear = async (door: Door): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const piece of door.pieces ?? pieces) {
    for (const pair of lengths) {
      const steps: Array<number> = []
      for (const length of pair) {
        const text = textOf(piece, length)
        steps.push(Math.round(await stepsOf(() => door.run(text))))
      }
      if (isLinear(steps)) continue
      found.push(`${door.name} ${JSON.stringify(piece)}, ${pair.join(" and ")}: ${steps.join(" and ")} steps`)
      break
    }
  }
  return found
}
