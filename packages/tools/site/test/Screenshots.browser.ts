/**
 * The first views of pages beside those of a committed run: `SITE_SHOTS=write` writes them anew.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { change, opened, quick } from "./Browser.ts"
import { coarse, difference } from "./Screenshots.ts"

const folder = new URL("./screenshots/", import.meta.url)

const site = opened()

/** The share of cells that may differ: with all words changed it is 8 %, without any style 14 %. */
const atMost = 0.11

const pages = [
  { name: "start", address: "/", shows: "h1" },
  { name: "text", address: "/http", shows: "h1" },
  { name: "playground", address: quick, shows: ".compared" }
]

/** The first one comes in the dark; the others are changes of its page. */
const looks = [
  { look: "dark", colorScheme: "dark", width: 1275 },
  { look: "light", colorScheme: "light", width: 1275 },
  { look: "narrow", colorScheme: "light", width: 375 },
  { look: "narrow-dark", colorScheme: "dark", width: 375 }
] as const

const kept = (name: string): string => readFileSync(new URL(`${name}.png`, folder)).toString("base64")

describe("the first view", () => {
  /** Compares pictures. */
  let canvas: Page
  beforeAll(async () => {
    canvas = await site.browser().newPage()
  })
  afterAll(() => canvas.close())

  describe.each(pages)("of $name", ({ address, name, shows }) => {
    let page: Page
    beforeAll(async () => {
      page = (await site.visit(address, { colorScheme: looks[0].colorScheme })).page
      await page.waitForSelector(shows)
    })
    afterAll(() => page.close())

    it.each(looks)("looks as before, $look", async ({ colorScheme, look, width }) => {
      await page.setViewportSize({ width, height: 900 })
      await change(page, colorScheme)
      const taken = await coarse(canvas, page)
      const file = `${name}-${look}`
      if (process.env["SITE_SHOTS"] === "write") {
        mkdirSync(folder, { recursive: true })
        writeFileSync(new URL(`${file}.png`, folder), Buffer.from(taken, "base64"))
      }
      expect(await difference(canvas, taken, kept(file))).toBeLessThanOrEqual(atMost)
    })
  })

  it("is told from one without styles, in the other theme, or with another layout", async () => {
    const plain = await site.browser().newPage({ colorScheme: "light", viewport: { width: 1275, height: 900 } })
    await plain.route("**/*.css", (route) => route.abort())
    await plain.goto(site.address())
    await plain.waitForSelector("h1")
    const others = [await coarse(canvas, plain), kept("start-dark"), kept("start-narrow")]
    for (const other of others) expect(await difference(canvas, kept("start-light"), other)).toBeGreaterThan(atMost)
    await plain.close()
  })

  it("is not told from one with other words", async () => {
    expect(await difference(canvas, kept("start-light"), kept("text-light"))).toBeLessThanOrEqual(atMost)
  })
})
