/**
 * What a gRPC throttle counts, in thousandths of a token: sums of three-decimal ratios stay exact.
 */
import * as Argument from "../accept/Argument.ts"
import type { Verdict } from "../classify/Verdict.ts"

/** Options of every gRPC throttle, in gRPC's own words as far as it has them. */
export interface Options {
  /** A whole number from 1 to 1000; also the level at the start. */
  readonly maxTokens: number
  /** What a success puts in; at least 0.001, and decimals beyond the third are cut off. */
  readonly tokenRatio: number
  /** Which failures take a token. @default those with a retryable verdict */
  readonly counts?: (verdict: Verdict) => boolean
}

export interface GrpcCount {
  readonly capacity: number
  /** What a success puts in. */
  readonly ratio: number
  readonly counts: (verdict: Verdict) => boolean
}

/** A token, which is what a failure takes. */
export const token = 1000

/** Checks the options. */
export const check = (owner: string, options: Options): GrpcCount => {
  const maxTokens = Argument.number(owner, "maxTokens", options.maxTokens, { min: 1, max: 1000, integer: true })
  const tokenRatio = Argument.number(owner, "tokenRatio", options.tokenRatio, { min: 0.001 })
  return {
    capacity: maxTokens * token,
    ratio: Math.floor(tokenRatio * token + 1e-9),
    counts: options.counts ?? isRetryable
  }
}

const isRetryable = (verdict: Verdict): boolean => verdict._tag === "Retryable"
