import type { Equivalent } from "../Equivalent.ts"

/** Of `core/loop`. */
export const equivalents: ReadonlyArray<Equivalent> = []
