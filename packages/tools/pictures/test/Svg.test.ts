import { describe, expect, it } from "@effect/vitest"
import * as Svg from "../src/Svg.ts"

describe("Svg.element", () => {
  it("rounds numbers, and closes itself if it is empty", () => {
    expect(Svg.element("rect", { x: 1.2345, class: "a" })).toBe('<rect x="1.2" class="a"/>')
    expect(Svg.element("g", {}, "a", "b")).toBe("<g>ab</g>")
  })
})

describe("Svg.text", () => {
  it("escapes markup in texts", () => {
    expect(Svg.text(1, 2, "a", 'b < c && d > "e"')).toBe(
      '<text x="1" y="2" class="a">b &lt; c &amp;&amp; d &gt; &quot;e&quot;</text>'
    )
  })
})
