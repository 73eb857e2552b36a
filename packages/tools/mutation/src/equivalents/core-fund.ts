import type { Equivalent } from "../Equivalent.ts"

/** Of `core/fund`. */
export const equivalents: ReadonlyArray<Equivalent> = []
