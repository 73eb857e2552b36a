import { describe, expect, it } from "vitest"
import { type Control, controls, type NumberControl } from "../src/playground/Controls.ts"
import * as Slider from "../src/playground/Slider.ts"

const numbers = Object.entries<Control>(controls).filter(
  (entry): entry is [string, NumberControl] => entry[1]._tag === "Number"
)

describe("Slider.valueAt", () => {
  it.each(numbers)("of %s goes from the least to the most, and never back", (_, control) => {
    const values = Array.from({ length: Slider.end + 1 }, (_, position) => Slider.valueAt(control, position))
    expect([values[0], values.at(-1)]).toEqual([control.least, control.most])
    expect(values).toEqual(values.toSorted((a, b) => a - b))
  })

  it.each(numbers)("of %s is near the value of the position", (_, control) => {
    const position = Slider.positionOf(control, control.initial)
    const [before, after] = [position - 1, position + 1].map((near) =>
      Slider.valueAt(control, Math.max(0, Math.min(Slider.end, near)))
    )
    expect(before).toBeLessThanOrEqual(control.initial)
    expect(after).toBeGreaterThanOrEqual(control.initial)
  })
})
