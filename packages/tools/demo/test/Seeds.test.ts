import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import * as Demo from "../src/Demo.ts"
import * as Outage from "../src/Outage.ts"
import * as Paint from "../src/Paint.ts"
import * as Upload from "../src/Upload.ts"

/** What is printed for a seed, on Effect 3 and on Effect 4. */
const expected = readFileSync(new URL("seed-5.txt", import.meta.url), "utf8")

const withoutTimes = (printed: string): string =>
  printed.replace(/:\d+, seed/, ":PORT, seed").replace(/in [\d.]+ m?s$/m, "in TIME")

describe("Demo.run", () => {
  it.live("prints the same for a seed, of scenes that do not show the real time", () =>
    Effect.gen(function* () {
      let printed = ""
      yield* Demo.run({
        scenes: [Upload.scene(), Outage.scene()],
        seed: "5",
        style: { width: 80, colour: false, glyphs: Paint.unicode },
        print: (text) => {
          printed += text
        }
      })
      expect(withoutTimes(printed)).toBe(expected)
    })
  )
})
