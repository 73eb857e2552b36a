/**
 * Functions from a failure to a verdict, and their composition.
 *
 * The caller says what is retryable: whatever no classifier knows is not retried.
 */
import type { Duration } from "effect"
import { dual } from "effect/Function"
import * as Verdict from "./Verdict.ts"

/**
 * Judges a failure.
 *
 * @category models
 */
export interface Classifier<in E> {
  (error: E): Verdict.Verdict
}

/**
 * A verdict, or a function that reads it from the error.
 *
 * @category models
 */
export type Case<E> = Verdict.Verdict | Classifier<E>

/**
 * One case per tag of the error union `E`; tags left out have no opinion.
 *
 * @category models
 */
export type Cases<E> = {
  readonly [Tag in Extract<E, Tagged>["_tag"]]?: Case<Extract<E, { readonly _tag: Tag }>>
}

/**
 * An error with a tag, such as a `Data.TaggedError`.
 *
 * @category models
 */
export interface Tagged {
  readonly _tag: string
}

type FromCases<C> = {
  [Tag in keyof C]: C[Tag] extends (error: infer E) => Verdict.Verdict ? E : { readonly _tag: Tag }
}[keyof C]

/**
 * Retries nothing. The last of a chain, and the only safe default.
 *
 * @category constructors
 */
export const never: Classifier<unknown> = () => Verdict.terminal("nothing is retryable")

/**
 * Retries everything, as a passing fault. For effects whose every failure was chosen to mean "again".
 *
 * @category constructors
 */
export const always: Classifier<unknown> = () => Verdict.transient

/**
 * `verdict` where the predicate holds, no opinion elsewhere.
 *
 * @category constructors
 */
export const fromPredicate =
  <E>(predicate: (error: E) => boolean, verdict: Verdict.Verdict = Verdict.transient): Classifier<E> =>
  (error) =>
    predicate(error) ? verdict : Verdict.noOpinion

/**
 * Judges tagged errors by their `_tag`. A case written as a function sees the error narrowed to its tag.
 *
 * Outside a pipe or a call that knows the error, name the union: `Classifier.fromTags<ApiError>({ ... })`.
 *
 * @category constructors
 */
export const fromTags: {
  <E = Tagged>(cases: Cases<E>): Classifier<E>
  <C extends { readonly [tag: string]: Case<never> }>(cases: C): Classifier<FromCases<C>>
} =
  (cases: { readonly [tag: string]: Case<never> | undefined }): Classifier<unknown> =>
  (error) => {
    const found = isTagged(error) && Object.hasOwn(cases, error._tag) ? cases[error._tag] : undefined
    return found === undefined ? Verdict.noOpinion : typeof found === "function" ? found(error as never) : found
  }

/**
 * The first opinion of a list. Associative, with a classifier of no opinion as identity.
 *
 * @category combinators
 */
export const firstOf =
  <E>(...classifiers: ReadonlyArray<Classifier<E>>): Classifier<E> =>
  (error) => {
    for (const classifier of classifiers) {
      const verdict = classifier(error)
      if (verdict._tag !== "NoOpinion") return verdict
    }
    return Verdict.noOpinion
  }

/**
 * Reads from the error how long the server asked us to wait, and attaches it to a retryable verdict.
 *
 * @category combinators
 */
export const withHint: {
  <E>(hint: (error: E) => Duration.DurationInput | undefined): (self: Classifier<E>) => Classifier<E>
  <E>(self: Classifier<E>, hint: (error: E) => Duration.DurationInput | undefined): Classifier<E>
} = /*#__PURE__*/ dual(
  2,
  <E>(self: Classifier<E>, hint: (error: E) => Duration.DurationInput | undefined): Classifier<E> =>
    (error) => {
      const verdict = self(error)
      return verdict._tag === "Retryable" ? Verdict.withHint(verdict, hint(error)) : verdict
    }
)

const isTagged = (error: unknown): error is Tagged =>
  typeof error === "object" && error !== null && "_tag" in error && typeof error._tag === "string"
