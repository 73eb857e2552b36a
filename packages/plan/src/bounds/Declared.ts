/**
 * Rewrites back-offs to the intervals that their curves and jitters declare, so that the extreme draws give the extreme
 * delays.
 */
import type { Leaf, Tree } from "@effect-retry/core/unstable/BackoffTree"
import type { Curve } from "@effect-retry/core/Curve"
import type { Jitter } from "@effect-retry/core/Jitter"

/**
 * The same back-off in its initial state, with every delay drawn uniformly from its declared interval.
 *
 * Delays of a user's curve or jitter need not rise with the random number; drawn uniformly over the declared interval
 * they do. A curve whose sums rise with every draw is left as it is, which keeps the sums exact, unless its single
 * delays matter: if they are compared with others, chosen by kind, or must fit into a time.
 */
export const evenly = (tree: Tree): Tree => {
  const curves = shared(evenCurve)
  const jitters = shared(evenJitter)
  const leaf = (leaf: Leaf, compared: boolean): Leaf => ({
    ...leaf,
    curve: leaf.curve.draws && (compared || leaf.curve.risingSums !== true) ? curves(leaf.curve) : leaf.curve,
    jitter: leaf.jitter.draws ? jitters(leaf.jitter) : leaf.jitter
  })
  const convert = (part: Tree, compared: boolean): Tree => {
    switch (part._tag) {
      case "Leaf":
        return leaf(part, compared)
      case "Max":
      case "Min":
        return { _tag: part._tag, left: convert(part.left, true), right: convert(part.right, true) }
      case "ByKind": {
        const cases = Object.entries(part.cases).map(([kind, tree]) => [kind, convert(tree, true)])
        return { _tag: "ByKind", cases: Object.fromEntries(cases), orElse: convert(part.orElse, true) }
      }
      case "AndThen":
        return { _tag: "AndThen", first: convert(part.first, compared), second: convert(part.second, compared) }
      case "ResetAfter": {
        const initial = convert(part.initial, compared)
        return { ...part, initial, self: initial }
      }
      case "Within":
        return { ...part, self: convert(part.self, true) }
      case "Take":
        return { ...part, self: convert(part.self, compared) }
    }
  }
  return convert(tree, false)
}

/** One result for each argument, so that equal parts of a tree stay equal. */
const shared = <A extends object>(f: (a: A) => A): ((a: A) => A) => {
  const known = new Map<A, A>()
  return (a) => {
    const found = known.get(a) ?? f(a)
    known.set(a, found)
    return found
  }
}

/** A uniform curve, which ends where the curve itself ends with such draws. */
const evenCurve = (curve: Curve): Curve => ({
  ...curve,
  delayMillis: (n, state, capMillis, u) => {
    if (curve.delayMillis(n, state, capMillis, u) === undefined) return undefined
    const [least, greatest] = curve.intervalMillis(n, capMillis)
    return least + u * (greatest - least)
  },
  next: (delayMillis, n, state, capMillis, u) =>
    curve.next(curve.delayMillis(n, state, capMillis, u) ?? delayMillis, n, state, capMillis, u)
})

const evenJitter = (jitter: Jitter): Jitter => ({
  ...jitter,
  draw: (bound, u) => {
    const [least, greatest] = jitter.interval(bound)
    return least + u * (greatest - least)
  }
})
