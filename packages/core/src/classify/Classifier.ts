/**
 * Functions from a failure to a verdict, and their composition.
 *
 * The caller says what is retryable: a failure that no classifier knows is not retried. A classifier made from tags, a
 * class or a guard has no opinion on errors that it does not know, so a library can export it as a value and a program
 * can use it for any union of errors.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Argument from "../accept/Argument.ts"
import { dual, type Given } from "../accept/Dual.ts"
import * as Judging from "./Judging.ts"
import type { Moment } from "./Moment.ts"
import * as Verdict from "./Verdict.ts"

export type { Moment } from "./Moment.ts"

/**
 * Judges a failure. A function of `unknown`, the default, fits every error.
 *
 * @category models
 */
export interface Classifier<in E = unknown> {
  (error: E, moment: Moment): Verdict.Verdict
}

/** A verdict, or a function that derives it from the error. */
type Case<E> = Verdict.Verdict | Classifier<E>

/** One case per tag of the error union `E`; tags left out have no opinion. */
type Cases<E> = {
  readonly [Tag in Extract<E, Tagged>["_tag"]]?: Case<Extract<E, { readonly _tag: Tag }>>
}

interface Tagged {
  readonly _tag: string
}

/** Stands for a classifier's error type when no context names it. */
interface NoUnion {
  readonly noUnion: unique symbol
}

type Loose = { readonly [tag: string]: Case<never> }

type HasUnion<E> = [E] extends [NoUnion] ? "no" : unknown extends E ? "no" : "yes"

/**
 * Judges tagged errors and has no opinion on others; `Known` holds what is read from the error of each tag. It fits
 * every union that has all of these tags, and an error of type `unknown`. Its signature is generic because a function
 * from only the known errors would be refused for a wider union.
 *
 * @category models
 */
export interface OfTags<Known> {
  <E>(error: Fitting<E, Known>, moment: Moment): Verdict.Verdict
  /** Exists only in types. */
  readonly [known]?: Known
  readonly [tags]?: keyof Known & string
}
declare const known: unique symbol
declare const tags: unique symbol

/** Why a classifier of tags cannot judge `E`; `never` if it can. */
type Misfit<E, Known> = {
  [Tag in keyof Known & string]: Tag extends TagOf<E>
    ? [Extract<E, { readonly _tag: Tag }>] extends [Known[Tag]]
      ? never
      : `the call fails with another error of the tag '${Tag}'`
    : `the call has no error of the tag '${Tag}'`
}[keyof Known & string]
type TagOf<E> = E extends { readonly _tag: infer Tag } ? Tag : never
/** Checks for a union first, so that the error of a generic function fits. */
type Fitting<E, Known> = HasUnion<E> extends "yes" ? ([Misfit<E, Known>] extends [never] ? E : Misfit<E, Known>) : E

/**
 * What several classifiers know by their tags; `unknown` if none of them was made from tags.
 *
 * @category models
 */
export type KnownBy<C> = (C extends unknown ? (all: KnownByOne<C>) => void : never) extends (all: infer Known) => void
  ? Known
  : never
type KnownByOne<C> = typeof known extends keyof C
  ? C extends { readonly [known]?: infer Known }
    ? Exclude<Known, undefined>
    : unknown
  : unknown

/**
 * The constraint on errors that classifiers of tags judge, equivalent to `Fitting`, which would be circular as a constraint.
 *
 * @category models
 */
export type Judgeable<E, Known> =
  HasUnion<E> extends "yes" ? ([Misfit<E, Known>] extends [never] ? unknown : Misfit<E, Known>) : unknown

type CasesOf<C, E> = HasUnion<E> extends "yes" ? Cases<E> : C
type FromTags<C, E> = HasUnion<E> extends "yes" ? Classifier<E> : OfTags<{ readonly [Tag in keyof C]: ReadBy<C[Tag]> }>
/** What a case reads from an error; a case that is a verdict reads nothing. */
type ReadBy<Case> = Case extends (error: infer E, ...rest: any) => Verdict.Verdict
  ? [E] extends [never]
    ? unknown
    : E
  : unknown

/**
 * Retries nothing: answers `Terminal` for every error. Put it last in a chain.
 *
 * @category constructors
 */
export const never: Classifier = () => nothing

const nothing: Verdict.Terminal = {
  _tag: "Terminal",
  why: "nothing is retryable",
  kind: /*#__PURE__*/ Option.none(),
  hint: /*#__PURE__*/ Option.none()
}

/**
 * Retries every error, as `Transient`. For effects where another attempt may cure any failure.
 *
 * @category constructors
 */
export const always: Classifier = () => Verdict.transient

/**
 * Gives `verdict` to errors for which the predicate holds, and has no opinion on others.
 *
 * @category constructors
 */
export const fromPredicate = <E>(
  predicate: (error: E, moment: Moment) => boolean,
  verdict: Verdict.Verdict = Verdict.transient
): Classifier<E> => madeOf([predicate], (error, moment) => (predicate(error, moment) ? verdict : Verdict.noOpinion))

/**
 * Judges tagged errors by their `_tag`. A case written as a function sees the error narrowed to its tag.
 *
 * Every tag must be one that the error can have: the error of the retried call, even if the classifier is a constant, or the
 * union that is named, as in `Classifier.fromTags<ApiError>({ … })`. A constant of type `Classifier.Classifier`, which a
 * library may export, judges any error, and its tags are not checked.
 *
 * @category constructors
 */
export const fromTags = <E = NoUnion, C extends Loose = Loose>(cases: CasesOf<C, E>): FromTags<C, E> => {
  const given: { readonly [tag: string]: Case<never> | undefined } = { ...(cases as C) }
  for (const [tag, found] of Object.entries(given)) checkCase("Classifier.fromTags", tag, found)
  return madeOf<unknown>(Object.values(given), (error, moment) => {
    const tag = tagOf(error)
    return tag !== undefined && Object.hasOwn(given, tag) ? judged(given[tag], error, moment) : Verdict.noOpinion
  }) as FromTags<C, E>
}

/**
 * Judges the instances of a class (`instanceof`); has no opinion on other errors.
 *
 * @category constructors
 */
export const fromClass = <Self>(
  type: abstract new (...args: never) => Self,
  verdict: Verdict.Verdict | Classifier<NoInfer<Self>>
): Classifier => {
  const guard = (error: unknown): error is Self => isOf(type, error)
  return judgedWhen("Classifier.fromClass", guard, verdict)
}

/**
 * Judges the errors that a guard recognises; has no opinion on others.
 *
 * @category constructors
 */
export const when = <Self>(
  guard: (error: unknown) => error is Self,
  verdict: Verdict.Verdict | Classifier<NoInfer<Self>>
): Classifier => judgedWhen("Classifier.when", guard, verdict)

const judgedWhen = <Self>(
  owner: string,
  guard: (error: unknown) => error is Self,
  verdict: Verdict.Verdict | Classifier<Self>
): Classifier => {
  checkCase(owner, "verdict", verdict)
  return madeOf([verdict], (error, moment) => (guard(error) ? judged(verdict, error, moment) : Verdict.noOpinion))
}

/**
 * Asks classifiers in order and takes the first opinion. Associative, with a classifier that has no opinion as identity.
 *
 * @category combinators
 */
export function firstOf<E = NoUnion, Tag extends string = never>(
  ...classifiers: ReadonlyArray<Classifier<OrUnknown<E>> & { readonly [tags]?: Tag }>
): HasUnion<E> extends "yes" ? Classifier<E> : FirstOf<Tag>
export function firstOf<E, U = NoUnion>(
  ...classifiers: ReadonlyArray<Classifier<E> & { readonly [tags]?: unknown }> & OnlyWithoutUnion<U>
): HasUnion<U> extends "yes" ? Classifier<U> : Classifier<E>
export function firstOf(...classifiers: ReadonlyArray<Classifier<any>>): Classifier<any> {
  for (const [i, classifier] of classifiers.entries()) {
    const toCall = Judging.uncalled(classifier)
    if (toCall !== "" || typeof classifier !== "function") {
      const allowed = `a function from error to verdict${toCall}`
      Argument.refuse("Classifier.firstOf", `classifiers[${i}]`, allowed, classifier)
    }
  }
  return madeOf<any>(classifiers, (error, moment) => {
    for (const classifier of classifiers) {
      const verdict = classifier(error, moment)
      // An answer that is no verdict is refused later, where the error is judged.
      if (verdict?._tag !== "NoOpinion") return verdict
    }
    return Verdict.noOpinion
  })
}
type FirstOf<Tag extends string> = [Tag] extends [never] ? Classifier : OfTags<{ readonly [T in Tag]: unknown }>
/** Accepts a classifier if no union is known: `E` is its default, `unknown`, `any`, or `never` (a policy without an effect yet). */
type OnlyWithoutUnion<E> = HasUnion<E> extends "yes" ? "each must judge the whole union, or be partial" : unknown
/** `E`, without being an inference site. `NoInfer` would also hide the contextual type from the arguments. */
type OrUnknown<E> = [Or<E>][E extends unknown ? 0 : never]
type Or<E> = E extends NoUnion ? unknown : E

/**
 * Reads from the error how long the server asked the client to wait, and attaches it to the verdict as a hint.
 *
 * @category combinators
 */
export function withHint<E>(
  hint: (error: E, moment: Moment) => Duration.DurationInput | undefined
): (self: Classifier<E>) => Classifier<E>
export function withHint<E>(
  self: Classifier<E>,
  hint: (error: E, moment: Moment) => Duration.DurationInput | undefined
): Classifier<E>
export function withHint(...given: Given): any {
  return dual(
    given,
    <E>(self: Classifier<E>, hint: (error: E, moment: Moment) => Duration.DurationInput | undefined): Classifier<E> =>
      madeOf<E>([self, hint], (error, moment) => {
        const verdict = self(error, moment)
        if (!Judging.isVerdict(verdict) || verdict._tag === "NoOpinion") return verdict
        return Verdict.withHint(verdict, hint(error, moment))
      })
  )
}

/** A classifier that declares a parameter for the moment only if one of its parts does. */
const madeOf = <E>(parts: ReadonlyArray<unknown>, judge: Classifier<E>): Classifier<E> =>
  parts.some((part) => typeof part === "function" && part.length > 1) ? judge : (error) => judge(error, unread)

const unread: Moment = { nowMillis: NaN, attempt: 0, elapsed: Duration.zero }

const judged = (found: Case<never> | undefined, error: unknown, moment: Moment): Verdict.Verdict =>
  found === undefined ? Verdict.noOpinion : typeof found === "function" ? found(error as never, moment) : found

const checkCase = (owner: string, field: string, found: unknown): void => {
  if (found === undefined) return
  const toCall = Judging.uncalled(found)
  if (toCall !== "" || (typeof found !== "function" && !Judging.isVerdict(found))) {
    Argument.refuse(owner, field, `a verdict or a function from error to verdict${toCall}`, found)
  }
}

/** The tag, read once; `undefined` if reading it throws: an error may be a proxy, or have a getter that throws. */
const tagOf = (error: unknown): string | undefined => {
  try {
    const tag = typeof error === "object" && error !== null && "_tag" in error ? error._tag : undefined
    return typeof tag === "string" ? tag : undefined
  } catch {
    return undefined
  }
}

const isOf = (type: abstract new (...args: never) => unknown, error: unknown): boolean => {
  try {
    return error instanceof type
  } catch {
    return false
  }
}
