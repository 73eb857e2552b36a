import type { Equivalent } from "../Equivalent.ts"

/** Of `core/accept`. */
export const equivalents: ReadonlyArray<Equivalent> = []
