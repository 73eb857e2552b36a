/**
 * A slider for a number: where it stands, and the value of a place on it. A wide range is on a logarithmic scale, so that
 * small values can be met. Pure.
 */
import type { NumberControl } from "./Controls.ts"

/** The last position; the first one is 0. */
export const end = 200

const isWide = ({ least, most, step }: NumberControl): boolean => (most - least) / step > end

export const positionOf = (control: NumberControl, value: number): number => {
  const { least, most } = control
  const share = isWide(control)
    ? Math.log1p(value - least) / Math.log1p(most - least)
    : (value - least) / (most - least)
  return Math.round(share * end)
}

/** Never out of the range; in a wide range with two digits. */
export const valueAt = (control: NumberControl, position: number): number => {
  const { least, most, step } = control
  const share = position / end
  if (share >= 1) return most
  const value = isWide(control)
    ? least + Number(Math.expm1(share * Math.log1p(most - least)).toPrecision(2))
    : least + Math.round((share * (most - least)) / step) * step
  return Math.min(most, Number((isWide(control) ? Math.round(value) : value).toFixed(6)))
}
