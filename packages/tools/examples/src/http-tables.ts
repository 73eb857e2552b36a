import { answer, broken, exchange, ok } from "./http-scripted.ts"
// #region tables
import { Hint, Verdict } from "@effect-retry/core"
import { type HintHeader, HttpClassifier, HttpRetry } from "@effect-retry/http"
import type { HttpClient } from "@effect/platform"

/** `x-wait-minutes: 2` */
const waitMinutes: HintHeader.HintHeader = {
  name: "x-wait-minutes",
  read: (headers) => {
    const value = headers["x-wait-minutes"]
    return value !== undefined && /^\d{1,2}$/.test(value) ? Number(value) * 60_000 : undefined
  }
}

const { standardTables } = HttpClassifier

const adapted = (client: HttpClient.HttpClient) =>
  HttpRetry.withRetry(client, {
    ...HttpRetry.standard,
    opinion: (outcome) =>
      HttpClassifier.isResponse(outcome) && outcome.status === 202 ? Verdict.retryable("Server") : Verdict.noOpinion,
    classifier: HttpClassifier.make({
      ...standardTables,
      statuses: { ...standardTables.statuses, 409: { kind: "Client" }, 500: undefined },
      codes: { ...standardTables.codes, ENOTFOUND: undefined },
      hints: [waitMinutes, ...standardTables.hints]
    }),
    hint: Hint.floor({ atMost: "5 minutes", otherwise: "giveUp" })
  })
// #endregion

import { Effect } from "effect"

const ended = (...answers: Parameters<typeof exchange>[0]) =>
  Effect.map(
    exchange(answers, (client) => adapted(client).get("https://api.example/")),
    ({ sent }) => sent
  )

export const program = Effect.all({
  hinted: ended(answer(503, { "x-wait-minutes": "2", "retry-after": "9" }), ok),
  removed: ended(answer(500), ok),
  removedCode: ended(broken({ code: "ENOTFOUND", syscall: "getaddrinfo" }), ok),
  pending: Effect.map(ended(answer(202), answer(202), ok), (sent) => sent.length),
  added: Effect.map(ended(answer(409), ok), (sent) => sent.length)
})

export const expected = { hinted: [0, 120_000], removed: [0], removedCode: [0], pending: 3, added: 2 }
