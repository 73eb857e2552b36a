/**
 * The verdict on a status, for a call that may be retried after some codes.
 */
import { Verdict } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Predicate from "effect/Predicate"
import * as StatusCode from "../accept/StatusCode.ts"
import type { Status } from "./Status.ts"

/**
 * How to use a wait that the server asks for: as the hint of a failure that is retryable anyway, as a reason to retry
 * any failure, or not at all.
 *
 * @category models
 */
export type ServerDelay = (typeof serverDelays)[number]

/** The rules by their names. */
export const serverDelays = ["hint", "retry", "ignore"] as const

/**
 * The options of a classifier for gRPC.
 *
 * @category models
 */
export interface Options {
  /** The retryable codes of a method. */
  readonly codes: ReadonlyArray<StatusCode.StatusCode>
  /**
   * The trailer `grpc-retry-pushback-ms`. `"retry"` is what grpc-java does with a value from 0 on, `"hint"` what
   * grpc-go does. Unless it is ignored, a value that is negative or not a number, or a second value, forbids a retry.
   * @default "hint"
   */
  readonly pushback?: ServerDelay | undefined
}

/** Checked options with their defaults. */
export interface Rules {
  readonly codes: ReadonlyArray<StatusCode.StatusCode>
  readonly pushback: ServerDelay
}

/** Checks the options. */
export const rules = (owner: string, options: Options): Rules => {
  if (!Predicate.isRecord(options)) return Argument.refuse(owner, "options", "a record", options)
  const { codes, pushback = "hint" } = options
  if (!Array.isArray(codes)) return Argument.refuse(owner, "codes", "a list of names", codes)
  return {
    codes: codes.map((code, index) => Argument.oneOf(owner, `codes[${index}]`, code, StatusCode.names)),
    pushback: Argument.oneOf(owner, "pushback", pushback, serverDelays)
  }
}

/** The verdict on a failure; no opinion on one without a code. */
export const judge = ({ codes, pushback }: Rules, status: Status): Verdict.Verdict => {
  const { code, pushback: asked } = status
  if (asked === "never" && pushback !== "ignore") return forbidden(code)
  if (code === undefined) return Verdict.noOpinion
  const verdict = codes.includes(code) ? Verdict.retryable(kindOf(code)) : Verdict.terminal(code, { kind: kinds[code] })
  return asked === "never" ? verdict : delayed(verdict, pushback, asked, kindOf(code))
}

/**
 * Adds the wait that the server asks for, in milliseconds, to a verdict. A failure that becomes retryable by it gets
 * this `kind`.
 */
export const delayed = (
  verdict: Verdict.Verdict,
  rule: ServerDelay,
  hint: number | undefined,
  kind: Verdict.Kind
): Verdict.Verdict => {
  if (rule === "ignore" || hint === undefined) return verdict
  if (verdict._tag === "Retryable") return Verdict.retryable(verdict.kind, { hint })
  return rule === "retry" ? Verdict.retryable(kind, { hint }) : verdict
}

/** Marks a verdict: another classifier may use the same text, and this text may change. */
const forbids: unique symbol = /*#__PURE__*/ Symbol.for("@effect-retry/grpc/StatusVerdict/forbids")

interface Forbidden extends Verdict.Terminal {
  readonly [forbids]: true
}

/** The verdict on a failure with which the server asks the client not to retry. */
const forbidden = (code: StatusCode.StatusCode | undefined): Forbidden => ({
  ...Verdict.terminal("grpc-retry-pushback-ms forbids a retry", { kind: code && kinds[code] }),
  [forbids]: true
})

/** Whether the server asked the client not to retry, whichever classifier or combinator passed the verdict on. */
export const isForbidden = (verdict: Verdict.Verdict): boolean => Predicate.hasProperty(verdict, forbids)

/** The kinds that buckets and rate limiters are told; none for codes that blame the call itself. */
const kinds: { readonly [Code in StatusCode.StatusCode]?: Verdict.Kind } = {
  UNKNOWN: "Server",
  DEADLINE_EXCEEDED: "Timeout",
  RESOURCE_EXHAUSTED: "Throttling",
  ABORTED: "Client",
  INTERNAL: "Server",
  UNAVAILABLE: "Transient",
  DATA_LOSS: "Server"
}

/** The kind of a retried failure, whatever its code. */
export const kindOf = (code: StatusCode.StatusCode): Verdict.Kind => kinds[code] ?? "Client"
