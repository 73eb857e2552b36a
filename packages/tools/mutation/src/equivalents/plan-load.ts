import type { Equivalent } from "../Equivalent.ts"

/** Of `plan/load`. */
export const equivalents: ReadonlyArray<Equivalent> = []
