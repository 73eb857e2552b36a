import { describe, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as Page from "../src/Page.ts"
import * as Picture from "../src/Picture.ts"
import { options, run, runs } from "./Runs.ts"

const read = (path: string): string => readFileSync(new URL(`../../../../docs/${path}`, import.meta.url), "utf8")

describe("Picture.points", () => {
  it("are the requests per second of each half second, without what comes after the end", () => {
    expect(Picture.points(run("none"), 2000)).toEqual([
      [250, 2],
      [750, 2],
      [1250, 2],
      [1750, 2]
    ])
  })
})

describe("Picture.draw", () => {
  const svg = Picture.draw(runs, 20, options)

  it("has a curve for each kind but the part, and says what it shows", () => {
    const tones = Array.from(svg.matchAll(/class="curve (\w+)" d="M[\d.]+ [\d.]+L/g), ([, tone]) => tone)
    expect(tones).toEqual(["bad", "plain", "good"])
    expect(svg).toContain("With one shared bucket, it gets 2 requests per second then.")
    expect(svg).not.toMatch(/NaN|undefined/)
  })
})

describe("docs/fleet.md", () => {
  const svg = read("pictures/fleet.svg")
  const page = read("fleet.md")

  it("shows the picture, with its description as the text instead", () => {
    const [, title, description] = /<title[^>]*>(.*)<\/title>\n<desc[^>]*>(.*)<\/desc>/.exec(svg) ?? []
    expect(page).toContain(`![${title}. ${description}](pictures/fleet.svg)`)
  })

  it("has the markers between which the table is written", () => {
    const written = Page.replaced(page, "the table")
    expect(written).toContain("the table")
    expect(Page.replaced(written, "the table")).toBe(written)
  })

  it("has a picture that is small, and runs and loads nothing", () => {
    expect(svg.length).toBeLessThan(10_000)
    expect(svg).not.toMatch(/<script|<image|<foreignObject|href|@import|url\(|NaN|undefined/)
  })
})
