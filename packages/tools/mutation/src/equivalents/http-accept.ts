import type { Equivalent } from "../Equivalent.ts"

/** Of `http/accept`. */
export const equivalents: ReadonlyArray<Equivalent> = []
