import { describe, expect, it } from "@effect/vitest"
import { pages, read, root } from "./rows.ts"

/** Text in a page that says of which example it is the output: page, example and text. */
const outputs = pages.flatMap((page) =>
  Array.from(
    read(page).matchAll(/^<!-- output: packages\/tools\/examples\/src\/(\S+) -->\n```text\n(.*?)```$/gms),
    ([, file = "", text = ""]) => ({ page, file, text })
  )
)

describe("outputs", () => {
  it("have their text below their marker", () => {
    const markers = pages.flatMap((page) => read(page).match(/<!-- output: packages\/tools\/examples\/src\//g) ?? [])
    expect(outputs.length).toBe(markers.length)
    expect(outputs.length).toBeGreaterThan(0)
  })

  it.each(outputs)("$page shows what $file gives", async ({ file, text }) => {
    const { expected }: { readonly expected: unknown } = await import(
      new URL(`packages/tools/examples/src/${file}`, root).pathname
    )
    expect(text).toBe(`${String(expected)}\n`)
  })
})
