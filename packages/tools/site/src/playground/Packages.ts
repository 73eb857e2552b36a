/**
 * What the playground does with the packages. The page and its worker load this one file, so that Effect comes once: the
 * page calls what answers within a frame, and the worker answers a question. A new question ends the one before: the page
 * ends the worker and starts another.
 */
import { answers } from "./Answers.ts"
import type { Question } from "./Question.ts"

export { dialects, write } from "./Code.ts"
export { explained } from "./Explaining.ts"
export { read } from "./ReadText.ts"

const isWorker = !("document" in globalThis)

if (isWorker) {
  addEventListener("message", async ({ data }: MessageEvent<Question>) => {
    for await (const answer of answers(data)) postMessage(answer, {})
  })
}
