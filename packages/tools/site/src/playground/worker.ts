/**
 * Runs the simulations of the page beside it. A new question ends the one before: the page ends this worker and starts another.
 */
import { answers } from "./Answers.ts"
import type { Question } from "./Question.ts"

addEventListener("message", async ({ data }: MessageEvent<Question>) => {
  for await (const answer of answers(data)) postMessage(answer, {})
})
