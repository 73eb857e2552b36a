import { constant } from "effect/Function"
import type { Workload } from "../Workload.ts"
import { insideOneFiber } from "../Workload.ts"
import { handWritten, ours, ready } from "./Calls.ts"
import { native } from "./NativeLine.ts"

const target = { of: "ratio", atMost: 1.3 } as const

export const success: Workload = {
  title: "Succeeds at once",
  about: [
    "The first attempt succeeds.",
    "The hand-written loop is a recursive `Effect.catchAll` that counts attempts and looks at the error's tag.",
    "The last three rows also make the retried effect anew for each call, as programs that retry requests do."
  ],
  unit: "ns",
  rounds: 41,
  baseline: "hand-written",
  rows: [
    { name: "bare effect", sample: insideOneFiber(constant(ready)) },
    { name: "hand-written", sample: insideOneFiber(constant(handWritten(ready))) },
    { name: "`Retry.retry`", sample: insideOneFiber(constant(ours(ready))), target },
    { name: "`Effect.retry`", sample: insideOneFiber(constant(native(ready))) },
    { name: "hand-written, made anew", sample: insideOneFiber(() => handWritten(ready)) },
    { name: "`Retry.retry`, made anew", sample: insideOneFiber(() => ours(ready)), target },
    { name: "`Effect.retry`, made anew", sample: insideOneFiber(() => native(ready)) }
  ]
}
