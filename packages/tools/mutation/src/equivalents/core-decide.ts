import type { Equivalent } from "../Equivalent.ts"

/** Of `core/decide`. */
export const equivalents: ReadonlyArray<Equivalent> = []
