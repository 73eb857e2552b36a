/**
 * What clients of gRPC do under a service config, as a table that any client can be run through.
 *
 * Sources: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, and the tests of
 * https://github.com/grpc/grpc-go/blob/master/test/retry_test.go and
 * https://github.com/grpc/grpc-node/blob/master/packages/grpc-js/test/test-retry.ts.
 */
import type { StatusCode } from "@effect-retry/grpc"
import type * as GrpcClient from "./Client.ts"
import * as Refusals from "./Refusals.ts"
import * as GrpcServer from "./Server.ts"

type Code = StatusCode.StatusCode

/** What became of the calls, and which attempts the server saw of them. */
export interface Seen {
  /** For every call the code that the caller was given, and the index of the attempt that it came from. */
  readonly calls: ReadonlyArray<readonly [code: Code | undefined, index: number | undefined]>
  /** The header `grpc-previous-rpc-attempts` of every attempt in the order of arrival, "-" if there is none. */
  readonly attempts: string
  /** The attempts that were cancelled, by index. */
  readonly cancelled?: ReadonlyArray<number>
  /** The attempts that were answered, and had other requests than the caller sent. */
  readonly torn?: ReadonlyArray<number>
}

interface Departure {
  readonly why: string
  readonly seen: Seen
}

export interface Case {
  readonly name: string
  readonly config: ServiceConfig
  readonly answer: (index: number) => GrpcServer.Answer
  /** @default that of `GrpcServer` */
  readonly serve?: typeof GrpcServer.serve
  /** One after the other. @default one unary call */
  readonly calls?: ReadonlyArray<GrpcClient.Call>
  /** Most attempts of a call that the client allows. @default 5 */
  readonly maxAttemptsLimit?: number
  /** Bytes of requests that the client keeps for one call. @default 1 MiB */
  readonly bufferBytes?: number
  readonly seen: Seen
  /** What `@grpc/grpc-js` does if it does not do what the text says. */
  readonly grpcJs?: Departure
  /** What `Interceptor` does if it does not. */
  readonly interceptor?: Departure
}

type ServiceConfig = Readonly<Record<string, unknown>>

const all = [{}]

/** With delays that are as good as none: what they are is a matter of virtual time. */
const retryingAll = (policy: ServiceConfig): ServiceConfig => ({
  name: all,
  retryPolicy: {
    maxAttempts: 4,
    initialBackoff: "0.001s",
    maxBackoff: "0.001s",
    backoffMultiplier: 1,
    retryableStatusCodes: ["UNAVAILABLE"],
    ...policy
  }
})

const throttledBy = (throttling: ServiceConfig | undefined): ServiceConfig =>
  throttling === undefined ? {} : { retryThrottling: throttling }

export const retrying = (policy: ServiceConfig, throttling?: ServiceConfig): ServiceConfig => ({
  methodConfig: [retryingAll(policy)],
  ...throttledBy(throttling)
})

export const hedging = (policy: ServiceConfig, throttling?: ServiceConfig): ServiceConfig => ({
  methodConfig: [{ name: all, hedgingPolicy: { maxAttempts: 3, nonFatalStatusCodes: ["UNAVAILABLE"], ...policy } }],
  ...throttledBy(throttling)
})

/** One answer after the other, the last one again and again. */
export const answers =
  (...given: readonly [GrpcServer.Answer, ...ReadonlyArray<GrpcServer.Answer>]) =>
  (index: number): GrpcServer.Answer =>
    given[index] ?? given.at(-1) ?? given[0]

export const ok: GrpcServer.Answer = {}
export const busy: GrpcServer.Answer = { code: "UNAVAILABLE" }
const broken: GrpcServer.Answer = { code: "INTERNAL" }
const pushedBack = (...pushback: ReadonlyArray<string>): GrpcServer.Answer => ({ ...busy, pushback })
export const refused: GrpcServer.Answer = { refused: true }
export const never: GrpcServer.Answer = { arrived: Infinity }

/** A wait that no test lives to see the end of. */
export const unending = "1000s"

const calls = (count: number): ReadonlyArray<GrpcClient.Call> => Array.from({ length: count }, () => ({}))

const retries: ReadonlyArray<Case> = [
  {
    name: "retries codes of the policy, and gives back others and the last",
    config: retrying({ retryableStatusCodes: ["ALREADY_EXISTS"] }),
    answer: (index) => {
      if ([0, 2, 5].includes(index)) return ok
      return [6, 8, 11].includes(index) ? broken : { code: "ALREADY_EXISTS" }
    },
    calls: calls(7),
    seen: {
      calls: [
        ["OK", 0],
        ["OK", 2],
        ["OK", 5],
        ["INTERNAL", 6],
        ["INTERNAL", 8],
        ["INTERNAL", 11],
        ["ALREADY_EXISTS", 15]
      ],
      attempts: "-  -1  -12  -  -1  -12  -123"
    }
  },
  {
    name: "knows codes by number and by name in small letters",
    config: retrying({ retryableStatusCodes: ["aborted", 14] }),
    answer: answers({ code: "ABORTED" }, busy, broken),
    seen: { calls: [["INTERNAL", 2]], attempts: "-12" }
  },
  {
    name: "makes five attempts at most",
    config: retrying({ maxAttempts: 10 }),
    answer: answers(busy),
    seen: { calls: [["UNAVAILABLE", 4]], attempts: "-1234" }
  },
  {
    name: "makes as many attempts as the client allows",
    config: retrying({ maxAttempts: 10 }),
    maxAttemptsLimit: 8,
    answer: (index) => (index < 7 ? busy : ok),
    seen: { calls: [["OK", 7]], attempts: "-1234567" }
  },
  {
    name: "retries methods that the config names",
    config: {
      methodConfig: [{ ...retryingAll({}), name: [{ service: "test.Service", method: "Other" }] }]
    },
    answer: answers(busy),
    calls: [{}, { path: GrpcServer.paths.other }],
    seen: {
      calls: [
        ["UNAVAILABLE", 0],
        ["UNAVAILABLE", 4]
      ],
      attempts: "-  -123"
    }
  }
]

const throttled: ReadonlyArray<Case> = [
  {
    name: "makes retries above half of the tokens alone",
    config: retrying({ maxAttempts: 4 }, { maxTokens: 10, tokenRatio: 0.5 }),
    answer: (index) => ([0, 3, 6, 10, 11, 12, 13, 14, 16, 18].includes(index) ? ok : busy),
    calls: calls(12),
    seen: {
      calls: [
        ["OK", 0],
        ["OK", 3],
        ["OK", 6],
        ["UNAVAILABLE", 8],
        ["UNAVAILABLE", 9],
        ["OK", 10],
        ["OK", 11],
        ["OK", 12],
        ["OK", 13],
        ["OK", 14],
        ["OK", 16],
        ["UNAVAILABLE", 17]
      ],
      attempts: "-  -12  -12  -1  -  -  -  -  -  -  -1  -"
    }
  },
  {
    name: "throttles all methods of a server together",
    config: retrying({}, { maxTokens: 4, tokenRatio: 0.001 }),
    answer: answers(busy),
    calls: [{}, { path: GrpcServer.paths.other }],
    seen: {
      calls: [
        ["UNAVAILABLE", 1],
        ["UNAVAILABLE", 2]
      ],
      attempts: "-1  -"
    }
  },
  {
    name: "takes no token for a code that is not retryable",
    config: retrying({}, { maxTokens: 4, tokenRatio: 0.001 }),
    answer: answers(broken, broken, busy, ok),
    calls: calls(3),
    seen: {
      calls: [
        ["INTERNAL", 0],
        ["INTERNAL", 1],
        ["OK", 3]
      ],
      attempts: "-  -  -1"
    }
  },
  {
    name: "takes a token for a failure that forbids retries",
    config: retrying({}, { maxTokens: 4, tokenRatio: 0.001 }),
    answer: answers(pushedBack("-1"), busy),
    calls: calls(2),
    seen: {
      calls: [
        ["UNAVAILABLE", 0],
        ["UNAVAILABLE", 1]
      ],
      attempts: "-  -"
    }
  },
  {
    name: "takes a token for a code that is not retryable and forbids retries",
    config: retrying({}, { maxTokens: 4, tokenRatio: 0.001 }),
    answer: answers({ ...broken, pushback: ["-1"] }, busy),
    calls: calls(2),
    seen: {
      calls: [
        ["INTERNAL", 0],
        ["UNAVAILABLE", 1]
      ],
      attempts: "-  -"
    },
    grpcJs: {
      why: "takes none",
      seen: {
        calls: [
          ["INTERNAL", 0],
          ["UNAVAILABLE", 2]
        ],
        attempts: "-  -1"
      }
    }
  },
  {
    name: "throttles a retry whatever the server pushes back",
    config: retrying({}, { maxTokens: 2, tokenRatio: 0.001 }),
    answer: answers(pushedBack("1"), ok),
    seen: { calls: [["UNAVAILABLE", 0]], attempts: "-" }
  }
]

const pushedBacks: ReadonlyArray<Case> = [
  {
    name: "retries after what the server pushes back instead of the back-off",
    config: retrying({ initialBackoff: unending, maxBackoff: unending }),
    answer: answers(pushedBack("1"), ok),
    seen: { calls: [["OK", 1]], attempts: "-1" }
  },
  {
    name: "retries at once where the server pushes back by nothing",
    config: retrying({ initialBackoff: unending, maxBackoff: unending }),
    answer: answers(pushedBack("0"), ok),
    seen: { calls: [["OK", 1]], attempts: "-1" }
  },
  {
    name: "starts the back-off over after a push back",
    config: retrying({ maxBackoff: unending, backoffMultiplier: 1_000_000 }),
    answer: answers(busy, pushedBack("1"), busy, ok),
    seen: { calls: [["OK", 3]], attempts: "-123" }
  },
  {
    name: "makes no more attempts for a push back",
    config: retrying({ maxAttempts: 3 }),
    answer: answers(pushedBack("1")),
    seen: { calls: [["UNAVAILABLE", 2]], attempts: "-12" }
  },
  {
    name: "does not retry where the server forbids it",
    config: retrying({}),
    answer: answers(pushedBack("-1"), ok),
    seen: { calls: [["UNAVAILABLE", 0]], attempts: "-" }
  },
  {
    name: "does not retry for a push back of a code that is not retryable",
    config: retrying({}),
    answer: answers({ ...broken, pushback: ["1"] }, ok),
    seen: { calls: [["INTERNAL", 0]], attempts: "-" }
  },
  ...[["xxx"], [""], ["1.5"], ["1", "1"]].map((values): Case => ({
    name: `does not retry for a push back of ${JSON.stringify(values)}`,
    config: retrying({}),
    answer: answers(pushedBack(...values), ok),
    seen: { calls: [["UNAVAILABLE", 0]], attempts: "-" },
    grpcJs: { why: "reads the first value with parseInt", seen: { calls: [["OK", 1]], attempts: "-1" } }
  }))
]

const streams: ReadonlyArray<Case> = [
  {
    name: "sends all requests and the end of them again",
    config: retrying({}),
    answer: answers(busy, busy, ok),
    calls: [{ kind: "client stream", requests: ["a", "b", "c"] }],
    seen: { calls: [["OK", 2]], attempts: "-12" }
  },
  {
    name: "retries a stream of both directions before the first response",
    config: retrying({}),
    answer: answers(busy, { messages: 2 }),
    calls: [{ kind: "both streams", requests: ["a", "b"] }],
    seen: { calls: [["OK", 1]], attempts: "-1" }
  },
  {
    name: "retries a stream of responses before the first",
    config: retrying({}),
    answer: answers(busy, { messages: 3 }),
    calls: [{ kind: "server stream" }],
    seen: { calls: [["OK", 1]], attempts: "-1" }
  },
  {
    name: "does not retry after a response",
    config: retrying({}),
    answer: answers({ ...busy, messages: 1 }, ok),
    calls: [{ kind: "server stream" }],
    seen: { calls: [["UNAVAILABLE", 0]], attempts: "-" }
  },
  {
    name: "does not retry after the headers of a response",
    config: retrying({}),
    answer: answers({ ...busy, headers: true }, ok),
    seen: { calls: [["UNAVAILABLE", 0]], attempts: "-" }
  },
  {
    name: "takes no token for a failure after the headers",
    config: retrying({}, { maxTokens: 4, tokenRatio: 0.001 }),
    answer: answers({ ...busy, headers: true }, { ...busy, headers: true }, busy, ok),
    calls: calls(3),
    seen: {
      calls: [
        ["UNAVAILABLE", 0],
        ["UNAVAILABLE", 1],
        ["OK", 3]
      ],
      attempts: "-  -  -1"
    }
  },
  {
    name: "does not retry requests larger than the buffer",
    config: retrying({}),
    answer: answers(busy),
    // Each request has a frame of five bytes.
    bufferBytes: 14,
    calls: [{ requests: ["0123456789"] }, { kind: "client stream", requests: ["", "01234"] }],
    seen: {
      calls: [
        ["UNAVAILABLE", 0],
        ["UNAVAILABLE", 1]
      ],
      attempts: "-  -"
    }
  },
  {
    name: "retries requests that just fit the buffer",
    config: retrying({}),
    answer: answers(busy, ok, busy, ok),
    bufferBytes: 15,
    calls: [{ requests: ["0123456789"] }, { kind: "client stream", requests: ["", "01234"] }],
    seen: {
      calls: [
        ["OK", 1],
        ["OK", 3]
      ],
      attempts: "-1  -1"
    }
  }
]

/** A stream that no code of the application saw: sent again once without counting, and then as any failure. */
const refusals: ReadonlyArray<Case> = [
  {
    name: "sends a refused stream again without a policy",
    config: {},
    answer: answers(refused, ok),
    serve: Refusals.serve,
    seen: { calls: [["OK", 1]], attempts: "--" }
  },
  {
    name: "sends a refused stream again without the policy, and then under it",
    config: retrying({}),
    answer: answers(refused, refused, busy, ok),
    serve: Refusals.serve,
    seen: { calls: [["OK", 3]], attempts: "--12" }
  },
  {
    name: "does not count the first refused stream as an attempt",
    config: retrying({ maxAttempts: 2 }),
    answer: answers(refused),
    serve: Refusals.serve,
    seen: { calls: [["UNAVAILABLE", undefined]], attempts: "--1" },
    interceptor: {
      why: "the client sends each attempt of the interceptor again once",
      seen: { calls: [["UNAVAILABLE", undefined]], attempts: "--11" }
    }
  },
  {
    name: "takes no token for the first refused stream",
    config: retrying({}, { maxTokens: 4, tokenRatio: 0.001 }),
    answer: answers(refused, ok, refused, ok, busy, ok),
    serve: Refusals.serve,
    calls: calls(3),
    seen: {
      calls: [
        ["OK", 1],
        ["OK", 3],
        ["OK", 5]
      ],
      attempts: "--  --  -1"
    }
  }
]

const expired: Seen = { calls: [["DEADLINE_EXCEEDED", undefined]], attempts: "-" }

/** What happens under a deadline, given in milliseconds, that leaves time for the attempts. */
export const deadlines = (millis: number): ReadonlyArray<Case> => [
  {
    name: "has one deadline for all attempts",
    config: retrying({}),
    answer: answers(busy, never),
    calls: [{ deadline: millis }],
    seen: { calls: [["DEADLINE_EXCEEDED", undefined]], attempts: "-1", cancelled: [1] }
  },
  {
    name: "has the timeout of its method for all attempts",
    config: { methodConfig: [{ ...retryingAll({}), timeout: seconds(millis) }] },
    answer: answers(busy, never),
    seen: { calls: [["DEADLINE_EXCEEDED", undefined]], attempts: "-1", cancelled: [1] }
  },
  {
    name: "does not wait for a retry after the deadline",
    config: retrying({ initialBackoff: unending, maxBackoff: unending }),
    answer: answers(busy),
    calls: [{ deadline: millis }],
    seen: { calls: [["UNAVAILABLE", 0]], attempts: "-" },
    grpcJs: { why: "waits until the deadline", seen: expired }
  },
  {
    name: "does not wait for a retry that has no token",
    config: retrying({ initialBackoff: unending, maxBackoff: unending }, { maxTokens: 2, tokenRatio: 1 }),
    answer: answers(busy),
    calls: [{ deadline: millis }],
    seen: { calls: [["UNAVAILABLE", 0]], attempts: "-" },
    grpcJs: { why: "asks for tokens after the wait", seen: expired }
  },
  {
    name: "does not wait for a hedge after the deadline",
    config: hedging({ hedgingDelay: unending }),
    answer: answers(pushedBack("1000000")),
    calls: [{ deadline: millis }],
    seen: { calls: [["UNAVAILABLE", 0]], attempts: "-" },
    grpcJs: { why: "waits until the deadline", seen: expired }
  },
  {
    name: "holds hedges back as long as the server asks",
    config: hedging({ hedgingDelay: seconds(millis / 4) }),
    answer: answers(pushedBack("1000000"), ok),
    calls: [{ deadline: millis }],
    seen: { calls: [["UNAVAILABLE", 0]], attempts: "-" },
    grpcJs: { why: "sends the one that was due all the same", seen: { calls: [["OK", 1]], attempts: "-1" } }
  },
  {
    name: "does not wait for what the server pushes back with the last attempt",
    config: hedging({ hedgingDelay: unending, maxAttempts: 2 }),
    answer: answers(busy, pushedBack("1000000")),
    calls: [{ deadline: millis }],
    seen: { calls: [["UNAVAILABLE", 1]], attempts: "-1" },
    grpcJs: { why: "waits as if there were an attempt to come", seen: { ...expired, attempts: "-1" } }
  },
  {
    name: "leaves running what runs where the server forbids further attempts",
    config: hedging({}),
    answer: (index) => (index === 1 ? { ...pushedBack("-1"), arrived: 3 } : never),
    calls: [{ deadline: millis }],
    seen: { calls: [["DEADLINE_EXCEEDED", undefined]], attempts: "-12", cancelled: [0, 2] },
    grpcJs: {
      why: "gives up the others",
      seen: { calls: [["UNAVAILABLE", 1]], attempts: "-12", cancelled: [0, 2] }
    }
  }
]

/** With nine decimals: grpc-js reads fewer as that many nanoseconds. */
const seconds = (millis: number): string => `${(millis / 1000).toFixed(9)}s`

const hedges: ReadonlyArray<Case> = [
  {
    name: "sends all attempts at once without a delay, and cancels those that lose",
    config: hedging({}),
    answer: (index) => (index === 1 ? { arrived: 3 } : never),
    seen: { calls: [["OK", 1]], attempts: "-12", cancelled: [0, 2] }
  },
  {
    name: "sends the next attempt at once after a failure that is not fatal",
    config: hedging({ hedgingDelay: unending }),
    answer: answers(busy, busy, ok),
    seen: { calls: [["OK", 2]], attempts: "-12" }
  },
  {
    name: "gives back the last failure where all fail",
    config: hedging({ hedgingDelay: unending }),
    answer: answers(busy),
    seen: { calls: [["UNAVAILABLE", 2]], attempts: "-12" }
  },
  {
    name: "sends the next attempt after what the server pushes back",
    config: hedging({ hedgingDelay: unending }),
    answer: answers(pushedBack("1"), ok),
    seen: { calls: [["OK", 1]], attempts: "-1" }
  },
  {
    name: "fails with a fatal failure, and cancels the others",
    config: hedging({}),
    answer: (index) => (index === 1 ? { ...broken, arrived: 3 } : never),
    seen: { calls: [["INTERNAL", 1]], attempts: "-12", cancelled: [0, 2] }
  },
  {
    name: "sends no further attempt where the server forbids it",
    config: hedging({ hedgingDelay: unending }),
    answer: answers(pushedBack("-1"), ok),
    seen: { calls: [["UNAVAILABLE", 0]], attempts: "-" }
  },
  {
    name: "sends the first attempt alone where tokens are at half",
    config: hedging({ hedgingDelay: unending }, { maxTokens: 2, tokenRatio: 0.001 }),
    answer: answers(busy),
    calls: calls(2),
    seen: {
      calls: [
        ["UNAVAILABLE", 0],
        ["UNAVAILABLE", 1]
      ],
      attempts: "-  -"
    },
    grpcJs: {
      why: "does not ask for tokens before it hedges",
      seen: {
        calls: [
          ["UNAVAILABLE", 2],
          ["UNAVAILABLE", 5]
        ],
        attempts: "-12  -12"
      }
    }
  }
]

export const cases: ReadonlyArray<Case> = [...retries, ...throttled, ...pushedBacks, ...streams, ...refusals, ...hedges]
