/**
 * The clients that are compared, as one function each.
 */
import type { Listener } from "./Waits.ts"

/** The request, in terms that every client knows. */
export interface Call {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body | undefined
  readonly signal: AbortSignal
  /** The delay between attempts, for clients that let it be chosen. */
  readonly delayMillis: number
  /** Limits one attempt, if given. */
  readonly timeoutMillis: number | undefined
  /** The response is a download, for clients that have a way of their own for those. */
  readonly isDownload: boolean
  /** Is told of waits; only clients with their own clock need it. */
  readonly listener: Listener
}

/** A stream can be read once, and is one of the web or of Node, as the client wants it. */
export type Body =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Stream"; readonly text: string }
  | { readonly _tag: "Form"; readonly form: FormData }

export interface Client {
  /** The head of its column, in Markdown. */
  readonly name: string
  /** The package that it comes from, as the manifest of this one names it. */
  readonly from: string
  /** How it is configured, as code. */
  readonly settings: string
  /** Sends one request and reads its response to the end; what it resolves or rejects with is not compared. */
  readonly send: (call: Call) => Promise<unknown>
}

/** Attempts of every client, the first included. */
export const maxAttempts = 3
