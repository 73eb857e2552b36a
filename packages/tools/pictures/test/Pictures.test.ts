import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { pictures } from "../src/Pictures.ts"

const folder = new URL("../../../../docs/pictures/", import.meta.url)

const read = (name: string): string => readFileSync(new URL(name, folder), "utf8")

describe("Pictures.pictures", { timeout: 120_000 }, () => {
  // Drawn by `pnpm fleet` from a run on the real clock.
  const measured = ["fleet.svg"]

  it("are all the files in docs/pictures that are not measured", () => {
    const drawn = readdirSync(folder).filter((name) => !measured.includes(name))
    expect(drawn.toSorted()).toEqual(Object.keys(pictures).toSorted())
  })

  it.effect.each(Object.entries(pictures))("%s is current: `pnpm pictures` draws it again", ([name, picture]) =>
    Effect.map(picture, (drawn) => {
      expect(read(name)).toBe(drawn)
    })
  )

  const pages = [
    { name: "timeline-hint.svg", page: "README.md", folder: "docs/" },
    { name: "timeline-deadline.svg", page: "README.md", folder: "docs/" },
    { name: "recovery.svg", page: "README.md", folder: "docs/" },
    { name: "guards.svg", page: "docs/guards.md", folder: "" },
    { name: "guards-shard.svg", page: "docs/guards.md", folder: "" },
    { name: "guards-hint.svg", page: "docs/guards.md", folder: "" },
    { name: "guards-priority.svg", page: "docs/guards.md", folder: "" },
    { name: "hedges.svg", page: "docs/hedging.md", folder: "" },
    { name: "curves.svg", page: "docs/first-policy.md", folder: "" },
    { name: "jitters.svg", page: "docs/first-policy.md", folder: "" },
    { name: "classics.svg", page: "docs/first-policy.md", folder: "" },
    { name: "aws.svg", page: "docs/aws.md", folder: "" },
    { name: "aws-legacy.svg", page: "docs/aws.md", folder: "" },
    { name: "google.svg", page: "docs/google.md", folder: "" },
    { name: "grpc.svg", page: "docs/grpc.md", folder: "" },
    { name: "buckets.svg", page: "docs/buckets.md", folder: "" },
    { name: "limiters.svg", page: "docs/buckets.md", folder: "" }
  ]

  it("are each on a page", () => {
    expect(pages.map(({ name }) => name)).toEqual(Object.keys(pictures))
  })

  it.each(pages)("$page shows $name, with its description as the text instead", ({ folder, name, page }) => {
    const [, title, description] = /<title[^>]*>(.*)<\/title>\n<desc[^>]*>(.*)<\/desc>/.exec(read(name)) ?? []
    const text = readFileSync(new URL(`../../../../${page}`, import.meta.url), "utf8")
    expect(text).toContain(`![${title}. ${description}](${folder}pictures/${name})`)
  })

  it.each(["timeline-hint.svg", "timeline-deadline.svg"])("names in %s end before the axis, in any font", (name) => {
    const svg = read(name)
    const axis = Number(/<path class="line" d="M([\d.]+) /.exec(svg)?.[1])
    const ends = [...svg.matchAll(/<text x="([\d.]+)" y="[\d.]+" class="name end">/g)].map(([, x]) => Number(x))
    expect(ends).toEqual([axis - 12, axis - 12])
  })

  it.each(Object.keys(pictures))("%s is small, describes itself, and runs and loads nothing", (name) => {
    const svg = read(name)
    expect(svg.length).toBeLessThan(10_000)
    expect(svg).toMatch(/<title id="title">[^<]+<\/title>\n<desc id="description">[^<]+<\/desc>/)
    expect(svg).not.toMatch(/<script|<image|<foreignObject|href|@import|url\(|NaN|undefined/)
  })
})
