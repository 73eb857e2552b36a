/**
 * What a scripted server answers: a list of answers, given in turn. Pure, so that a script can be read and tested.
 */

/**
 * One answer of a server, or its absence.
 *
 * @category models
 */
export type Answer =
  | { readonly _tag: "Status"; readonly status: number; readonly afterMillis: number }
  /** 429 with `Retry-After: seconds`, for so long: whoever comes earlier gets the same again. */
  | { readonly _tag: "Throttle"; readonly seconds: number }
  /** The connection is reset, with no answer. */
  | { readonly _tag: "Reset" }
  /** The connection stays open, with no answer. */
  | { readonly _tag: "Hang" }

/**
 * @category constructors
 */
export const status = (status: number, options?: { readonly afterMillis: number }): Answer => ({
  _tag: "Status",
  status,
  afterMillis: options?.afterMillis ?? 0
})

/**
 * @category constructors
 */
export const throttle = (seconds: number): Answer => ({ _tag: "Throttle", seconds })

/**
 * @category constructors
 */
export const reset: Answer = { _tag: "Reset" }

/**
 * @category constructors
 */
export const hang: Answer = { _tag: "Hang" }

/**
 * A script and how far it has been played. The last answer is repeated for ever.
 *
 * @category models
 */
export interface Script {
  readonly answers: readonly [Answer, ...ReadonlyArray<Answer>]
  /** When the first answer of the list was first given. */
  readonly firstGivenMillis: number | undefined
}

/**
 * @category constructors
 */
export const make = (...answers: readonly [Answer, ...ReadonlyArray<Answer>]): Script => ({
  answers,
  firstGivenMillis: undefined
})

/**
 * The answer to a request that arrives now, and the script for the next one.
 *
 * @category destructors
 */
export const next = (script: Script, nowMillis: number): readonly [answer: Answer, rest: Script] => {
  const [answer, ...others] = script.answers
  const firstGivenMillis = script.firstGivenMillis ?? nowMillis
  const [second, ...rest] = others
  if (second === undefined) return [answer, { answers: [answer], firstGivenMillis }]
  if (answer._tag !== "Throttle") return [answer, make(second, ...rest)]
  return nowMillis - firstGivenMillis < answer.seconds * 1000
    ? [answer, { answers: script.answers, firstGivenMillis }]
    : next(make(second, ...rest), nowMillis)
}

/**
 * How a timeline names the answer.
 *
 * @category destructors
 */
export const label = (answer: Answer): string => {
  switch (answer._tag) {
    case "Status":
      return String(answer.status)
    case "Throttle":
      return "429"
    case "Reset":
      return "reset"
    case "Hang":
      return "hang"
  }
}

/**
 * How a timeline names the answer where there is room for one letter.
 *
 * @category destructors
 */
export const letter = (answer: Answer): string => {
  switch (answer._tag) {
    case "Status":
      return isSuccess(answer) ? "o" : isFinal(answer) ? "N" : "S"
    case "Throttle":
      return "T"
    case "Reset":
      return "R"
    case "Hang":
      return "H"
  }
}

/**
 * Whether no other request would be answered differently.
 *
 * @category guards
 */
export const isFinal = (answer: Answer): boolean =>
  answer._tag === "Status" && answer.status >= 400 && answer.status < 500

/**
 * @category guards
 */
export const isSuccess = (answer: Answer): boolean => answer._tag === "Status" && answer.status < 300
