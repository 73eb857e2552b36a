/**
 * The pages of the built site: links in the files, everything else in a browser.
 */
import axe from "axe-core"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { built } from "../src/Folder.ts"
import { headOf } from "../src/Heads.ts"
import { modulesOf } from "../src/Modules.ts"
import * as Pages from "../src/Pages.ts"
import { change, isFull, opened, quick } from "./Browser.ts"

const html = readdirSync(built, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".html"))

const addressOf = (file: string): string => `/${file.replace(/(?:index)?\.html$/, "")}`

/** Each page, those of the API reference included; the playground with settings whose simulations end soon. */
const all = html
  .filter((file) => file !== "404.html")
  .map(addressOf)
  .map((address) => (address === "/playground" ? quick : address))

/** Pages of each kind; all of them, with `SITE_FULL`, by night. */
const pages = (...kinds: ReadonlyArray<string>): ReadonlyArray<string> => (isFull ? all : kinds)

/** The modules of the published packages, with the number of the examples at their heads. */
const modules = Pages.files().flatMap((file) => {
  const [, owner] = /^packages\/(.*)\/README\.md$/.exec(file) ?? []
  if (owner === undefined) return []
  const read = (path: string) => readFileSync(join(Pages.root, "packages", owner, path), "utf8")
  return modulesOf(JSON.parse(read("package.json")).exports).map(({ file, name }) => ({
    page: `/api/${owner}/${name}`,
    examples: headOf(read(file))?.examples.length ?? 0
  }))
})

const { visit } = opened()

/** Waits for what the page loads late: the figures of the playground, and its short form on the start page. */
const complete = async (page: Page, address: string): Promise<void> => {
  await page.waitForSelector("h1")
  if (address === quick) await page.waitForSelector(".compared")
  if (address !== "/") return
  await page.locator(".preview").scrollIntoViewIfNeeded()
  await page.waitForSelector(".preview .cross")
}

/** Of the rules for accessibility. */
const violations = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(async () => {
    const { axe } = globalThis as unknown as { readonly axe: typeof import("axe-core") }
    const { violations } = await axe.run({
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
      // What keeps to the rules is not described: on a long page that takes most of the time.
      resultTypes: ["violations"],
      // The theme shows the keys that open the search inside of its button.
      rules: { "label-content-name-mismatch": { enabled: false } }
    })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)
  })

describe("a page", () => {
  it("is one of those in the files, or of the API reference", () => {
    const files = Pages.files().map((file) => Pages.addressOf(Pages.pageOf(file) ?? ""))
    const others = all.filter((address) => !address.startsWith("/api/")).map((address) => address.split("#")[0])
    expect(others.toSorted()).toEqual(files.toSorted())
    expect(all.filter((address) => address.startsWith("/api/")).length > 50).toBe(isFull)
  })

  it("of the reference is there for each module, with the examples of its doc comment", () => {
    const found = modules.flatMap(({ page, examples }) => {
      // A name that stands for a type too has a number after it.
      const file = html.find((file) => addressOf(file).replace(/-\d$/, "") === page)
      if (file === undefined) return []
      const shown = readFileSync(join(built, file), "utf8").includes(' id="example"')
      return [{ page, examples: shown ? examples : 0 }]
    })
    expect(found).toEqual(isFull ? modules : [])
  })

  it.each(pages("/", "/first-policy", "/recipes", "/http", "/flow", "/performance", "/packages/core", quick))(
    "%s comes without an error, asks no other host, and fits a narrow screen",
    async (address) => {
      const { complaints, page } = await visit(address)
      await complete(page, address)
      await page.setViewportSize({ width: 375, height: 900 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375)
      expect(complaints).toEqual([])
      await page.close()
    }
  )

  it("links to pages and headings that exist", () => {
    const texts = new Map(html.map((file) => [addressOf(file), readFileSync(join(built, file), "utf8")]))
    const idsOf = (text: string) => new Set(Array.from(text.matchAll(/ id="([^"]+)"/g), ([, id]) => id))
    const broken = [...texts].flatMap(([from, text]) =>
      Array.from(text.matchAll(/ href="([^"]+)"/g), ([, href = ""]) => href)
        .filter((href) => /^[/#](?!assets\/|\/)/.test(href) && !/\.(?:svg|css|js|ico|woff2)$/.test(href))
        .filter((href) => {
          const [path = "", fragment] = href.split("#", 2)
          const target = texts.get(path === "" ? from : path.replace(/\.html$/, ""))
          if (target === undefined) return true
          return fragment !== undefined && fragment !== "" && !idsOf(target).has(decodeURIComponent(fragment))
        })
        .map((href) => `${from}: ${href}`)
    )
    expect([...new Set(broken)]).toEqual([])
  })

  it("is found by its words", async () => {
    const { complaints, page } = await visit("/flow")
    await page.waitForSelector("h1")
    await page.keyboard.press("Control+k")
    await page.locator("#localsearch-input").fill("Retry-After server hint")
    await page.locator(".result").first().waitFor()
    await page.keyboard.press("Enter")
    await page.waitForURL((url) => url.pathname !== "/flow")
    expect(complaints).toEqual([])
    await page.close()
  })

  it.each(pages("/", "/hedging", "/packages/core", quick))("%s is accessible in both themes", async (address) => {
    const { page } = await visit(address, { colorScheme: "dark" })
    await complete(page, address)
    await page.evaluate(axe.source)
    expect(await violations(page)).toEqual([])
    await change(page, "light")
    expect(await violations(page)).toEqual([])
    await page.close()
  })
})
