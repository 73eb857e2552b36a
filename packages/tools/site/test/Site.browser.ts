/**
 * The built site: links in the files, everything else in a browser.
 */
import axe from "axe-core"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Plan } from "@effect-retry/plan"
import { built } from "../src/Folder.ts"
import * as Pages from "../src/Pages.ts"
import { answers } from "../src/playground/Answers.ts"
import { fitted } from "../src/playground/Fitting.ts"
import { explainable } from "../src/playground/Policy.ts"
import type { Answer } from "../src/playground/Question.ts"
import { initial, toHash } from "../src/playground/Settings.ts"
import { launch, serve, type Site } from "./Browser.ts"
import { randomSettings } from "./RandomSettings.ts"

const all = Pages.files().map((file) => Pages.addressOf(Pages.pageOf(file) ?? ""))

/** A page of each kind; all of them, with `SITE_FULL`, by night. */
const kinds = ["/", "/first-policy", "/recipes", "/http", "/flow", "/performance", "/packages/core", "/playground"]

const addresses = process.env["SITE_FULL"] === undefined ? kinds : all

let site: Site
let browser: Browser

beforeAll(async () => {
  site = await serve(built)
  browser = await launch()
})
afterAll(async () => {
  await browser?.close()
  site?.close()
})

interface Visit {
  readonly page: Page
  /** What the browser complains of, requests to other hosts included. */
  readonly complaints: ReadonlyArray<string>
}

interface Look {
  readonly colorScheme?: "light" | "dark"
  readonly width?: number
}

const visit = async (path: string, { colorScheme = "light", width = 1280 }: Look = {}): Promise<Visit> => {
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } })
  page.setDefaultTimeout(120_000)
  const complaints: Array<string> = []
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text())
  })
  page.on("pageerror", (error) => void complaints.push(String(error)))
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`)
  })
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url())
    if (protocol.startsWith("http") && origin !== site.address) complaints.push(`request to ${request.url()}`)
  })
  await page.goto(`${site.address}${path}`)
  return { page, complaints }
}

describe("a page", () => {
  it("comes without an error, and asks no other host", async () => {
    for (const address of addresses) {
      const { complaints, page } = await visit(address)
      await page.waitForSelector("h1")
      expect([address, ...complaints]).toEqual([address])
      await page.close()
    }
  })

  it("links to pages and headings that exist", () => {
    const html = readdirSync(built, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".html"))
    const texts = new Map(
      html.map((file) => [`/${file.replace(/(?:index)?\.html$/, "")}`, readFileSync(join(built, file), "utf8")])
    )
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

  it.each(
    ["/", "/http", "/packages/core", "/playground"].flatMap((address) =>
      (["light", "dark"] as const).map((colorScheme) => [address, colorScheme] as const)
    )
  )("%s is accessible in %s", async (address, colorScheme) => {
    const { page } = await visit(address, { colorScheme })
    await page.waitForSelector(address === "/playground" ? ".compared" : "h1")
    await page.evaluate(axe.source)
    const violations = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as { readonly axe: typeof import("axe-core") }
      const { violations } = await axe.run({
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
        // The theme shows the keys that open the search inside of its button.
        rules: { "label-content-name-mismatch": { enabled: false } }
      })
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)
    })
    expect(violations).toEqual([])
    await page.close()
  })

  it.each(["/", "/recipes", "/playground"])("%s fits a narrow screen", async (address) => {
    const { page } = await visit(address, { width: 375 })
    await page.waitForSelector(address === "/playground" ? ".compared" : "h1")
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375)
    await page.close()
  })
})

const planText = (page: Page): Promise<string> =>
  page
    .locator(".playground pre.text")
    .textContent()
    .then((text) => text ?? "")

/** The text of the plan, or the message that stands in its place. */
const expected = (settings: typeof initial): string => {
  try {
    return Plan.toText(Plan.explain(explainable(settings)))
  } catch (error) {
    return (error as Error).message
  }
}

describe("the playground", () => {
  it("shows the plans that the packages make under Node", async () => {
    const { complaints, page } = await visit("/playground")
    await page.waitForSelector(".playground pre.text", { state: "attached" })
    const all = randomSettings(200)
    const shown = await page.evaluate(async (hashes) => {
      const texts: Array<string> = []
      for (const hash of hashes) {
        location.hash = hash
        // The change of the address, and then the drawing.
        await new Promise((resolve) => setTimeout(resolve, 0))
        await new Promise((resolve) => requestAnimationFrame(resolve))
        const refused = document.querySelector(".results > .refused")
        texts.push((refused ?? document.querySelector(".playground pre.text"))?.textContent ?? "")
      }
      return texts
    }, all.map(toHash))
    expect(shown).toEqual(all.map(expected))
    expect(complaints).toEqual([])
    await page.close()
  })

  it("shows the figures that the packages make under Node", async () => {
    const found: Array<Answer> = []
    for await (const answer of answers({ _tag: "Show", settings: initial, other: "once" })) found.push(answer)
    const summary = found.find((answer) => answer._tag === "Summary")
    const { complaints, page } = await visit("/playground")
    await page.waitForSelector(".compared")
    const cells = page.locator(".compared tbody tr").nth(1).locator("td")
    expect(await cells.allTextContents()).toEqual([
      summary?.ours.attemptsPerOperation.toFixed(2),
      summary?.other.attemptsPerOperation.toFixed(2)
    ])
    expect(complaints).toEqual([])
    await page.close()
  })

  it("finds a policy for the server, and takes it over, by keyboard", async () => {
    const settings = { ...initial, outage: 0, failureRatio: 0.3, wishSucceeded: 0.95 }
    const { found } = await fitted(settings)
    const { complaints, page } = await visit(`/playground#${toHash(settings)}`)
    await page.waitForSelector(".plan")
    await page.getByLabel("Operations that shall succeed").focus()
    await page.keyboard.press("Enter")
    await page.waitForSelector(".fitted")
    expect(await page.getByRole("status").textContent()).toBe("These policies do what is wanted.")
    const cells = page.locator(".fitted tbody tr td:nth-child(2)")
    expect(await cells.allTextContents()).toEqual([found[0]?.succeeded, found[0]?.load])
    expect(await page.getByLabel("Least load: code").textContent()).toBe(found[0]?.code)
    await page.getByRole("button", { name: "Use least load" }).focus()
    await page.keyboard.press("Enter")
    await page.waitForFunction(() => location.hash.includes("deadlineWithin=2000"))
    expect(await page.getByLabel("Attempts at most").inputValue()).toBe("3")
    expect(complaints).toEqual([])
    await page.close()
  })

  it("ends the search with the next change, and says what comes nearest and what is refused", async () => {
    const endless = { ...initial, outage: 20_000, wishSucceeded: 1, wishOutageEvery: 3600 }
    const { page } = await visit(`/playground#${toHash(endless)}`)
    await page.waitForSelector(".plan")
    const search = page.getByRole("button", { name: "Find a policy" })
    await search.click()
    expect(await page.getByRole("status").textContent()).toContain("Searching")
    await page.getByLabel("An outage of").fill("0")
    await page.getByRole("status").filter({ hasNotText: "Searching" }).waitFor({ state: "attached" })
    expect(await page.locator(".fitted").count()).toBe(0)
    await page.getByLabel("Attempts that fail").fill("0.95")
    await search.click()
    await page.waitForSelector(".fitted")
    expect(await page.getByRole("status").textContent()).toContain("No policy does what is wanted")
    await page.getByLabel("An outage of").fill("30000")
    await page.getByLabel("An outage every").fill("5")
    await search.click()
    await page.getByRole("alert").filter({ hasText: "Fit.fit: server.outage.every" }).waitFor()
    await page.close()
  })

  it("shows the storm of clients that fail together, as the packages count it under Node", async () => {
    const settings = { ...initial, clients: 60 }
    const found: Array<Answer> = []
    for await (const answer of answers({ _tag: "Show", settings, other: "once" })) found.push(answer)
    const answer = found.find((answer) => answer._tag === "Storm")
    const storm = answer?._tag === "Storm" ? answer.storm : undefined
    // The other policy makes one attempt.
    expect(storm?.other).toEqual([60, ...Array.from({ length: 59 }, () => 0)])
    const most = Math.max(...(storm?.ours.slice(1) ?? []))
    expect(most).toBeGreaterThan(0)
    const { page } = await visit(`/playground#${toHash(settings)}`)
    const picture = page.getByRole("img", { name: "Attempts of 60 clients that fail together" })
    await picture.waitFor()
    expect(await picture.getAttribute("aria-label")).toContain(`at most ${most} in`)
    await page.close()
  })

  it("keeps its settings in the address", async () => {
    const { page } = await visit("/playground")
    await page.getByLabel("Attempts at most").fill("7")
    await page.waitForFunction(() => location.hash.includes("maxAttempts=7"))
    const { page: another } = await visit(new URL(page.url()).pathname + new URL(page.url()).hash)
    expect(await another.getByLabel("Attempts at most").inputValue()).toBe("7")
    await page.close()
    await another.close()
  })

  it.each([
    "#v=1&curve=%3Cimg%20src=x%20onerror=alert(1)%3E",
    "#v=1&maxAttempts=1e9&base=-1&cap=NaN",
    "#v=1&__proto__=1&constructor=alert(1)",
    "#javascript:alert(1)"
  ])("is not moved by %s", async (hash) => {
    const { complaints, page } = await visit(`/playground${hash}`)
    await page.waitForSelector(".playground pre.text", { state: "attached" })
    expect(await planText(page)).toBe(expected(initial))
    expect(complaints).toEqual([])
    await page.close()
  })

  it("is used by keyboard alone", async () => {
    const { page } = await visit("/playground")
    await page.waitForSelector(".plan")
    await page.getByLabel("Attempt timeout").focus()
    const focused = () =>
      page.evaluate(() => document.activeElement?.closest("label")?.querySelector("span")?.textContent)
    const met: Array<string | null | undefined> = []
    for (let i = 0; i < 5; i++) {
      met.push(await focused())
      await page.keyboard.press("Tab")
    }
    expect(met).toEqual(["Attempt timeout, 0 for none", "Attempts at most", "Curve", "Base", "Factor"])
    await page.getByLabel("Attempts at most").focus()
    await page.keyboard.press("ArrowUp")
    await page.waitForFunction(() => document.querySelectorAll(".plan tbody tr").length === 5)
    await page.getByRole("button", { name: "Promises" }).focus()
    await page.keyboard.press("Enter")
    expect(await page.locator("pre.code").textContent()).toContain("Promises.retry")
    await page.close()
  })

  it("reads a policy that is pasted, and says what it does not understand", async () => {
    const { page } = await visit("/playground")
    const text = page.getByLabel("A policy to read")
    await text.fill(`{ maxAttempts: 2, backoff: Backoff.constant({ delay: "3 seconds" }) }`)
    await page.getByRole("button", { name: "Read it" }).click()
    expect(await page.getByLabel("Attempts at most").inputValue()).toBe("2")
    await text.fill("{ maxAttempts: 2, backoff: Schedule.spaced(1) }")
    await page.getByRole("button", { name: "Read it" }).click()
    expect(await page.getByRole("alert").textContent()).toBe("Schedule.spaced has no control on this page")
    await page.close()
  })

  it("says why a value is refused, and keeps the plan of the last one that was not", async () => {
    const { page } = await visit(`/playground#${toHash({ ...initial, deadline: "truncate", deadlineWithin: 5000 })}`)
    await page.waitForSelector(".playground pre.text", { state: "attached" })
    await page.getByLabel("Reserve for the last attempt").fill("9000")
    expect(await page.getByRole("alert").first().textContent()).toContain("Deadline.truncate: reserve must be")
    expect(await page.locator(".plan tbody tr").count()).toBe(4)
    await page.close()
  })

  it("loads at most 200 KB of compressed script for its first view", async () => {
    const { page } = await visit("/playground")
    await page.waitForSelector(".playground pre.text", { state: "attached" })
    const loaded = await page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .map(({ name }) => new URL(name).pathname)
        // VitePress loads the pages of visible links ahead, once the view is there.
        .filter((path) => path.endsWith(".js") && !/worker-|\.md\.(?<!playground\.md\.)/.test(path))
    )
    const bytes = [...new Set(loaded)].map((path) => gzipSync(readFileSync(join(built, path))).length)
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000)
    await page.close()
  })
})
