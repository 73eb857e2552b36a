/**
 * What becomes of a request and its answer under an instruction.
 */
import { type Answer, json, Refused } from "./Answer.ts"
import type { UploadFault } from "./Call.ts"
import type { Fault } from "./RetryTests.ts"

/** What goes over the connection. */
export type Reply =
  | { readonly _tag: "Whole"; readonly answer: Answer }
  /** The status, the headers and so many bytes of the body; then the connection is closed. */
  | { readonly _tag: "Broken"; readonly answer: Answer; readonly bytes: number }
  /** Stops for a time after so many bytes of the body. */
  | { readonly _tag: "Stalled"; readonly answer: Answer; readonly bytes: number; readonly seconds: number }
  /** The connection is reset. */
  | { readonly _tag: "Reset" }

/** What the instructions look at in a request. */
interface Faulted {
  readonly method: string
  /** It belongs to a session of a resumable upload. */
  readonly inSession: boolean
}

const insert = "storage.objects.insert"

/** In its shape, the number is a text, and the message another error. */
const caused = (code: number): Answer =>
  json({ error: { code: String(code), message: { error: { message: `Retry Test: Caused a ${code}` } } } }, code)

/** For the operations that look at it, which are the uploads. */
export const uploadFault = (fault: Fault | undefined): UploadFault | undefined => {
  if (fault?.instruction._tag !== "UploadCode") return undefined
  const { bytes, code } = fault.instruction
  const fail = (): never => {
    fault.consume()
    throw new Refused({ answer: caused(code) })
  }
  return { bytes, fail }
}

/** For the list of buckets. */
export const unreachable = (fault: Fault | undefined): ReadonlyArray<string> => {
  if (fault?.instruction._tag !== "UnreachableBuckets") return []
  fault.consume()
  return fault.instruction.buckets
}

/** How many seconds an upload has to wait before it goes on: `stored` bytes are there, and `more` come with it. */
export const uploadStall = (fault: Fault | undefined, method: string, stored: number, more: number): number => {
  if (fault?.instruction._tag !== "Stall" || method !== insert) return 0
  const { bytes, seconds } = fault.instruction
  if (stored > bytes || stored + more <= bytes) return 0
  fault.consume()
  return seconds
}

/** Carries the operation out, unless the instruction fails the request before. A refused operation consumes nothing. */
export const reply = (fault: Fault | undefined, request: Faulted, operation: () => Answer): Reply => {
  if (fault?.instruction._tag === "ResetConnection") {
    fault.consume()
    return { _tag: "Reset" }
  }
  if (fault?.instruction._tag === "ReturnCode") {
    fault.consume()
    return { _tag: "Whole", answer: caused(fault.instruction.code) }
  }
  const answer = answered(operation)
  return (!answer.refused && fault && spoiled(fault, request, answer)) || { _tag: "Whole", answer }
}

/** What an operation answers, refused or not. */
export const answered = (operation: () => Answer): Answer & { readonly refused?: boolean } => {
  try {
    return operation()
  } catch (error) {
    if (error instanceof Refused) return { ...error.answer, refused: true }
    throw error
  }
}

/** `undefined` if the instruction does not concern the answer. */
const spoiled = (
  { consume, instruction }: Fault,
  { inSession, method }: Faulted,
  answer: Answer
): Reply | undefined => {
  const consumed = <A extends Reply>(reply: A): A => {
    consume()
    return reply
  }
  const { length } = answer.body
  switch (instruction._tag) {
    case "BrokenStream": {
      const { bytes, methods } = instruction
      const reaches = methods === "all" ? length > 0 : method === methods && length >= bytes
      // The status of the answer to a range is the one of the whole.
      return reaches ? consumed({ _tag: "Broken", answer: { ...answer, status: 200 }, bytes }) : undefined
    }
    case "ShortFinalAnswer": {
      if (!inSession || answer.status !== 200 || length === 0) return undefined
      return consumed({ _tag: "Whole", answer: { ...answer, body: answer.body.subarray(0, instruction.bytes) } })
    }
    case "CorruptData":
      return "x-goog-generation" in answer.headers && length > 0
        ? consumed({ _tag: "Whole", answer: { ...answer, body: corrupted(answer.body) } })
        : undefined
    case "Stall":
      return method !== insert && length > instruction.bytes
        ? consumed({ _tag: "Stalled", answer, bytes: instruction.bytes, seconds: instruction.seconds })
        : undefined
    case "ApplyThenReset":
      return consumed({ _tag: "Reset" })
    case "ApplyThenCode":
      return consumed({ _tag: "Whole", answer: caused(instruction.code) })
    default:
      return undefined
  }
}

const corrupted = (body: Uint8Array): Uint8Array => {
  const bytes = Uint8Array.from(body)
  bytes[0] = (bytes[0] ?? 0) ^ 1
  return bytes
}
