import type { Equivalent } from "../Equivalent.ts"

/** Of `core/observe`. */
export const equivalents: ReadonlyArray<Equivalent> = []
