/**
 * The rows of the table of load amplification, each with the value that theory gives.
 */
import { TokenBucket } from "@effect-retry/core"
import { Throttle } from "@effect-retry/grpc"
import type { Load } from "@effect-retry/plan"
import { immediately } from "./Clients.ts"

/** A client, and its attempts per request for a failure probability `p`. */
export interface Row extends Load.Client {
  readonly name: string
  readonly formula: (p: number) => number
}

const sumOfPowers = (p: number, retries: number): number =>
  Array.from({ length: retries }, (_, i) => p ** (i + 1)).reduce((sum, term) => sum + term, 0)

/** The rows of the table, in its order. */
export const rows: ReadonlyArray<Row> = [
  {
    name: "3 retries",
    policy: immediately(4),
    formula: (p) => 1 + sumOfPowers(p, 3)
  },
  {
    name: "success ratio 0.1",
    policy: immediately(4),
    bucket: TokenBucket.successRatio({ ratio: 0.1, capacity: 10 }),
    // A success credits the bucket even if a retry brought it about.
    formula: (p) => 1 + Math.min(sumOfPowers(p, 3), (0.1 * (1 - p)) / (1 - 0.1 * (1 - p)))
  },
  {
    name: "request ratio 0.1",
    policy: immediately(4),
    bucket: TokenBucket.requestRatio({ ratio: 0.1, floorPerSecond: 0 }),
    formula: (p) => 1 + Math.min(sumOfPowers(p, 3), 0.1)
  },
  {
    name: "request ratio 0.2 and 10 per second",
    policy: immediately(4),
    bucket: TokenBucket.requestRatio({ ratio: 0.2, floorPerSecond: 10 }),
    formula: (p) => 1 + Math.min(sumOfPowers(p, 3), 0.2 + 10 / perSecond)
  },
  {
    name: "quota 500, cost 5, increment 1",
    policy: immediately(3),
    bucket: TokenBucket.quota({ cost: { orElse: 5 } }),
    // Without a retry a success returns 1 token, a fifth of a retry; a retry's own cost comes back when it succeeds.
    formula: (p) => 1 + Math.min(p + p * p, (0.2 * (1 - p)) / p)
  },
  {
    name: "gRPC throttle (10, 0.1)",
    policy: immediately(4),
    bucket: Throttle.make({ maxTokens: 10, tokenRatio: 0.1 }),
    formula: (p) => (p / (1 - p) < 0.1 ? 1 + sumOfPowers(p, 3) : 1)
  },
  { name: "no retries", policy: immediately(1), formula: () => 1 }
]

/** Requests per second of the table's client. */
export const perSecond = 100
