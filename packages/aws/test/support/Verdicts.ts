/** Verdicts in words, for tables. */
import type { Classifier, Verdict } from "@effect-retry/core"
import { Duration, Option } from "effect"

export const at = (nowMillis: number): Classifier.Moment => ({ nowMillis, attempt: 1, elapsed: Duration.zero })

/** Such as `Throttling`, `Throttling 5s`, `never: status 404`, `never: SlowDown (Throttling)` and `no opinion`. */
export const inWords = (verdict: Verdict.Verdict): string => {
  switch (verdict._tag) {
    case "Retryable":
      return [verdict.kind, ...hintOf(verdict)].join(" ")
    case "Terminal":
      return [
        `never: ${verdict.why}`,
        ...Option.toArray(Option.map(verdict.kind, (kind) => `(${kind})`)),
        ...hintOf(verdict)
      ].join(" ")
    case "NoOpinion":
      return "no opinion"
  }
}

const hintOf = ({ hint }: Verdict.Retryable | Verdict.Terminal) => Option.toArray(Option.map(hint, Duration.format))

export const judgeWith =
  (classifier: Classifier.Classifier, nowMillis = 0) =>
  (error: unknown): string =>
    inWords(classifier(error, at(nowMillis)))
