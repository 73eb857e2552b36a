import type { Equivalent } from "../Equivalent.ts"

/** Of `plan`. */
export const equivalents: ReadonlyArray<Equivalent> = []
