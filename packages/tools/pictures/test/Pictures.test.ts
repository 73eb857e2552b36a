import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { pictures } from "../src/Pictures.ts"

const folder = new URL("../../../../docs/pictures/", import.meta.url)

const read = (name: string): string => readFileSync(new URL(name, folder), "utf8")

describe("Pictures.pictures", { timeout: 60_000 }, () => {
  it("are all the files in docs/pictures", () => {
    expect(readdirSync(folder).toSorted()).toEqual(Object.keys(pictures).toSorted())
  })

  it.effect.each(Object.entries(pictures))("%s is current: `pnpm pictures` draws it again", ([name, picture]) =>
    Effect.map(picture, (drawn) => {
      expect(read(name)).toBe(drawn)
    })
  )

  it.each(Object.keys(pictures))("%s is small, describes itself, and runs and loads nothing", (name) => {
    const svg = read(name)
    expect(svg.length).toBeLessThan(10_000)
    expect(svg).toMatch(/<title id="title">[^<]+<\/title>\n<desc id="description">[^<]+<\/desc>/)
    expect(svg).not.toMatch(/<script|<image|<foreignObject|href|@import|url\(|NaN|undefined/)
  })
})
