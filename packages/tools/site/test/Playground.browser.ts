/**
 * The playground of the built site in a browser.
 */
import { Plan } from "@effect-retry/plan"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { built } from "../src/Folder.ts"
import { explainable } from "../src/playground/Policy.ts"
import { initial, toHash } from "../src/playground/Settings.ts"
import { opened, quick } from "./Browser.ts"
import { randomSettings } from "../src/playground/RandomSettings.ts"

const { served, visit } = opened()

/** Simulations take the processor, and are of another file. */
const still = { simulates: false }

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

const compressed = (scripts: ReadonlyArray<Buffer>): number =>
  scripts.reduce((sum, script) => sum + gzipSync(script).length, 0)

describe("the playground", () => {
  it("shows the plans that the packages make under Node, each in the next frame", async () => {
    // What is not in sight is not painted.
    const { complaints, page } = await visit(quick, { ...still, height: 100 })
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

  it("changes with a slider that is dragged", async () => {
    const { page } = await visit("/playground", still)
    await page.waitForSelector(".plan")
    const slider = page.locator("label", { hasText: "Maximum attempts" }).locator("input[type=range]")
    const box = await slider.boundingBox()
    if (box === null) throw new Error("there is no slider")
    await page.mouse.move(box.x + box.width / 10, box.y + box.height / 2)
    await page.mouse.down()
    const met: Array<string> = []
    for (const share of [0.3, 0.6, 1]) {
      await page.mouse.move(box.x + box.width * share, box.y + box.height / 2)
      met.push(await page.getByLabel("Maximum attempts").inputValue())
    }
    await page.mouse.up()
    expect(met.map(Number)).toEqual(met.map(Number).toSorted((a, b) => a - b))
    expect([new Set(met).size, met.at(-1)]).toEqual([3, "50"])
    // The last attempts are summed up in a row.
    expect(await page.locator(".plan tbody tr").count()).toBe(21)
    await page.close()
  })

  it("is on the start page in short, and leads to the whole of it", async () => {
    const { complaints, page } = await visit("/")
    await page.waitForSelector("h1")
    expect(await page.locator(".playground").count()).toBe(0)
    await page.locator(".preview").scrollIntoViewIfNeeded()
    await page.getByLabel("Maximum attempts").fill("7")
    await page.getByRole("img", { name: "before attempt 7" }).waitFor()
    expect(new URL(page.url()).hash).toBe("")
    await page.getByRole("link", { name: "All settings and figures of this policy" }).click()
    await page.waitForSelector(".plan")
    expect(await page.getByLabel("Maximum attempts").inputValue()).toBe("7")
    expect(complaints).toEqual([])
    await page.close()
  })

  it("keeps its settings in the address", async () => {
    const { page } = await visit("/playground", still)
    await page.getByLabel("Maximum attempts").fill("7")
    await page.waitForFunction(() => location.hash.includes("maxAttempts=7"))
    const { page: another } = await visit(new URL(page.url()).pathname + new URL(page.url()).hash)
    expect(await another.getByLabel("Maximum attempts").inputValue()).toBe("7")
    await page.close()
    await another.close()
  })

  it.each([
    "#v=1&curve=%3Cimg%20src=x%20onerror=alert(1)%3E",
    "#v=1&maxAttempts=1e9&base=-1&cap=NaN",
    "#v=1&__proto__=1&constructor=alert(1)",
    "#javascript:alert(1)"
  ])("is not moved by %s", async (hash) => {
    const { complaints, page } = await visit(`/playground${hash}`, still)
    await page.waitForSelector(".playground pre.text", { state: "attached" })
    expect(await planText(page)).toBe(expected(initial))
    expect(complaints).toEqual([])
    await page.close()
  })

  it("is walked through by Tab: each control once, in the order of the page, and out of it", async () => {
    const { page } = await visit("/playground", still)
    await page.waitForSelector(".plan")
    const count = await page.evaluate(() => {
      const all = document.querySelectorAll<HTMLElement>(
        ".playground :is(a[href], button, input, select, textarea, summary, [tabindex])"
      )
      const reached = Array.from(all).filter((element) => element.tabIndex >= 0 && element.checkVisibility())
      reached.forEach((element, i) => (element.dataset["step"] = String(i)))
      reached[0]?.focus()
      return reached.length
    })
    expect(count).toBeGreaterThan(30)
    const met: Array<string | undefined> = []
    for (let i = 0; i <= count; i++) {
      met.push(await page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset["step"]))
      await page.keyboard.press("Tab")
    }
    expect(met).toEqual([...Array.from({ length: count }, (_, i) => String(i)), undefined])
    await page.close()
  })

  it("is used by keyboard alone", async () => {
    const { page } = await visit("/playground", still)
    await page.waitForSelector(".plan")
    await page.getByLabel("Maximum attempts").focus()
    await page.keyboard.press("ArrowUp")
    await page.waitForFunction(() => document.querySelectorAll(".plan tbody tr").length === 5)
    await page.getByRole("button", { name: "Promises" }).focus()
    await page.keyboard.press("Enter")
    expect(await page.locator("pre.code").textContent()).toContain("Promises.retry")
    await page.close()
  })

  it("reads a policy that is pasted, and says what it does not understand", async () => {
    const { page } = await visit("/playground", still)
    const text = page.getByLabel("Paste a policy")
    await text.fill(`{ maxAttempts: 2, backoff: Backoff.constant({ delay: "3 seconds" }) }`)
    await page.getByRole("button", { name: "Read policy" }).click()
    expect(await page.getByLabel("Maximum attempts").inputValue()).toBe("2")
    await text.fill("{ maxAttempts: 2, backoff: Schedule.spaced(1) }")
    await page.getByRole("button", { name: "Read policy" }).click()
    expect(await page.getByRole("alert").textContent()).toBe("Schedule.spaced has no control on this page")
    await page.close()
  })

  it("gives its settings as JSON, and reads them back", async () => {
    const { page } = await visit("/playground#v=1&maxAttempts=9&latency=20", still)
    await page.getByRole("button", { name: "JSON" }).click()
    const json = (await page.locator("pre.code").first().textContent()) ?? ""
    await page.getByRole("button", { name: "Start again" }).click()
    await page.getByLabel("Paste a policy").fill(json)
    await page.getByRole("button", { name: "Read policy" }).click()
    expect(await page.getByLabel("Maximum attempts").inputValue()).toBe("9")
    expect(new URL(page.url()).hash).toBe("#v=1&maxAttempts=9&latency=20")
    await page.close()
  })

  it("says why a value is refused, and keeps the plan of the last one that was not", async () => {
    const { page } = await visit(
      `/playground#${toHash({ ...initial, deadline: "truncate", deadlineWithin: 5000 })}`,
      still
    )
    await page.waitForSelector(".playground pre.text", { state: "attached" })
    await page.getByLabel("Reserve for the last attempt").fill("9000")
    expect(await page.getByRole("alert").first().textContent()).toContain("Deadline.truncate: reserve must be")
    expect(await page.locator(".plan tbody tr").count()).toBe(4)
    await page.close()
  })

  it("loads at most 200 KB of compressed script for its first view, with that of its worker", async () => {
    const before = served().length
    const { page } = await visit(quick)
    await page.waitForSelector(".compared")
    const files = served()
      .slice(before)
      .filter((file) => file.endsWith(".js"))
    for (const worker of page.workers()) expect(files).toContain(join(built, new URL(worker.url()).pathname))
    const written = await page.evaluate(() => Array.from(document.scripts, ({ text }) => text).join(""))
    expect(compressed([...files.map((file) => readFileSync(file)), Buffer.from(written)])).toBeLessThan(200_000)
    await page.close()
  })

  it("loads a vendor's policies when they are asked for", async () => {
    const { page } = await visit(quick)
    await page.waitForSelector(".plan")
    const chunk = page.waitForResponse(/assets\/src-/)
    await page.getByLabel("Compared with").selectOption("awsStandard")
    expect((await chunk).ok()).toBe(true)
    await page.close()
  })
})
