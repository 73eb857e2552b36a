/**
 * The first views of pages beside those of a committed run: `SITE_SHOTS=write` writes them anew.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { opened } from "./Browser.ts"
import { coarse, difference } from "./Screenshots.ts"

const folder = new URL("./screenshots/", import.meta.url)

const site = opened()

/** The share of cells that may differ: with all words changed it is 8 %, without any style 14 %. */
const atMost = 0.11

const pages = [
  { name: "start", address: "/", shows: "h1" },
  { name: "text", address: "/http", shows: "h1" },
  { name: "playground", address: "/playground", shows: ".playground .plan" }
]

const looks = [
  { look: "light", colorScheme: "light", width: 1275 },
  { look: "dark", colorScheme: "dark", width: 1275 },
  { look: "narrow", colorScheme: "light", width: 375 },
  { look: "narrow-dark", colorScheme: "dark", width: 375 }
] as const

const views = pages.flatMap((page) => looks.map((look) => ({ ...page, ...look })))

const take = async (
  { address, colorScheme, shows, width }: Omit<(typeof views)[number], "look" | "name">,
  styled = true
): Promise<string> => {
  const page = await site.browser().newPage({ colorScheme, viewport: { width, height: 900 } })
  if (!styled) await page.route("**/*.css", (route) => route.abort())
  await page.goto(`${site.address()}${address}`)
  await page.waitForSelector(shows)
  const picture = await coarse(site.browser(), page)
  await page.close()
  return picture
}

const kept = (name: string): string => readFileSync(new URL(`${name}.png`, folder)).toString("base64")

describe("the first view", () => {
  it.each(views)("of $name looks as before, $look", async (view) => {
    const taken = await take(view)
    const name = `${view.name}-${view.look}`
    if (process.env["SITE_SHOTS"] === "write") {
      mkdirSync(folder, { recursive: true })
      writeFileSync(new URL(`${name}.png`, folder), Buffer.from(taken, "base64"))
    }
    expect(await difference(site.browser(), taken, kept(name))).toBeLessThanOrEqual(atMost)
  })

  it("is told from one without styles, in the other theme, or with another layout", async () => {
    const wide = { address: "/", shows: "h1", colorScheme: "light", width: 1275 } as const
    const others = [await take(wide, false), kept("start-dark"), kept("start-narrow")]
    for (const other of others)
      expect(await difference(site.browser(), kept("start-light"), other)).toBeGreaterThan(atMost)
  })

  it("is not told from one with other words", async () => {
    expect(await difference(site.browser(), kept("start-light"), kept("text-light"))).toBeLessThanOrEqual(atMost)
  })
})
