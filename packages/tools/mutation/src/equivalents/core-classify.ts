import type { Equivalent } from "../Equivalent.ts"

/** Of `core/classify`. */
export const equivalents: ReadonlyArray<Equivalent> = []
