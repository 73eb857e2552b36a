/**
 * What hedges of other libraries do, step by step, and what ours do under the same settings.
 */
import type { Duration } from "effect"
import type { Script } from "./Hedging.ts"

interface Row {
  readonly id: string
  readonly maxAttempts: number
  readonly delay: Duration.DurationInput
  readonly script: Script
  /** Tokens of the budget. @default no limit */
  readonly tokens?: number
  /** What the library does: when attempts start, end and are interrupted (`x`), and which of them it answers or fails with. */
  readonly steps: string
  /** What ours does, if that differs. */
  readonly ours?: string
  readonly because?: string
}

const millis = (delay: number) => ({ maxAttempts: 2, delay: `${delay} millis` }) as const

const lastFailure = "the last failure is the newest that is known of the server"

/** Polly 8.7, https://www.pollydocs.org/strategies/hedging, from its documentation and source, read on 2026-11-24. */
export const polly: ReadonlyArray<Row> = [
  {
    id: "latency mode: the second answers first",
    ...millis(100),
    script: { 1: [300, "ok"], 2: [50, "ok"] },
    steps: "1@0 2@100 2ok@150 1x@150 answers 2"
  },
  {
    id: "latency mode: the first answers in time",
    ...millis(100),
    script: { 1: [80, "ok"] },
    steps: "1@0 1ok@80 answers 1"
  },
  {
    id: "parallel mode: all at once",
    maxAttempts: 3,
    delay: 0,
    script: { 1: [90, "ok"], 2: [40, "ok"], 3: [90, "ok"] },
    steps: "1@0 2@0 3@0 2ok@40 1x@40 3x@40 answers 2"
  },
  {
    id: "fallback mode: the next one after a failure only",
    maxAttempts: 3,
    delay: Infinity,
    script: { 1: [130, "pass"], 2: [10, "ok"] },
    steps: "1@0 1pass@130 2@130 2ok@140 answers 2"
  },
  {
    id: "a failure that is handled starts the next one at once",
    maxAttempts: 3,
    delay: "100 millis",
    script: { 1: [30, "pass"], 3: [10, "ok"] },
    steps: "1@0 1pass@30 2@30 3@130 3ok@140 2x@140 answers 3"
  },
  {
    id: "an outcome that is not handled is the result",
    maxAttempts: 3,
    delay: "100 millis",
    script: { 2: [20, "fatal"] },
    steps: "1@0 2@100 2fatal@120 1x@120 fails with 2"
  },
  {
    id: "all fail",
    ...millis(100),
    script: { 1: [150, "pass"], 2: [80, "pass"] },
    steps: "1@0 2@100 1pass@150 2pass@180 fails with 1",
    ours: "1@0 2@100 1pass@150 2pass@180 fails with 2",
    because: lastFailure
  }
]

/** failsafe-go 0.9.7, https://failsafe-go.dev/hedge/, from its documentation, source and tests, read on 2026-11-24. */
export const failsafeGo: ReadonlyArray<Row> = [
  {
    id: "the second answers first",
    ...millis(100),
    script: { 1: [300, "ok"], 2: [50, "ok"] },
    steps: "1@0 2@100 2ok@150 1x@150 answers 2"
  },
  {
    id: "the first result, a failure too",
    ...millis(100),
    script: { 1: [150, "pass"], 2: [200, "ok"] },
    steps: "1@0 2@100 1pass@150 2x@150 fails with 1",
    ours: "1@0 2@100 1pass@150 2ok@300 answers 2",
    because: "a retryable failure says that another attempt can succeed, and one is under way"
  },
  {
    id: "a failure that does not end it brings the next one not forward",
    maxAttempts: 3,
    delay: "100 millis",
    script: { 1: [30, "pass"], 3: [10, "ok"] },
    steps: "1@0 1pass@30 2@100 3@200 3ok@210 2x@210 answers 3",
    ours: "1@0 1pass@30 2@30 3@130 3ok@140 2x@140 answers 3",
    because: "there is nothing to wait for once no attempt is under way"
  },
  {
    id: "a budget that is spent",
    ...millis(100),
    script: { 1: [300, "ok"] },
    tokens: 0,
    steps: "1@0 1ok@300 answers 1"
  },
  {
    id: "a budget for one hedge",
    maxAttempts: 3,
    delay: "100 millis",
    script: { 1: [400, "ok"] },
    tokens: 1,
    steps: "1@0 2@100 1ok@400 2x@400 answers 1"
  }
]
