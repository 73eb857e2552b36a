/**
 * What the playground simulates, in a browser: its worker, beside the packages under Node.
 */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { answers } from "../src/playground/Answers.ts"
import { client } from "../src/playground/Client.ts"
import { explained } from "../src/playground/Explaining.ts"
import { fitted } from "../src/playground/Fitting.ts"
import { guarded } from "../src/playground/Guarding.ts"
import * as Figures from "../src/playground/Figures.ts"
import type { Answer } from "../src/playground/Question.ts"
import { randomSettings } from "../src/playground/RandomSettings.ts"
import { initial, type Settings, toHash } from "../src/playground/Settings.ts"
import { isFull, opened, quick, quickSettings } from "./Browser.ts"

const { visit } = opened()

/** An answer of the packages under Node; the finer ones after it are not asked for. */
const answerTo = async <T extends Answer["_tag"]>(settings: Settings, tag: T) => {
  for await (const answer of answers({ _tag: "Show", settings })) {
    if (answer._tag === tag) return answer as Extract<Answer, { readonly _tag: T }>
  }
  throw new Error(`there is no ${tag}`)
}

/** What the figures of operations and delays say, from the packages under Node; nothing where they refuse the settings. */
const firstFigures = async (settings: Settings) => {
  let said = ""
  for await (const answer of answers({ _tag: "Show", settings })) {
    if (answer._tag === "Refused") return []
    if (answer._tag === "Operations") {
      const { operations } = answer
      const attempts = operations.reduce((sum, { attempts }) => sum + attempts.length, 0)
      const succeeded = operations.filter(({ stopped }) => stopped === undefined).length
      said = `${operations.length} operations: ${succeeded} succeed, with ${attempts} attempts in all`
    }
    if (answer._tag === "Delays") return [{ said, heights: heightsOf(settings, answer.delays) }]
  }
  return []
}

/** Of the distributions, as they are drawn. */
const heightsOf = (settings: Settings, delays: ReadonlyArray<ReadonlyArray<number>>) =>
  Figures.distributions(explained(settings).bands, delays).map((shares, i) =>
    shares.map((share) => Number((20 + 22 * i - 14 * share).toFixed(1)))
  )

describe("a simulation of the playground", () => {
  it("shows the figures that the packages make under Node", async () => {
    const summary = await answerTo(quickSettings, "Summary")
    const { complaints, page } = await visit(quick)
    await page.waitForSelector(".compared")
    const cells = page.locator(".compared tbody tr").nth(1).locator("td")
    expect(await cells.allTextContents()).toEqual([
      summary.ours.attemptsPerOperation.toFixed(2),
      summary.other.attemptsPerOperation.toFixed(2)
    ])
    expect(complaints).toEqual([])
    await page.close()
  })

  it("shows how often each part of a delay is drawn, as the packages draw it under Node", async () => {
    const { delays } = await answerTo(quickSettings, "Delays")
    const { page } = await visit(quick)
    const drawn = page.locator(".distribution")
    await page.waitForFunction(() => document.querySelector(".distribution")?.getAttribute("d"))
    const heights = await drawn.evaluateAll((paths) =>
      paths.map((path) => Array.from(path.getAttribute("d")?.matchAll(/V([\d.]+)h/g) ?? [], ([, y]) => Number(y)))
    )
    expect(heights).toEqual(heightsOf(quickSettings, delays))
    await page.close()
  })

  // By night it has many policies.
  const long = { timeout: 1_200_000 }

  it(
    "shows the operations and the delays of policies by chance as the packages make them under Node",
    long,
    async () => {
      const { complaints, page } = await visit(quick)
      await page.waitForSelector(".plan")
      const shown = () =>
        page.evaluate(() => ({
          said: document.querySelector('svg[aria-label*=" operations: "]')?.getAttribute("aria-label"),
          heights: Array.from(document.querySelector(".results svg")?.querySelectorAll(".distribution") ?? [], (path) =>
            Array.from(path.getAttribute("d")?.matchAll(/V([\d.]+)h/g) ?? [], ([, y]) => Number(y))
          )
        }))
      let compared = 0
      const all = randomSettings(isFull ? 200 : 6)
      for (const settings of all) {
        for (const { heights, said } of await firstFigures(settings)) {
          compared += 1
          await page.evaluate((hash) => void (location.hash = hash), toHash(settings))
          await expect.poll(shown, { timeout: 60_000, interval: 50 }).toEqual({ said, heights })
        }
      }
      expect(compared).toBeGreaterThan(all.length / 2)
      expect(complaints).toEqual([])
      await page.close()
    }
  )

  it("shows the plan of a vendor's policy beside, as its package has it, and keeps the choice in the address", async () => {
    const settings = { ...quickSettings, other: "googleJava" } as const
    const { planned } = await answerTo(settings, "Other")
    const { complaints, page } = await visit(quick)
    await page.waitForSelector(".plan")
    await page.getByLabel("Compared with").selectOption("googleJava")
    await page.waitForFunction((hash) => location.hash === `#${hash}`, toHash(settings))
    const plan = page.getByLabel("The plan of Google Cloud for Java")
    await plan.waitFor({ state: "attached" })
    expect(await plan.textContent()).toBe(planned.text)
    expect(planned.text).toContain("6 attempts")
    expect(complaints).toEqual([])
    await page.close()
  })

  it("takes a policy of a package over, by keyboard, and keeps it in the address", async () => {
    const { complaints, page } = await visit("/playground")
    await page.waitForSelector(".plan")
    await page.getByLabel("Policy of a package").focus()
    await page.keyboard.press("ArrowDown")
    await page.waitForFunction(() => location.hash.includes("preset=once&maxAttempts=1"))
    const said = page.getByRole("status", { name: "Preset" })
    await said.filter({ hasText: "The controls have the values of Policy.once" }).waitFor()
    await page.getByLabel("Maximum attempts").fill("2")
    await said.filter({ hasText: "The values of Policy.once of @effect-retry/core, changed since." }).waitFor()
    await page.reload()
    await said.filter({ hasText: "changed since. No control expresses: the jitter above a hint." }).waitFor()
    expect(await page.getByLabel("Maximum attempts").inputValue()).toBe("2")
    expect(complaints).toEqual([])
    await page.close()
  })

  it("draws the load roughly at first, and then finer", async () => {
    const { page } = await visit(quick)
    const rough = page.getByText("(a first, rough run)")
    await page.locator(".compared").filter({ has: rough }).waitFor()
    await page.waitForFunction(() => document.querySelector(".rough") === null)
    expect(await page.getByRole("img", { name: "Requests that the server gets" }).count()).toBe(1)
    await page.close()
  })

  it("finds a policy for the server, and takes it over, by keyboard", async () => {
    const settings = { ...quickSettings, outage: 0, failureRatio: 0.3, wishSucceeded: 0.95 }
    const { found } = await fitted(settings)
    const { complaints, page } = await visit(`/playground#${toHash(settings)}`)
    await page.waitForSelector(".plan")
    await page.getByLabel("Operations that should succeed").focus()
    await page.keyboard.press("Enter")
    await page.waitForSelector(".fitted")
    expect(await page.getByRole("status", { name: "Search" }).textContent()).toBe("These policies reach the goal.")
    const cells = page.locator(".fitted tbody tr td:nth-child(2)")
    expect(await cells.allTextContents()).toEqual([found[0]?.succeeded, found[0]?.load])
    expect(await page.getByLabel("Least load: code").textContent()).toBe(found[0]?.code)
    await page.getByRole("button", { name: "Use least load" }).focus()
    await page.keyboard.press("Enter")
    await page.waitForFunction(() => location.hash.includes("deadlineWithin=2000"))
    expect(await page.getByLabel("Maximum attempts").inputValue()).toBe("3")
    expect(complaints).toEqual([])
    await page.close()
  })

  it("ends the search with the next change, and says what comes nearest and what is refused", async () => {
    const endless = { ...quickSettings, outage: 20_000, wishSucceeded: 1, wishOutageEvery: 3600 }
    const { page } = await visit(`/playground#${toHash(endless)}`)
    await page.waitForSelector(".plan")
    const search = page.getByRole("button", { name: "Find a policy" })
    await search.click()
    expect(await page.getByRole("status", { name: "Search" }).textContent()).toContain("Searching")
    await page.getByLabel("Length of the outage").fill("0")
    await page
      .getByRole("status", { name: "Search" })
      .filter({ hasNotText: "Searching" })
      .waitFor({ state: "attached" })
    expect(await page.locator(".fitted").count()).toBe(0)
    await page.getByLabel("Attempts that fail").fill("0.95")
    await search.click()
    await page.waitForSelector(".fitted")
    expect(await page.getByRole("status", { name: "Search" }).textContent()).toContain("No policy reaches the goal")
    await page.getByLabel("Length of the outage").fill("30000")
    await page.getByLabel("An outage every").fill("5")
    await search.click()
    await page.getByRole("alert").filter({ hasText: "Fit.fit: server.outage.every" }).waitFor()
    await page.close()
  })

  it("shows the storm of clients that fail together, as the packages count it under Node", async () => {
    const settings = { ...quickSettings, clients: 60 }
    const { storm } = await answerTo(settings, "Storm")
    // The other policy makes one attempt.
    expect(storm.other).toEqual([60, ...Array.from({ length: 59 }, () => 0)])
    const most = Math.max(...storm.ours.slice(1))
    expect(most).toBeGreaterThan(0)
    const { page } = await visit(`/playground#${toHash(settings)}`)
    const picture = page.getByRole("img", { name: "Attempts of 60 clients that fail together" })
    await picture.waitFor()
    expect(await picture.getAttribute("aria-label")).toContain(`at most ${most} in`)
    await page.close()
  })

  it("shows what a guard does, as the packages do under Node, and no guard where there is none", async () => {
    const settings = { ...quickSettings, rateLimiter: "circuitBreaker" } as const
    const guard = await Effect.runPromise(guarded(client(settings), settings))
    const made = guard?.made.reduce((sum, count) => sum + count, 0)
    const { page } = await visit(`/playground#${toHash(settings)}`)
    const picture = page.getByRole("img", { name: "circuit breaker: " })
    await picture.waitFor()
    expect(await picture.getAttribute("aria-label")).toContain(`: ${made} attempts are made, `)
    await page.getByLabel("Rate limiter").selectOption("none")
    await picture.waitFor({ state: "detached" })
    await page.close()
  })

  it("follows a slider that is dragged with its operations and its delays", async () => {
    const { page } = await visit(quick)
    await page.waitForFunction(() => document.querySelector(".distribution")?.getAttribute("d"))
    const frames = await page.evaluate(async () => {
      const slider = document.querySelectorAll<HTMLInputElement>("input[type=range]")[1]!
      const shown = () =>
        ['svg[aria-label*=" operations: "]', ".distribution"].map((path) => document.querySelector(path)?.outerHTML)
      const before = shown()
      for (let frame = 1; frame <= 1200; frame++) {
        // It never rests.
        slider.value = String(10 + (frame % 50))
        slider.dispatchEvent(new Event("input", { bubbles: true }))
        await new Promise((resolve) => requestAnimationFrame(resolve))
        if (shown().every((figure, i) => figure !== before[i])) return frame
      }
      return undefined
    })
    expect(frames).toBeGreaterThan(0)
    await page.close()
  })

  it("ends the simulations of the settings before with the next change", async () => {
    const long = { ...initial, outage: 60_000, load: 1, clients: 1000, latency: 10_000 }
    const { page } = await visit(`/playground#${toHash(long)}`)
    const first = page.workers()[0] ?? (await page.waitForEvent("worker"))
    const ended = first.waitForEvent("close")
    const next = page.waitForEvent("worker")
    await page.getByLabel("Maximum attempts").fill("7")
    await ended
    expect(await next).not.toBe(first)
    await page.close()
  })
})
