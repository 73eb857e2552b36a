/**
 * What a client is asked to send, and how the server answers.
 */

/** How the server treats one request. */
export type Answer = Response | Broken

interface Response {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * - `close`, `reset`: the connection, before the status line.
 * - `closeInHeader`, `closeInBody`: the connection, half-way.
 * - `garbage`: something that is not HTTP.
 * - `silence`: nothing at all.
 */
type Broken = "close" | "reset" | "closeInHeader" | "closeInBody" | "garbage" | "silence"

/** The request that is to be answered. */
export interface Asked {
  /** From 1. */
  readonly count: number
  /** Where the scenario begins. */
  readonly start: string
  /** Whether the request came to the target of a redirect. */
  readonly isTarget: boolean
  /** The value of its header `Range`. */
  readonly range: string | undefined
}

interface Request {
  readonly method: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: "text" | "stream" | "form"
  /** The delay between attempts, for clients that let it be chosen. @default 1 */
  readonly delayMillis?: number
  /** Limits one attempt, if given. */
  readonly timeoutMillis?: number
  /** @default false */
  readonly isDownload?: boolean
}

export interface Scenario {
  /** In Markdown. */
  readonly name: string
  readonly request: Request
  /** `refused`: no server listens. */
  readonly answer: ((asked: Asked) => Answer) | "refused"
  /** What the server asks the client to wait. */
  readonly hintSeconds?: number
  /** The caller aborts when the client has begun to wait. */
  readonly isAborted?: boolean
}
